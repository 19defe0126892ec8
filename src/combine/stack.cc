// Stacking: least squares on the deviations of the experts from a good combination c,
//
//     y - c = sum_k theta(k) (x(k) - c) + b + sum_i phi(i) e(i)
//
// in units of the usual error, with a ridge towards theta = 0 (stay at c), forgetting, robust rows
// (outliers.h) and, where wanted, earlier errors e of the centre. Weights may be negative and b
// corrects a bias: what no mixture can do. The forecast stays within the experts' range, widened by
// half a unit on either side.
//
// Granger and Ramanathan, Improved methods of combining forecasts, 1984; shrinkage to equal weights:
// Diebold and Pauly, The use of prior information in forecast combination, 1990.
#include <algorithm>
#include <limits>

#include "combine/blend.h"
#include "combine/outliers.h"
#include "combine/ridge_regression.h"

namespace pcgs::blend {

namespace {

constexpr double kLargestDeviation = 1e6;  // in units; beyond it a number says nothing
constexpr double kMost = std::numeric_limits<double>::max();
constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 62;

double as_forecast(const Seen& seen, double f) {
  return seen.task.kind() == TaskLoss::Kind::kLog ? std::clamp(f, 0.0, 1.0) : f;
}

std::vector<double> ridges(std::size_t experts, std::size_t errors, double ridge) {
  std::vector<double> all(experts, ridge);
  all.push_back(std::min(ridge, 1.0));
  all.insert(all.end(), errors, std::min(ridge, 3.0));
  return all;
}

class Stack final : public Derived {
 public:
  Stack(std::size_t experts, std::size_t errors, const StackOptions& options)
      : experts_(experts),
        errors_(errors),
        from_centre_(options.from_centre),
        regression_(ridges(experts, errors, options.ridge), options.forgetting),
        row_(regression_.size()) {}

  double forecast(const Seen& seen, std::span<double>) const override {
    fill_row(seen);
    const auto deviations = std::span(row_).first(experts_);
    const auto [low, high] = std::minmax_element(deviations.begin(), deviations.end());
    const double z = std::clamp(regression_.predict(row_), *low - 0.5, *high + 0.5);
    return as_forecast(seen, origin(seen) + seen.unit * z);
  }

  void observe(const Seen& seen, std::span<const double>, double, double outcome) override {
    fill_row(seen);
    const double target =
        std::clamp((outcome - origin(seen)) / seen.unit, -kLargestDeviation, kLargestDeviation);
    const auto [learned, scale] = robust_row(row_, regression_.predict(row_), target, seen.task);
    regression_.learn(row_, learned, scale);
  }

  Rest add_weights(const Seen& seen, double share, std::span<double> weights) const override {
    const auto theta = regression_.coefficients();
    double rest = 1;
    for (std::size_t k = 0; k < experts_; ++k) {
      if (seen.awake[k] == 0) continue;
      weights[k] += share * theta[k];
      rest -= theta[k];
    }
    return {share * rest, from_centre_ ? kCentreIndex : kMeanIndex};
  }

  void save(StateWriter& out) const override {
    out.change() == nullptr ? regression_.save(out) : regression_.after(*out.change()).save(out);
  }
  void load(StateReader& in) override { regression_.load(in); }

 private:
  double origin(const Seen& seen) const { return from_centre_ ? seen.centre : seen.mean; }

  void fill_row(const Seen& seen) const {
    const double c = origin(seen);
    for (std::size_t k = 0; k < experts_; ++k) {
      row_[k] = seen.awake[k] == 0 ? 0
                                   : std::clamp((seen.forecasts[k] - c) / seen.unit,
                                                -kLargestDeviation, kLargestDeviation);
    }
    row_[experts_] = 1;
    for (std::size_t i = 0; i < errors_; ++i) row_[experts_ + 1 + i] = seen.errors[i];
  }

  std::size_t experts_, errors_;
  bool from_centre_;
  RidgeRegression regression_;
  mutable std::vector<double> row_;  // scratch
};

// Bias and error correction: another derived expert's forecast p, plus what its own earlier errors
// say about the next one:
//
//     y - p = phi . ( e of the latest rounds, of the same phase, their slow mean in this phase, 1 )
//
// by least squares with forgetting 0.999 and a ridge of 5, in units, robust (outliers.h). Only
// errors that were known when the round was opened are used, so a delay costs what it costs in real
// life. At most three units are added. An autoregression of the errors: Cochrane and Orcutt, 1949.

constexpr double kSlow = 0.1;     // rate of the mean error of a phase
constexpr double kMostAdded = 3;  // units
constexpr double kConstantColumn = 0.3;

class Corrected final : public Derived {
 public:
  Corrected(const Setting& setting, std::size_t index)
      : index_(index),
        features_(ErrorMemory::features(setting)),
        memory_(setting),
        slow_(setting.seasons.empty() ? 1 : setting.seasons.front(), 0.0),
        regression_(std::vector<double>(features_ + 2, 5.0), 0.999) {}

