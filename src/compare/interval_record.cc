#include "compare/interval_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs::compare {

std::vector<IntervalScore> interval_scores(const Problem& problem, const IntervalRecord& record) {
  std::vector<IntervalScore> scores;
  for (std::size_t i = 0; i < record.levels.size(); ++i) {
    std::size_t rounds = 0, inside = 0;
    double width = 0;
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      const double low = record.low.row(t)[i], high = record.high.row(t)[i];
      if (std::isnan(low)) continue;
      const double y = problem.outcomes[t];
      ++rounds;
      inside += y >= low && y <= high ? 1 : 0;
      width += high - low;
    }
    const auto n = static_cast<double>(rounds);
    scores.push_back({record.levels[i], rounds, static_cast<double>(inside) / n, width / n});
  }
  return scores;
}

IntervalRecorder::IntervalRecorder(const Problem& problem, const Aggregator& player)
    : before_(player.last_opened()) {
  record_.levels = player.interval_options()->levels;
  for (Matrix* side : {&record_.low, &record_.high}) {
    *side = Matrix(problem.rounds(), record_.levels.size());
    std::fill(side->values.begin(), side->values.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

void IntervalRecorder::record(const TraceRow& row) {
  const auto t = static_cast<std::size_t>(row.round.number - before_ - 1);
  for (std::size_t i = 0; i < row.intervals.size(); ++i) {
    record_.low.row(t)[i] = row.intervals[i].low;
    record_.high.row(t)[i] = row.intervals[i].high;
  }
}

}  // namespace pcgs::compare
