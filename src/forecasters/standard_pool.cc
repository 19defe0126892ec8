// Pools for those who name nothing but the seasons of their series.
#include <fmt/format.h>

#include <algorithm>

#include "pcgs/error.h"
#include "pcgs/experts.h"

namespace pcgs {

namespace {

class Collection {
 public:
  // Seasons may coincide with each other's multiples and with the short lags: the first stays.
  void add(std::unique_ptr<Expert> expert) {
    const std::string name = expert->name();
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) return;
    names_.push_back(name);
    experts_.push_back(std::move(expert));
  }
  Experts take() { return std::move(experts_); }

 private:
  Experts experts_;
  std::vector<std::string> names_;
};

std::vector<std::size_t> lags_and(std::vector<std::size_t> lags, std::vector<std::size_t> more) {
  for (const std::size_t lag : more) {
    if (std::find(lags.begin(), lags.end(), lag) == lags.end()) lags.push_back(lag);
  }
  return lags;
}

void check(std::span<const std::size_t> seasons) {
  for (std::size_t i = 0; i < seasons.size(); ++i) {
    if (seasons[i] < 2 || seasons[i] > kLongestReach / 4 ||
        (i > 0 && seasons[i] <= seasons[i - 1])) {
      throw Error(
          fmt::format("the season {} cannot be used; give whole numbers from 2 to {}, the shortest "
                      "first",
                      seasons[i], kLongestReach / 4));
    }
  }
}

}  // namespace

Experts benchmark_experts(std::span<const std::size_t> seasons) {
  check(seasons);
  const bool seasonal = !seasons.empty();
  const std::size_t day = seasonal ? seasons[0] : 0;

  Collection pool;
  for (const std::size_t lag : {1u, 2u, 3u}) pool.add(lag_expert(lag));
  if (seasonal) {
    pool.add(lag_expert(day));
    pool.add(lag_expert(2 * day));
    for (const std::size_t season : seasons.subspan(1)) pool.add(lag_expert(season));
  }
  for (const std::size_t window : {3u, 6u, 12u}) pool.add(mean_expert(window));
  for (const std::size_t season : seasons) pool.add(mean_expert(season));
  for (const double rate : {0.05, 0.1, 0.3, 0.5, 0.8}) pool.add(ewma_expert(rate));
  if (seasonal) {
    pool.add(seasonal_mean_expert(day, 4));
    pool.add(seasonal_change_expert(day));
  } else {
    pool.add(drift_expert(1));
    pool.add(drift_expert(12));
  }
  using Lags = std::vector<std::size_t>;
  const auto regression = [&](Lags lags, const Lags& seasonal_lags, double forgetting) {
    RegressionOptions options;
    options.forgetting = forgetting;
    pool.add(regression_expert(
        seasonal ? lags_and(std::move(lags), seasonal_lags) : std::move(lags), options));
  };
  regression({1, 2, 3}, {day}, 1);
  regression({1, 2, 3, 4, 5, 6}, {day, day + 1}, 0.999);
  regression({1, 2}, {day}, 0.99);
  return pool.take();
}

Experts standard_experts(std::span<const std::size_t> seasons) {
  Experts experts = benchmark_experts(seasons);
  if (seasons.empty()) return experts;
  // Everything around now a season ago.
  std::vector<std::size_t> lags = {1, 2, 3, 4, 5, 6};
  for (const std::size_t season : seasons) {
    lags = lags_and(std::move(lags), {season - 1, season, season + 1});
  }
  RegressionOptions options;
  options.forgetting = 0.9995;
  experts.push_back(regression_expert(std::move(lags), options));
  return experts;
}

}  // namespace pcgs
