#include "show/result.h"

#include <algorithm>

#include "data/json.h"
#include "show/forecast_result.h"
#include "show/kinds.h"
#include "show/run_result.h"
#include "show/training_result.h"

namespace pcgs::results {

Kinds user_kinds() {
  static const Kind* const kAll[] = {&RunResult::kind(), &SeriesResult::kind(),
                                     &QuantileResult::kind(), &ForecastResult::kind(),
                                     &TrainingResult::kind()};
  return kAll;
}

std::string to_json(const Result& result, int indent) {
  return result.kind().write(result, indent);
}

Result read_result(std::string_view text, std::string_view origin, Kinds kinds) {
  const ordered_json json = parse(text, origin);
  const Place place(origin);
  if (!json.is_object()) place.refuse("is not an object");
  const auto named = json.value("kind", ordered_json(nullptr));
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const Kind* one) { return named == std::string(one->name); });
  if (kind == kinds.end()) place.refuse_kind(named);
  return (*kind)->read(json, place);
}

}  // namespace pcgs::results
