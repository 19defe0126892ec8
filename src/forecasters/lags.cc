// Experts that are a sum of a few past values. With y[n] the value n steps before the one that is
// forecast:
//
//     lag(n)              y[n]                        the naive forecast, also of a season
//     drift(n)            y[1] + (y[1] - y[n+1]) / n  goes on as over the last n steps
//     seasonal-change(d)  y[1] + y[d] - y[d+1]        the change that came here a season ago
#include <fmt/format.h>

#include "forecasters/checked_range.h"
#include "pcgs/experts.h"

namespace pcgs {

namespace {

class Lag final : public Expert {
 public:
  explicit Lag(std::size_t lag) : lag_(lag) {}
  std::string name() const override { return fmt::format("lag{}", lag_); }
  std::size_t reach() const override { return lag_; }
  double forecast(const Past& past) const override { return past.lag(lag_); }

 private:
  std::size_t lag_;
};

class Drift final : public Expert {
 public:
  explicit Drift(std::size_t window) : window_(window) {}
  std::string name() const override { return fmt::format("drift{}", window_); }
  std::size_t reach() const override { return window_ + 1; }
  double forecast(const Past& past) const override {
    const double last = past.lag(1);
    return last + (last - past.lag(window_ + 1)) / static_cast<double>(window_);
  }

 private:
  std::size_t window_;
};

class SeasonalChange final : public Expert {
 public:
  explicit SeasonalChange(std::size_t season) : season_(season) {}
  std::string name() const override { return fmt::format("seasonal-change{}", season_); }
  std::size_t reach() const override { return season_ + 1; }
  double forecast(const Past& past) const override {
    return past.lag(1) + past.lag(season_) - past.lag(season_ + 1);
  }

 private:
  std::size_t season_;
};

}  // namespace

std::unique_ptr<Expert> lag_expert(std::size_t lag) {
  return std::make_unique<Lag>(checked_steps("the lag", lag));
}

std::unique_ptr<Expert> drift_expert(std::size_t window) {
  return std::make_unique<Drift>(checked_steps("the window", window, 1, kLongestReach - 1));
}

std::unique_ptr<Expert> seasonal_change_expert(std::size_t season) {
  return std::make_unique<SeasonalChange>(
      checked_steps("the season", season, 2, kLongestReach - 1));
}

}  // namespace pcgs
