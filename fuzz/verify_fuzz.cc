// Any bytes as a certificate with its trace behind it: checked, or refused with an Error. Checksum and
// fingerprints are made to fit, so that what comes after them is reached; then the checker must not
// agree with a certificate in which one number is another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "data/invariant.h"
#include "data/json.h"
#include "pcgs/error.h"
#include "proof/certificate_file.h"
#include "proof/verify.h"
#include "support/refit.h"

namespace {

using nlohmann::ordered_json;
using namespace pcgs;

constexpr std::string_view kTraceBegins = "method,round,mixture_loss,";

bool holds(std::string_view trace, const std::string& certificate) {
  try {
    verify::verify({trace, "t"}, {certificate, "c"});
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string sealed(ordered_json certificate) {
  test::refit_checksum(certificate);
  return io::json_text(certificate);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t begin = std::min(text.find(kTraceBegins), text.size());
  const std::string_view trace = text.substr(begin);
  holds(trace, std::string(text.substr(0, begin)));

  ordered_json certificate = ordered_json::parse(text.substr(0, begin), nullptr, false);
  if (!certificate.is_object()) return 0;
  try {
    test::refit_fingerprints(trace, certificate);
  } catch (const Error&) {
    return 0;
  }
  if (!holds(trace, sealed(certificate))) return 0;

  ordered_json& loss = certificate["methods"][0]["total_loss"];
  loss = loss.get<double>() + 1e-3;
  invariant(!holds(trace, sealed(certificate)), "another loss does not hold");
  loss = loss.get<double>() - 1e-3;
  certificate["experts"][0] = certificate["experts"][0].get<std::string>() + "x";
  invariant(!holds(trace, sealed(certificate)), "another name does not hold");
  return 0;
}
