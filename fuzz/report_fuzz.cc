// Any bytes as a result, a trace, or one above the other: shown, or refused with an Error. A result
// that is read is the same after JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pcgs/error.h"
#include "research/study.h"
#include "show/blocks.h"
#include "show/depth.h"
#include "show/report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pcgs;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  report::Material material;
  try {
    const std::size_t trace = text.find("method,round,mixture_loss,");
    if (trace != text.npos) {
      material.runs.push_back(report::depth_of_trace(text.substr(trace), "fuzz", 3, 1));
    }
    if (trace != 0) {
      const auto kinds = results::all_kinds();
      auto result = results::read_result(text.substr(0, trace), "fuzz", kinds);
      const std::string json = results::to_json(result);
      if (results::to_json(results::read_result(json, "fuzz", kinds)) != json) std::abort();
      material.results.push_back({"fuzz", std::move(result)});
    }
    for (const auto& section : report::sections(material)) report::html(section);
  } catch (const Error&) {
  }
  return 0;
}
