// Recursive least squares on an intercept and lags (the recursion is in least_squares.h).
//
// Values are divided by a unit first, so that kW and MW give the same forecasts: what the prior
// says about the coefficients, and how far they may be forgotten, is relative to it. Unless it is
// given, it is the median size of the first values that are not 0, which one wild value among them
// does not move; when the numbers have left the range of a double, and learning begins anew, it is
// chosen again. It sleeps until it has learned from as many values as it has coefficients, and
// where a lag is missing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "forecasters/checked_range.h"
#include "forecasters/least_squares.h"
#include "forecasters/regressors.h"

namespace pcgs {

namespace {

constexpr std::size_t kFewestForUnit = 5;  // steps; of one or two values the median is any

class Regression final : public Expert {
 public:
  Regression(std::vector<std::size_t> lags, RegressionOptions options)
      : lags_(std::move(lags)),
        options_(options),
        unit_(options.unit),
        squares_(lags_.size() + 1, options.forgetting, options.prior),
        x_(lags_.size() + 1),
        sizes_(options.unit == 0 ? reach() : 0) {}

  std::string name() const override {
    const RegressionOptions usual;
    std::string name = "rls" + lags_text(lags_);
    if (options_.forgetting != usual.forgetting) name += fmt::format("@{}", options_.forgetting);
    if (options_.prior != usual.prior) name += fmt::format("@prior{}", options_.prior);
    if (options_.unit != usual.unit) name += fmt::format("@unit{}", options_.unit);
    return name;
  }
  std::size_t reach() const override {
    return options_.unit == 0 ? std::max(lags_.back(), kFewestForUnit) : lags_.back();
  }

  double forecast(const Past& past) const override {
    if (learned_ < squares_.size()) return std::numeric_limits<double>::quiet_NaN();
    return unit_ * predict_from(past, lags_, unit_, squares_.coefficients());
  }

  void observe(const Past& past, double y) override {
    if (unit_ == 0) unit_ = unit_of(past);
    if (unit_ == 0 || std::isnan(y) || !fill_regressors(past, lags_, 0, unit_, x_)) return;
    if (squares_.learn(x_, y / unit_)) {
      learned_ = std::min<std::uint64_t>(learned_ + 1, squares_.size());
    } else {
      learned_ = 0;
      unit_ = options_.unit;
    }
  }

  void save(StateWriter& out) const override {
    out.f64(unit_);
    out.u64(learned_);
    squares_.save(out);
  }
  void load(StateReader& in) override {
    unit_ = in.f64_within(0, std::numeric_limits<double>::max(), "the unit of a regression");
    learned_ = in.u64();
    if (learned_ > squares_.size()) in.fail("a count of a regression is out of range");
    squares_.load(in);
  }

 private:
  // 0 until as many steps have passed as it looks back, and as long as all of them are 0.
  double unit_of(const Past& past) {
    if (past.count() < reach()) return 0;
    auto end = sizes_.begin();
    for (std::size_t n = 1; n <= reach(); ++n) {
      const double size = std::abs(past.lag(n));
      if (size > 0) *end++ = size;  // not for gaps
    }
    if (end == sizes_.begin()) return 0;
    const auto middle = sizes_.begin() + (end - sizes_.begin()) / 2;
    std::nth_element(sizes_.begin(), middle, end);
    return *middle;
  }

  std::vector<std::size_t> lags_;
  RegressionOptions options_;
  double unit_;                // 0: not known yet
  std::uint64_t learned_ = 0;  // values since it began (anew); counted up to squares_.size()
  LeastSquares squares_;
  std::vector<double> x_;      // [1 + lags] scratch
  std::vector<double> sizes_;  // [reach] scratch; empty if the unit is given
};

}  // namespace

std::unique_ptr<Expert> regression_expert(std::vector<std::size_t> lags,
                                          RegressionOptions options) {
  checked_number("the forgetting", options.forgetting, 0.5, 1);
  checked_number("the prior", options.prior, 1e-9, 1e12);
  if (options.unit != 0) checked_number("the unit", options.unit, 1e-100, 1e100);
  return std::make_unique<Regression>(accepted_lags(std::move(lags), kLongestReach), options);
}

}  // namespace pcgs
