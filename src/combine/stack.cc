// Stacking: least squares on the deviations of the experts from a good combination c,
//
//     y - c = sum_k theta(k) (x(k) - c) + b + sum_i phi(i) e(i)
//
// in units of the usual error, with a ridge towards theta = 0 (stay at c), forgetting, robust rows
// (robust_row.h) and, where wanted, earlier errors e of the centre. Weights may be negative and b
// corrects a bias: what no mixture can do. The forecast stays within the experts' range, widened by
// half a unit on either side.
//
// Granger and Ramanathan, Improved methods of combining forecasts, 1984; shrinkage to equal weights:
// Diebold and Pauly, The use of prior information in forecast combination, 1990.
#include <algorithm>

#include "combine/averages.h"
#include "combine/ridge_regression.h"
#include "combine/robust_row.h"

namespace pcgs::blend {

namespace {

constexpr double kLargestDeviation = 1e6;  // in units; beyond it a number says nothing

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
    const double f = origin(seen) + seen.unit * z;
    return seen.task.kind() == TaskLoss::Kind::kLog ? std::clamp(f, 0.0, 1.0) : f;
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

}  // namespace

std::unique_ptr<Derived> make_stack(const Setting& setting, const StackOptions& options) {
  const std::size_t errors = !options.with_errors ? 0 : setting.seasons.empty() ? 2 : 5;
  return std::make_unique<Stack>(setting.experts, errors, options);
}

}  // namespace pcgs::blend
