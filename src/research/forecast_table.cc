#include <fmt/format.h>

#include "research/forecast_series.h"
#include "show/answer_table.h"

namespace pcgs::studies {

std::string forecast_table(const results::ForecastResult& result, const std::string& origin) {
  std::string caption = fmt::format("{}: {}, {} row{}", origin, result.column, result.rounds,
                                    result.rounds == 1 ? "" : "s");
  if (result.gaps > 0) caption += fmt::format(", {} of them gaps", result.gaps);
  return answer_text(result.answer, caption);
}

}  // namespace pcgs::studies
