// Recursive least squares on an intercept and lags (the recursion is in least_squares.h).
//
// Values are divided by a unit first, so that kW and MW give the same forecasts: what the prior
// says about the coefficients, and how far they may be forgotten, is relative to it. It sleeps
// until it has learned from as many values as it has coefficients, and where a lag is missing.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "experts/accepted.h"
#include "experts/least_squares.h"
#include "experts/regressors.h"

namespace pcgs {

namespace {

class Regression final : public Expert {
 public:
  Regression(std::vector<std::size_t> lags, RegressionOptions options)
      : lags_(std::move(lags)),
        options_(options),
        unit_(options.unit),
        squares_(lags_.size() + 1, options.forgetting, options.prior),
        x_(lags_.size() + 1) {}

  std::string name() const override {
    const RegressionOptions usual;
    std::string name = "rls" + lags_text(lags_);
    if (options_.forgetting != usual.forgetting) name += fmt::format("@{}", options_.forgetting);
    if (options_.prior != usual.prior) name += fmt::format("@prior{}", options_.prior);
    if (options_.unit != usual.unit) name += fmt::format("@unit{}", options_.unit);
    return name;
  }
  std::size_t reach() const override { return lags_.back(); }

  double forecast(const Past& past) const override {
    if (learned_ < squares_.size()) return std::numeric_limits<double>::quiet_NaN();
    return unit_ * predict_from(past, lags_, unit_, squares_.coefficients());
  }

  void observe(const Past& past, double y) override {
    if (unit_ == 0) unit_ = unit_of(past);
    if (unit_ == 0 || std::isnan(y) || !fill_regressors(past, lags_, 0, unit_, x_)) return;
    learned_ = squares_.learn(x_, y / unit_) ? learned_ + 1 : 0;
  }

  void save(StateWriter& out) const override {
    out.f64(unit_);
    out.u64(learned_);
    squares_.save(out);
  }
  void load(StateReader& in) override {
    unit_ = in.f64_within(0, std::numeric_limits<double>::max(), "the unit of a regression");
    learned_ = in.u64();
    squares_.load(in);
  }

 private:
  // The root mean square of the values within reach, once they are all there; 0 before, and as long
  // as they are all 0.
  double unit_of(const Past& past) const {
    if (past.count() < reach()) return 0;
    double sum = 0;
    std::size_t there = 0;
    for (std::size_t n = 1; n <= reach(); ++n) {
      const double y = past.lag(n);
      if (std::isnan(y)) continue;
      sum += y * y;
      ++there;
    }
    const double unit = there > 0 ? std::sqrt(sum / static_cast<double>(there)) : 0;
    return std::isfinite(unit) ? unit : 0;
  }

  std::vector<std::size_t> lags_;
  RegressionOptions options_;
  double unit_;                // 0: not known yet
  std::uint64_t learned_ = 0;  // values since the beginning, or since it began anew
  LeastSquares squares_;
  std::vector<double> x_;  // [1 + lags] scratch
};

}  // namespace

std::unique_ptr<Expert> regression_expert(std::vector<std::size_t> lags,
                                          RegressionOptions options) {
  accepted_number("the forgetting", options.forgetting, 0.5, 1);
  accepted_number("the prior", options.prior, 1e-9, 1e12);
  if (options.unit != 0) accepted_number("the unit", options.unit, 1e-100, 1e100);
  return std::make_unique<Regression>(accepted_lags(std::move(lags), kLongestReach), options);
}

}  // namespace pcgs
