// How wrong forecasts were, in the units of what is forecast: methods, experts and what anybody could
// have published without learning. Of points and of distributions alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pcgs/losses.h"

namespace pcgs {

namespace levels {
class Levels;
}

struct ConfidenceInterval {
  double low = 0;
  double high = 0;
};

// What distributions lost, summed: twice the mean pinball loss over their levels; where these are
// symmetric also what that is made of, and how many outcomes were inside each central interval, the
// widest first.
struct LevelSums {
  double score = 0, width = 0, above = 0, below = 0;
  std::vector<std::size_t> held{};
};

// Sums over rounds in which there was a forecast and the outcome is known. Those of several series
// can be added. In long double, where no square of a double and no sum of them overflows: an error is
// infinite only where it is beyond the range of a double itself, or where a log forecast ruled out
// what happened.
class ErrorSums {
 public:
  void add(const TaskLoss& task, double forecast, double outcome);
  void add(const levels::Levels& levels, std::span<const double> quantiles, double outcome);
  void add(const ErrorSums& others);  // of points

  std::size_t rounds() const { return rounds_; }
  // Means over them; NaN without one.
  double rmse() const;
  double mae() const { return mean(absolute_); }
  double bias() const { return mean(signed_); }  // forecast - outcome: above 0, too high
  double loss() const { return mean(loss_); }    // of the task
  // The mean of |error / outcome|; none where an outcome is nearer to zero than a twentieth of their
  // mean size, because such rounds would decide it.
  std::optional<double> mape() const;
  const LevelSums& of_levels() const { return levels_; }  // of distributions

 private:
  double mean(long double sum) const {
    return static_cast<double>(sum / static_cast<long double>(rounds_));
  }

  std::size_t rounds_ = 0;
  long double squared_ = 0, absolute_ = 0, signed_ = 0, relative_ = 0, loss_ = 0;
  long double size_ = 0;  // of outcomes, summed
  double smallest_ = 0;   // of them
  LevelSums levels_;
};

struct ForecastError {
  enum class Kind : std::uint8_t { kMethod, kExpert, kReference };
  std::string name;
  Kind kind = Kind::kMethod;
  ErrorSums own{};       // on its own rounds
  ErrorSums combined{};  // of the combination, the forecast that is published, on the same rounds
};

// What forecasts are judged by: what the task pays for, the root of the mean squared error for squared
// loss, else the mean loss; of distributions their mean score.
class ErrorMeasure {
 public:
  ErrorMeasure(const TaskLoss& task = {}) : kind_(task.kind()) {}  // NOLINT: a task says how
  static ErrorMeasure of_levels(bool symmetric);

  // "RMSE", "MAE", "pinball loss", "log loss"; "WIS", or "level score" where levels are not symmetric.
  const char* name() const;
  bool of_points() const { return kind_.has_value(); }
  bool is_root() const { return kind_ == TaskLoss::Kind::kSquared; }
  bool is_rmse_or_mae() const { return is_root() || kind_ == TaskLoss::Kind::kAbsolute; }
  double operator()(const ErrorSums& sums) const;
  // The combination's to this one's. Below 1: the combination is better.
  double ratio(const ForecastError& other) const;

 private:
  std::optional<TaskLoss::Kind> kind_;  // none: of distributions
  bool symmetric_ = false;
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
  ErrorMeasure measure;
  // The combination first, then other methods, references, and the experts from the best on. References
  // learn nothing, the first of them with equal weights: of points "equal weights", the mean of the
  // forecasts that are there, and "best convex mix", the best constant weights in hindsight, where they
  // can be had; of distributions the linear pool, the mean and the median of quantiles.
  std::vector<ForecastError> all{};
  // The best expert is the one with the least error relative to the combination's on the same
  // rounds, among those that forecast at least half of the time.
  std::optional<std::size_t> best_expert{};  // in `all`
  std::optional<Beside> beside_best{}, beside_equal{};
  // Of distributions: [P + 1] outcomes below the first quantile, between each two, and above the last.
  std::vector<std::size_t> between{};
};

}  // namespace pcgs