  std::size_t kept() const override { return regression_.size(); }

  double forecast(const Seen& seen, std::span<double> kept) const override {
    memory_.recall(seen.number, kept.first(features_));
    kept[features_] = slow_[phase(seen)];
    for (double& e : kept.first(features_ + 1)) {
      e = std::clamp(e / seen.unit, -kLargestError, kLargestError);
    }
    kept[features_ + 1] = kConstantColumn;
    const double added = std::clamp(regression_.predict(kept), -kMostAdded, kMostAdded);
    return as_forecast(seen, seen.made[index_] + seen.unit * added);
  }

  void observe(const Seen& seen, std::span<const double> kept, double, double outcome) override {
    const double most = kLargestError * seen.unit;
    const double error = std::clamp(outcome - seen.made[index_], -most, most);
    const auto [target, scale] =
        robust_row(kept, regression_.predict(kept), error / seen.unit, seen.task);
    regression_.learn(kept, target, scale);
    memory_.put(seen.number, error);
    double& slow = slow_[phase(seen)];
    slow += kSlow * (error - slow);
  }

  Rest add_weights(const Seen&, double share, std::span<double>) const override {
    return {share, index_};
  }

  void save(StateWriter& out) const override {
    memory_.save(out);
    out.f64s(slow_);
    regression_.save(out);
  }
  void load(StateReader& in) override {
    memory_.load(in);
    in.f64s_within(slow_, -kMost, kMost, "a mean error");
    regression_.load(in);
  }

 private:
  std::size_t phase(const Seen& seen) const {
    return static_cast<std::size_t>(seen.number) % slow_.size();
  }

  std::size_t index_;
  std::size_t features_;
  ErrorMemory memory_;
  std::vector<double> slow_;  // [phases]
  RidgeRegression regression_;
};

}  // namespace

ErrorMemory::ErrorMemory(const Setting& setting)
    : number_(setting.seasons.empty() ? 64 : 4 * setting.seasons.back() + 2),
      error_(number_.size()) {
  if (!setting.seasons.empty()) seasons_ = {setting.seasons.front(), setting.seasons.back()};
}

void ErrorMemory::put(std::int64_t number, double error) {
  const auto at = static_cast<std::size_t>(number) % number_.size();
  if (number < number_[at]) return;  // long gone
  number_[at] = number;
  error_[at] = error;
  if (number > latest_) latest_ = number;
}

double ErrorMemory::error_of(std::int64_t number) const {
  if (number <= 0) return 0;
  const auto at = static_cast<std::size_t>(number) % number_.size();
  return number_[at] == number ? error_[at] : 0;
}

std::int64_t ErrorMemory::latest_of_phase(std::int64_t number, std::size_t season) const {
  const auto step = static_cast<std::int64_t>(season);
  std::int64_t at = number - step;
  if (at > latest_) at -= (at - latest_ + step - 1) / step * step;
  return at;
}

void ErrorMemory::recall(std::int64_t number, std::span<double> out) const {
  const std::int64_t latest = latest_ < number ? latest_ : number - 1;
  out[0] = error_of(latest);
  out[1] = error_of(latest - 1);
  if (seasons_.empty()) return;
  const std::int64_t phase = latest_of_phase(number, seasons_[0]);
  out[2] = error_of(phase);
  out[3] = error_of(phase - 1);
  out[4] = seasons_[0] != seasons_[1] ? error_of(latest_of_phase(number, seasons_[1]))
                                      : error_of(phase - static_cast<std::int64_t>(seasons_[0]));
}

void ErrorMemory::save(StateWriter& out) const {
  out.u64(static_cast<std::uint64_t>(latest_));
  for (const auto number : number_) out.u64(static_cast<std::uint64_t>(number));
  out.f64s(error_);
}

void ErrorMemory::load(StateReader& in) {
  const auto number_in = [&] {
    return static_cast<std::int64_t>(in.u64_below(kMostRounds, "the number of a round"));
  };
  latest_ = number_in();
  for (auto& number : number_) number = number_in();
  in.f64s_within(error_, -kMost, kMost, "an error");
}

std::unique_ptr<Derived> make_stack(const Setting& setting, const StackOptions& options) {
  const std::size_t errors = !options.with_errors ? 0 : setting.seasons.empty() ? 2 : 5;
  return std::make_unique<Stack>(setting.experts, errors, options);
}

std::unique_ptr<Derived> make_corrected(const Setting& setting, std::size_t index, bool seasonal) {
  Setting own = setting;
  if (!seasonal) own.seasons.clear();
  return std::make_unique<Corrected>(own, index);
}

}  // namespace pcgs::blend
