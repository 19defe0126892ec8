// pcgs certify: prove a certificate again from the trace alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "core/whole_file.h"
#include "io/trace_reader.h"
#include "pcgs/error.h"
#include "results/certificate_file.h"

namespace pcgs::cli {

namespace {

using nlohmann::ordered_json;
using results::NamedRecord;

struct CertifyOptions {
  std::string trace, certificate;
  bool json = false;
};

// Every method of the share form in the trace, replayed.
std::vector<NamedRecord> records_of(const std::string& path) {
  const auto bytes = read_whole_file(path);
  io::TraceReader reader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  const std::size_t experts = reader.experts().size();
  std::vector<NamedRecord> records;
  while (reader.next()) {
    if (reader.row().step == nullptr) continue;
    const std::string& name = reader.method();
    if (records.empty() || records.back().first != name) {
      records.emplace_back(name, ShareRecord(experts));
    }
    try {
      records.back().second.add(reader.row());
    } catch (const Error& wrong) {
      throw Error(
          fmt::format("{}: the trace contradicts itself: {}", reader.position(), wrong.what()));
    }
  }
  if (records.empty()) {
    throw Error(
        fmt::format("{}: has no method of the share form; trace hedge, fixed-share, genshare or "
                    "past-posteriors",
                    path));
  }
  return records;
}

ordered_json read_certificate(const std::string& path) {
  const auto bytes = read_whole_file(path);
  ordered_json file = ordered_json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!file.is_object() || file.value("format", "") != "pcgs certificate 1" ||
      !file["switches"].is_array()) {
    throw Error(fmt::format(
        "{}: is not a certificate; give a file that pcgs run --certificate wrote", path));
  }
  for (const auto& s : file["switches"]) {
    if (!s.is_number_unsigned() || s.get<std::size_t>() > 1000000) {
      throw Error(
          fmt::format("{}: has a switch budget that cannot be; give budgets to 1000000", path));
    }
  }
  return file;
}

// The first difference between two JSON values, as a path into them; empty if they agree, numbers
// to a part in 1e9.
std::string difference(const ordered_json& a, const ordered_json& b, const std::string& at) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>();
    const double y = b.get<double>();
    return std::abs(x - y) <= 1e-9 * (1 + std::abs(x)) ? "" : at;
  }
  if (a.type() != b.type() || a.size() != b.size()) return at;
  if (!a.is_structured()) return a == b ? "" : at;
  for (const auto& [key, value] : a.items()) {  // the keys of an array are its indices
    std::string below = fmt::format("{}/{}", at, key);
    if (a.is_object() && !b.contains(key)) return below;
    const ordered_json& other = a.is_object() ? b[key] : b[std::stoul(key)];
    std::string found = difference(value, other, below);
    if (!found.empty()) return found;
  }
  return "";
}

void certify(const CertifyOptions& options) {
  const ordered_json claimed = read_certificate(options.certificate);
  const auto records = records_of(options.trace);
  const ordered_json proved =
      results::certificate_json(records, claimed["switches"].get<std::vector<std::size_t>>());
  const std::string differs = difference(proved, claimed, "");
  if (!differs.empty()) {
    throw Error(fmt::format("{}: does not hold: {} is not what {} gives", options.certificate,
                            differs, options.trace));
  }
  if (!results::certificate_holds(proved)) {
    throw Error(fmt::format("{}: does not hold: a regret exceeds its bound", options.certificate));
  }
  if (options.json) {
    fmt::print("{}\n", proved.dump());
    return;
  }
  fmt::print("holds: recomputed from {}\n", options.trace);
  for (const auto& method : proved["methods"]) {
    const auto& best = method["best_path"];
    fmt::print(
        "{}: loss {:.3f}, within {:.3f} of a path of experts with {} switches that lost {:.3f}\n",
        method["name"].get<std::string>(), method["total_loss"].get<double>(),
        best["bound"].get<double>(), best["switches"].get<std::size_t>(),
        best["loss"].get<double>());
  }
}

}  // namespace

void add_certify(CLI::App& app) {
  auto options = std::make_shared<CertifyOptions>();
  CLI::App* command = app.add_subcommand("certify", "Prove a certificate again from its trace");
  command->add_option("TRACE", options->trace, "What pcgs run --trace wrote")->required();
  command->add_option("CERTIFICATE", options->certificate, "What pcgs run --certificate wrote")
      ->required();
  command->add_flag("--json", options->json, "Print the recomputed certificate");
  command->footer(
      "Exits with 0 if it holds and with 2 if it does not or the trace was changed.\n"
      "Example:\n"
      "  pcgs run losses.csv --method fixed-share --trace t.csv --certificate c.json\n"
      "  pcgs certify t.csv c.json");
  command->callback([options] { certify(*options); });
}

}  // namespace pcgs::cli
