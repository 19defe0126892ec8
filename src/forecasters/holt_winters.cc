// Holt-Winters, additive, in the form that corrects each part by the error of the forecast
// (Hyndman et al., Forecasting with Exponential Smoothing, 2008, chapter 2; ETS(A,A,A)):
//
//     f = l + b + s_i           i = the step's place in the season
//     e = y - f
//     l = l + b + level e       b = b + trend e       s_i = s_i + seasonal e
//
// It starts when two seasons have passed: l the mean of the second, b the difference of their means
// per step, s_i what the values at place i were above the mean of their season, averaged over the
// two (0 where both are gaps). At a gap only l = l + b.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "forecasters/checked_range.h"
#include "pcgs/experts.h"

namespace pcgs {

namespace {

class HoltWinters final : public Expert {
 public:
  HoltWinters(std::size_t season, HoltWintersRates rates) : rates_(rates), seasonal_(season, 0.0) {}

  std::string name() const override {
    const HoltWintersRates usual;
    const auto base = fmt::format("holt-winters{}", seasonal_.size());
    if (rates_.level == usual.level && rates_.trend == usual.trend &&
        rates_.seasonal == usual.seasonal) {
      return base;
    }
    return fmt::format("{}@{}+{}+{}", base, rates_.level, rates_.trend, rates_.seasonal);
  }
  std::size_t reach() const override { return 2 * seasonal_.size(); }

  double forecast(const Past& past) const override {
    return started_ ? level_ + trend_ + seasonal_[place(past.count())]
                    : std::numeric_limits<double>::quiet_NaN();
  }

  void observe(const Past& past, double y) override {
    if (!started_) {
      if (past.count() < reach()) return;
      start(past);
      if (!started_) return;
    }
    double& seasonal = seasonal_[place(past.count())];
    const double before = level_ + trend_;
    const double error = std::isnan(y) ? 0 : y - before - seasonal;
    level_ = before + rates_.level * error;
    trend_ += rates_.trend * error;
    seasonal += rates_.seasonal * error;
    // Values at the ends of the range of a double can get it out of that range; it begins anew.
    started_ = std::isfinite(level_) && std::isfinite(trend_) && std::isfinite(seasonal);
    if (!started_) clear();
  }

  void save(StateWriter& out) const override {
    out.u64(started_ ? 1 : 0);
    out.f64(level_);
    out.f64(trend_);
    out.f64s(seasonal_);
  }
  void load(StateReader& in) override {
    const std::uint64_t started = in.u64();
    level_ = in.f64();
    trend_ = in.f64();
    in.f64s(seasonal_);
    if (started > 1 || !is_finite()) in.fail("a part of Holt-Winters is not finite");
    started_ = started == 1;
  }

 private:
  std::size_t place(std::uint64_t step) const { return step % seasonal_.size(); }

  bool is_finite() const {
    return std::isfinite(level_) && std::isfinite(trend_) &&
           std::all_of(seasonal_.begin(), seasonal_.end(),
                       [](double s) { return std::isfinite(s); });
  }

  void clear() {
    level_ = trend_ = 0;
    std::fill(seasonal_.begin(), seasonal_.end(), 0.0);
  }

  void start(const Past& past) {
    const std::size_t season = seasonal_.size();
    // Means of the older and the newer season, by halves of the reach.
    double older = 0, newer = 0;
    std::size_t in_older = 0, in_newer = 0;
    for (std::size_t n = 1; n <= 2 * season; ++n) {
      const double y = past.lag(n);
      if (std::isnan(y)) continue;
      (n <= season ? newer : older) += y;
      ++(n <= season ? in_newer : in_older);
    }
    if (in_older == 0 || in_newer == 0) return;
    older /= static_cast<double>(in_older);
    newer /= static_cast<double>(in_newer);
    level_ = newer;
    trend_ = (newer - older) / static_cast<double>(season);
    for (std::size_t n = 1; n <= season; ++n) {
      const double a = past.lag(n) - newer;
      const double b = past.lag(n + season) - older;
      double& seasonal = seasonal_[place(past.count() - n)];
      if (std::isnan(a) && std::isnan(b)) {
        seasonal = 0;
      } else {
        seasonal = std::isnan(a) ? b : std::isnan(b) ? a : (a + b) / 2;
      }
    }
    started_ = is_finite();
    if (!started_) clear();
  }

  HoltWintersRates rates_;
  bool started_ = false;
  double level_ = 0, trend_ = 0;
  std::vector<double> seasonal_;  // [season]
};

}  // namespace

std::unique_ptr<Expert> holt_winters_expert(std::size_t season, HoltWintersRates rates) {
  checked_steps("the season", season, 2, kLongestReach / 2);
  checked_number("the rate of the level", rates.level, 0, 1);
  checked_number("the rate of the trend", rates.trend, 0, 1);
  checked_number("the rate of the season", rates.seasonal, 0, 1);
  return std::make_unique<HoltWinters>(season, rates);
}

}  // namespace pcgs
