#include "run/interval_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs {

IntervalRecord::IntervalRecord(std::size_t rounds, std::vector<double> of) : levels(std::move(of)) {
  for (Matrix* side : {&low, &high}) {
    *side = Matrix(rounds, levels.size());
    std::fill(side->values.begin(), side->values.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

void IntervalRecord::put(std::size_t t, std::span<const Interval> intervals) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    low.row(t)[i] = intervals[i].low;
    high.row(t)[i] = intervals[i].high;
  }
}

}  // namespace pcgs

namespace pcgs::compare {

std::vector<IntervalScore> interval_scores(const Problem& problem, const IntervalRecord& record) {
  std::vector<IntervalScore> scores;
  for (std::size_t i = 0; i < record.levels.size(); ++i) {
    std::size_t rounds = 0, inside = 0;
    long double width = 0;  // where no sum of doubles leaves the range
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      const double low = record.low.row(t)[i], high = record.high.row(t)[i];
      const double y = problem.outcomes[t];
      if (std::isnan(low) || std::isnan(y)) continue;
      ++rounds;
      inside += y >= low && y <= high ? 1 : 0;
      width += static_cast<long double>(high) - low;
    }
    const auto n = static_cast<double>(rounds);
    scores.push_back({record.levels[i], rounds, static_cast<double>(inside) / n,
                      static_cast<double>(width / n)});
  }
  return scores;
}

}  // namespace pcgs::compare
