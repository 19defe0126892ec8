// The simple experts: a few past values, averages, and Holt and Winters; and the past that they look at.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forecasters/forecasters.h"

namespace pcgs {

namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 53;  // one a microsecond for 285 years

// Experts that are a formula of past values and remember nothing else. With y[n] the value n steps before the one that
// is forecast:
//
//     lag(n)               y[n]                        the naive forecast, also of a season
//     drift(n)             y[1] + (y[1] - y[n+1]) / n  goes on as over the last n steps
//     seasonal-change(d)   y[1] + y[d] - y[d+1]        the change that came here a season ago
//     mean(n)              the mean of y[1..n]
//     seasonal-mean(d, m)  the mean of y[d], y[2d], ..., y[md]: the last m seasons at this time
template <class Formula>
class OfPast final : public Expert {
 public:
  OfPast(std::string name, std::size_t reach, Formula formula)
      : name_(std::move(name)), reach_(reach), formula_(formula) {}
  std::string name() const override { return name_; }
  std::size_t reach() const override { return reach_; }
  double forecast(const Past& past) const override { return formula_(past); }

 private:
  std::string name_;
  std::size_t reach_;
  Formula formula_;
};

template <class Formula>
std::unique_ptr<Expert> of_past(std::string name, std::size_t reach, Formula formula) {
  return std::make_unique<OfPast<Formula>>(std::move(name), reach, formula);
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// ewma(a): s, with s = the first value and s += a (y - s) after each.
class Ewma final : public Expert {
 public:
  explicit Ewma(double rate) : rate_(rate) {}
  std::string name() const override { return fmt::format("ewma{}", rate_); }
  std::size_t reach() const override { return 0; }
  double forecast(const Past& /*past*/) const override { return smooth_; }
  void observe(const Past& /*past*/, double y) override {
    if (std::isnan(y)) return;
    if (std::isnan(smooth_)) smooth_ = y;
    const double step = y - smooth_;
    // Between values at both ends of the range of a double the difference is not in it.
    smooth_ = std::isfinite(step) ? smooth_ + rate_ * step : (1 - rate_) * smooth_ + rate_ * y;
  }
  void save(StateWriter& out) const override { out.f64(smooth_); }
  void load(StateReader& in) override {
    smooth_ = in.f64();
    if (std::isinf(smooth_)) in.fail("a mean of values in it is infinite");
  }

 private:
  double rate_;
  double smooth_ = kNone;  // NaN before the first value
};

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
    return started_ ? level_ + trend_ + seasonal_[place(past.count())] : kNone;
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

const double Past::kNone = std::numeric_limits<double>::quiet_NaN();

Past::Past(std::size_t reach)
    : mask_(std::bit_ceil(std::uint64_t{reach} + 1) - 1), ring_(mask_ + 1, kNone) {}

// Added up anew each time: a running sum would remember the rounding of every spike that has left
// the window.
double Past::mean(std::size_t n) const {
  if (n > count_) return kNone;
  double sum = 0;
  std::size_t there = 0;
  for (std::uint64_t i = count_ - n; i < count_; ++i) {
    const double y = ring_[i & mask_];
    if (std::isnan(y)) continue;
    sum += y;
    ++there;
  }
  return there > 0 ? sum / static_cast<double>(there) : kNone;
}

void Past::save(StateWriter& out) const {
  out.u64(count_);
  out.f64s(ring_);
}

void Past::load(StateReader& in) {
  count_ = in.u64();
  if (count_ > kMostSteps) in.fail("the number of steps is out of range");
  in.f64s(ring_);
  for (const double y : ring_) {
    if (std::isinf(y)) in.fail("a value of the series is infinite");
  }
}

std::unique_ptr<Expert> lag_expert(std::size_t lag) {
  checked_steps("the lag", lag);
  return of_past(fmt::format("lag{}", lag), lag, [lag](const Past& past) { return past.lag(lag); });
}

std::unique_ptr<Expert> drift_expert(std::size_t window) {
  checked_steps("the window", window, 1, kLongestReach - 1);
  return of_past(fmt::format("drift{}", window), window + 1, [window](const Past& past) {
    const double last = past.lag(1);
    return last + (last - past.lag(window + 1)) / static_cast<double>(window);
  });
}

std::unique_ptr<Expert> seasonal_change_expert(std::size_t season) {
  checked_steps("the season", season, 2, kLongestReach - 1);
  return of_past(fmt::format("seasonal-change{}", season), season + 1, [season](const Past& past) {
    return past.lag(1) + past.lag(season) - past.lag(season + 1);
  });
}

std::unique_ptr<Expert> mean_expert(std::size_t window) {
  checked_steps("the window", window);
  return of_past(fmt::format("mean{}", window), window,
                 [window](const Past& past) { return past.mean(window); });
}

std::unique_ptr<Expert> seasonal_mean_expert(std::size_t season, std::size_t seasons) {
  checked_steps("the season", season);
  checked_steps("the number of seasons", seasons, 1, kLongestReach / season);
  return of_past(fmt::format("seasonal-mean{}x{}", season, seasons), season * seasons,
                 [season, seasons](const Past& past) {
                   if (past.count() < season * seasons) return kNone;
                   double sum = 0;
                   std::size_t there = 0;
                   for (std::size_t i = 1; i <= seasons; ++i) {
                     const double y = past.lag(i * season);
                     if (std::isnan(y)) continue;
                     sum += y;
                     ++there;
                   }
                   return there > 0 ? sum / static_cast<double>(there) : kNone;
                 });
}

std::unique_ptr<Expert> ewma_expert(double rate) {
  return std::make_unique<Ewma>(checked_number("the rate", rate, 1e-9, 1));
}

std::unique_ptr<Expert> holt_winters_expert(std::size_t season, HoltWintersRates rates) {
  checked_steps("the season", season, 2, kLongestReach / 2);
  checked_number("the rate of the level", rates.level, 0, 1);
  checked_number("the rate of the trend", rates.trend, 0, 1);
  checked_number("the rate of the season", rates.seasonal, 0, 1);
  return std::make_unique<HoltWinters>(season, rates);
}

}  // namespace pcgs
