// How wrong forecasts were, in the units of what is forecast: methods, experts and what anybody could
// have published without learning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pcgs/losses.h"

namespace pcgs {

struct ConfidenceInterval {
  double low = 0;
  double high = 0;
};

// Sums over rounds in which there was a forecast and the outcome is known. Those of several series
// can be added. In long double, where no square of a double and no sum of them overflows: an error is
// infinite only where it is beyond the range of a double itself, or where a log forecast ruled out
// what happened.
class ErrorSums {
 public:
  void add(const TaskLoss& task, double forecast, double outcome);
  void add(const ErrorSums& others);

  std::size_t rounds() const { return rounds_; }
  // Means over them; NaN without one.
  double rmse() const;
  double mae() const { return mean(absolute_); }
  double bias() const { return mean(signed_); }  // forecast - outcome: above 0, too high
  double loss() const { return mean(loss_); }    // of the task
  // The mean of |error / outcome|; none where an outcome is nearer to zero than a twentieth of their
  // mean size, because such rounds would decide it.
  std::optional<double> mape() const;
  // What the task pays for: the root of the mean squared error for squared loss, else the mean loss.
  double measure(const TaskLoss& task) const;

 private:
  double mean(long double sum) const {
    return static_cast<double>(sum / static_cast<long double>(rounds_));
  }

  std::size_t rounds_ = 0;
  long double squared_ = 0, absolute_ = 0, signed_ = 0, relative_ = 0, loss_ = 0;
  long double size_ = 0;  // of outcomes, summed
  double smallest_ = 0;   // of them
};

// "RMSE", "MAE", "pinball loss", "log loss".
std::string measure_name(const TaskLoss& task);

struct ForecastError {
  enum class Kind : std::uint8_t { kMethod, kExpert, kReference };
  std::string name;
  Kind kind = Kind::kMethod;
  ErrorSums own;       // on its own rounds
  ErrorSums combined;  // of the combination, the forecast that is published, on the same rounds
};

// The combination beside another forecaster, on the rounds of both.
struct Beside {
  std::string name;
  std::size_t rounds = 0;
  // Of measures. Below 1: the combination is better.
  double ratio = 1;
  std::optional<ConfidenceInterval> interval{};  // 95 %
  std::optional<double> p{};                     // that the difference is chance
};

struct Errors {
  // The combination first, then other methods, references ("equal weights", the mean of the forecasts
  // that are there, and "best convex mix", the best constant weights in hindsight, where they can be
  // had), and the experts from the best on.
  std::vector<ForecastError> all;
  // The best expert is the one with the least error relative to the combination's on the same
  // rounds, among those that forecast at least half of the time.
  std::optional<std::size_t> best_expert;  // in `all`
  std::optional<Beside> beside_best, beside_equal;
};

}  // namespace pcgs
