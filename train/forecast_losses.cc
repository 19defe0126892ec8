#include "forecast_losses.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "clipped_squares.h"
#include "pcgs/experts.h"
#include "prior.h"
#include "research/suite.h"
#include "varied_series.h"

namespace pcgs::train {

namespace {

using suite::Random;

// Everything a pool is drawn from: one of each kind the library has, with numbers that vary.
Experts all_forecasters(std::size_t day, Random& random) {
  const std::size_t week = 7 * day;
  Experts all;
  for (const std::size_t lag :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, day, 2 * day, week}) {
    all.push_back(lag_expert(lag));
  }
  for (const std::size_t window : {std::size_t{4}, std::size_t{8}, day, week}) {
    all.push_back(mean_expert(window));
  }
  for (const double rate : {0.03, 0.1, 0.3, 0.6}) {
    all.push_back(ewma_expert(rate * random.log_uniform(0.7, 1.4)));
  }
  for (const std::size_t seasons : {2, 4}) all.push_back(seasonal_mean_expert(day, seasons));
  all.push_back(seasonal_mean_expert(week, 2));
  all.push_back(seasonal_change_expert(day));
  all.push_back(holt_winters_expert(day));
  // Regressions differ most in quality: often the best, and often by far.
  const std::array<std::vector<std::size_t>, 5> lags = {
      {{1}, {1, 2, 3, day}, {1, 2, 3, 4, 5, 6, day, day + 1}, {1, 2, day}, {1, day, week}}};
  constexpr std::array kForgetting = {1.0, 0.9995, 0.999, 0.995, 0.99, 0.98};
  for (const auto& set : lags) {
    all.push_back(regression_expert(set, {.forgetting = kForgetting[random.below(6)]}));
  }
  return all;
}

Experts some_of(Experts all, std::size_t count, Random& random) {
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(all[i], all[i + random.below(all.size() - i)]);
  }
  all.resize(count);
  return all;
}

// Outcomes less forecasts; not finite where somebody is not a forecaster yet, or has gone astray.
Matrix errors_of_forecasters(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                             bool varied, Random& random) {
  constexpr std::array<std::size_t, 5> kDays = {7, 12, 24, 48, 144};
  const std::size_t day = kDays[random.below(kDays.size())];
  ExpertPool pool(some_of(all_forecasters(day, random), experts, random));
  const std::size_t burn_in = 14 * day + 1;  // until everybody forecasts
  const std::size_t length = burn_in + rounds;
  const std::vector<double> series =
      varied ? varied_series(length, day, seed, random) : make_series(length, day, seed);

  Matrix errors(rounds, experts);
  std::vector<double> forecasts(experts);
  for (std::size_t t = 0; t < series.size(); ++t) {
    pool.forecast(forecasts);
    pool.observe(series[t]);
    if (t < burn_in) continue;
    for (std::size_t k = 0; k < experts; ++k) {
      errors.row(t - burn_in)[k] = series[t] - forecasts[k];
    }
  }
  return errors;
}

// Pieces of a sequence in another order: what was so before a piece says nothing about it any more.
// There is less to find than there seems to be, which is as often so with losses that people have.
Matrix rearranged(const Matrix& losses, Random& random) {
  const std::size_t piece =
      std::min(losses.rows, static_cast<std::size_t>(random.log_uniform(1, 200)));
  std::vector<std::size_t> starts;
  for (std::size_t t = 0; t + piece <= losses.rows; t += piece) starts.push_back(t);
  for (std::size_t i = starts.size(); i > 1; --i) {
    std::swap(starts[i - 1], starts[random.below(i)]);
  }
  Matrix out = losses;  // what is left over at the end stays where it is
  std::size_t to = 0;
  for (const std::size_t from : starts) {
    for (std::size_t t = from; t < from + piece; ++t) {
      std::ranges::copy(losses.row(t), out.row(to++).begin());
    }
  }
  return out;
}

}  // namespace

Matrix make_forecast_losses(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random("forecast losses", seed);
  const Matrix losses =
      clipped_squares(errors_of_forecasters(rounds, experts, seed, true, random), random);
  return random.chance(0.25) ? rearranged(losses, random) : losses;
}

Matrix make_forecast_errors(std::size_t rounds, std::size_t experts, std::uint64_t seed) {
  Random random("forecast errors", seed);
  Matrix errors = errors_of_forecasters(rounds, experts, seed, false, random);
  std::vector<double> sizes;
  for (const double e : errors.values) {
    if (std::isfinite(e)) sizes.push_back(std::abs(e));
  }
  const auto at = static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), sizes.begin() + at, sizes.end());
  const double usual = std::max(sizes[static_cast<std::size_t>(at)], 1e-12);
  for (double& e : errors.values) {
    e = std::isfinite(e) ? std::clamp(e / usual, -1000.0, 1000.0) : 1000.0;
  }
  return errors;
}

}  // namespace pcgs::train
