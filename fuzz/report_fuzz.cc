// Any bytes as a result, a trace, or one above the other: shown, or refused with an Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pcgs/error.h"
#include "report/replay.h"
#include "report/report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pcgs;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  report::Material material;
  try {
    const std::size_t trace = text.find("method,round,mixture_loss,");
    if (trace != text.npos) {
      material.runs.push_back(report::depth_of_trace(text.substr(trace), "fuzz", 3, 1));
    }
    auto json = nlohmann::ordered_json::parse(text.substr(0, trace), nullptr, false);
    if (!json.is_discarded()) material.results.push_back({"fuzz", std::move(json)});
    for (const auto& section : report::sections(material)) report::html(section);
  } catch (const Error&) {
  }
  return 0;
}
