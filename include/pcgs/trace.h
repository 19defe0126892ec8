// A record of every round: what a certificate is computed from and a picture is drawn from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "pcgs/intervals.h"
#include "pcgs/round.h"
#include "pcgs/share.h"

namespace pcgs {

struct TraceRow {
  // As the method learned it, which is not as it was given where losses are linearised. Its
  // `weights` are empty: what was played is below.
  Round round;
  std::span<const double> played;      // [K] zero for sleepers
  const ShareStep* step = nullptr;     // null when the method is not of the share form
  double forecast_loss = kNoForecast;  // raw and finite, of the combined forecast; NaN without

  std::optional<Round> given{};  // where it is not `round`

  // As the combined forecast was published with them; empty where there were none.
  std::span<const Interval> intervals{};

  // What was lost, by the losses that were given.
  const Round& judged() const { return given ? *given : round; }

  static constexpr double kNoForecast = std::numeric_limits<double>::quiet_NaN();
  bool has_forecast() const { return forecast_loss == forecast_loss; }
  // What experts that slept carry: what the learner paid. Linearised losses, which come without that of
  // the forecast, have the combined forecast's own, and the mixture's may be off by what is capped.
  double sleeper_loss() const { return has_forecast() ? round.mixture_loss : round.learner_loss; }
  // Of the combined forecast in units of the losses, the mixture loss without one. It is not capped
  // like those of experts; only what would leave nothing to be said of all later rounds is.
  double combined_loss() const {
    return has_forecast() ? std::min(forecast_loss / round.scale, 1e15) : round.mixture_loss;
  }
};

// Receives each round once, when it has been learned. Spans are valid during the call only. Must
// not throw: the round has been learned already.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(const TraceRow& row) = 0;
};

// Keeps everything in memory.
class Trace final : public TraceSink {
 public:
  struct Row {
    std::int64_t round = 0;
    std::vector<double> weights, losses, q;  // q empty when the method is not of the share form
    double mixture_loss = 0, learner_loss = 0;
    double eta = 0, rho = 0, mix_loss = 0, gap = 0;
    double scale = 1, forecast_loss = TraceRow::kNoForecast;
  };
  void record(const TraceRow& row) override;
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

}  // namespace pcgs
