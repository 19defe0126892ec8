// pcgs certify: prove a certificate again from the trace alone.
#include <fmt/format.h>

#include "commands.h"
#include "proof/verify.h"
#include "say.h"

namespace pcgs::cli {

namespace {

struct CertifyOptions {
  std::string trace, certificate;
  bool json = false;
};

void certify(const CertifyOptions& options) {
  finish_earlier({{}, {options.trace, options.certificate}}, false);
  const auto verified = verify::verify_files(options.trace, options.certificate);
  if (options.json) {
    put(to_json(verified) + "\n");
    return;
  }
  say(fmt::format("holds: every number computed again from {}\n{}\n{}", options.trace,
                  verify::sentences(verified), verify::tables(verified.made_of)));
}

}  // namespace

void add_certify(CLI::App& app) {
  auto [command, options] =
      add_command(app, "certify", "Prove a certificate again from its trace", certify);
  command.add_option("TRACE", options->trace, "What pcgs run --trace wrote")->required();
  command.add_option("CERTIFICATE", options->certificate, "What pcgs run --certificate wrote")
      ->required();
  command.add_flag("--json", options->json,
                   "Print the certificate and what its bounds are made of, if it holds");
  command.footer(
      "Exits with 0 if it holds and with 2 if it does not or the trace was changed.\n"
      "Example:\n"
      "  pcgs run losses.csv --method fixed-share --trace t.csv --certificate c.json\n"
      "  pcgs certify t.csv c.json");
}

}  // namespace pcgs::cli
