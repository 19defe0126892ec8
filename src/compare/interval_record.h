// The intervals that a method published, round by round.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/problem.h"
#include "pcgs/aggregator.h"
#include "pcgs/matrix.h"
#include "pcgs/trace.h"

namespace pcgs::compare {

struct IntervalRecord {
  std::vector<double> levels;
  Matrix low, high;  // [T x levels] NaN where there was none
};

// How often the outcomes lay inside intervals of one level.
struct IntervalScore {
  double level = 0;
  std::size_t rounds = 0;  // with an interval
  double coverage = 0;     // share of them; NaN without one
  double mean_width = 0;
};
std::vector<IntervalScore> interval_scores(const Problem& problem, const IntervalRecord& record);

// Records what an aggregator, which has intervals, publishes from here on.
class IntervalRecorder final : public TraceSink {
 public:
  IntervalRecorder(const Problem& problem, const Aggregator& player);
  void record(const TraceRow& row) override;
  IntervalRecord take() { return std::move(record_); }

 private:
  std::int64_t before_;  // rounds opened before this run
  IntervalRecord record_;
};

}  // namespace pcgs::compare
