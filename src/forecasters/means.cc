// Experts that average.
//
//     mean(n)              of y[1..n]
//     seasonal-mean(d, m)  of y[d], y[2d], ..., y[md]: the last m seasons at this time
//     ewma(a)              s, with s = the first value and s += a (y - s) after each
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "forecasters/checked_range.h"
#include "pcgs/experts.h"

namespace pcgs {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Mean final : public Expert {
 public:
  explicit Mean(std::size_t window) : window_(window) {}
  std::string name() const override { return fmt::format("mean{}", window_); }
  std::size_t reach() const override { return window_; }
  double forecast(const Past& past) const override { return past.mean(window_); }

 private:
  std::size_t window_;
};

class SeasonalMean final : public Expert {
 public:
  SeasonalMean(std::size_t season, std::size_t seasons) : season_(season), seasons_(seasons) {}
  std::string name() const override { return fmt::format("seasonal-mean{}x{}", season_, seasons_); }
  std::size_t reach() const override { return season_ * seasons_; }
  double forecast(const Past& past) const override {
    if (past.count() < reach()) return kNone;
    double sum = 0;
    std::size_t there = 0;
    for (std::size_t i = 1; i <= seasons_; ++i) {
      const double y = past.lag(i * season_);
      if (std::isnan(y)) continue;
      sum += y;
      ++there;
    }
    return there > 0 ? sum / static_cast<double>(there) : kNone;
  }

 private:
  std::size_t season_, seasons_;
};

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

}  // namespace

std::unique_ptr<Expert> mean_expert(std::size_t window) {
  return std::make_unique<Mean>(checked_steps("the window", window));
}

std::unique_ptr<Expert> seasonal_mean_expert(std::size_t season, std::size_t seasons) {
  checked_steps("the season", season);
  checked_steps("the number of seasons", seasons, 1, kLongestReach / season);
  return std::make_unique<SeasonalMean>(season, seasons);
}

std::unique_ptr<Expert> ewma_expert(double rate) {
  return std::make_unique<Ewma>(checked_number("the rate", rate, 1e-9, 1));
}

}  // namespace pcgs
