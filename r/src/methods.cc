#include "conversions.h"
#include "entry_points.h"
#include "pcgs/registry.h"

namespace pcgs::r {

using namespace cpp11::literals;

SEXP method_table() {
  std::vector<std::string> names, summaries, sources;
  for (const MethodInfo& info : registered_methods()) {
    names.emplace_back(info.name);
    summaries.emplace_back(info.summary);
    sources.emplace_back(info.source);
  }
  return cpp11::writable::list({"name"_nm = r_texts(names), "summary"_nm = r_texts(summaries),
                                "source"_nm = r_texts(sources)});
}

}  // namespace pcgs::r
