#include "reference/forecasters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/gaussian.h"

namespace pcgs::reference {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
using Real = long double;
using Row = LongRow;

double mean_of_present(const std::vector<double>& values) {
  Real sum = 0;
  std::size_t there = 0;
  for (const double y : values) {
    if (!std::isnan(y)) sum += y, ++there;
  }
  return there > 0 ? static_cast<double>(sum / static_cast<Real>(there)) : kNone;
}

// 1 and the lags of step t, in units; empty if one is missing.
Row regressors(History past, std::size_t t, const std::vector<std::size_t>& lags, Real unit) {
  Row x = {1};
  for (const std::size_t n : lags) {
    if (n > t || std::isnan(past[t - n])) return {};
    x.push_back(past[t - n] / unit);
  }
  return x;
}

Real dot(const Row& a, const Row& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

double lag(History past, std::size_t n) { return n <= past.size() ? past[past.size() - n] : kNone; }

double mean(History past, std::size_t window) {
  if (past.size() < window) return kNone;
  return mean_of_present({past.end() - static_cast<std::ptrdiff_t>(window), past.end()});
}

double ewma(History past, double rate) {
  double s = kNone;
  for (const double y : past) {
    if (!std::isnan(y)) s = std::isnan(s) ? y : (1 - rate) * s + rate * y;
  }
  return s;
}

double drift(History past, std::size_t window) {
  return lag(past, 1) + (lag(past, 1) - lag(past, window + 1)) / static_cast<double>(window);
}

double seasonal_mean(History past, std::size_t season, std::size_t seasons) {
  if (past.size() < season * seasons) return kNone;
  std::vector<double> values;
  for (std::size_t i = 1; i <= seasons; ++i) values.push_back(lag(past, i * season));
  return mean_of_present(values);
}

double seasonal_change(History past, std::size_t season) {
  return lag(past, 1) + (lag(past, season) - lag(past, season + 1));
}

double regression(History past, const std::vector<std::size_t>& lags, double forgetting,
                  double prior, double given_unit) {
  const std::size_t reach = *std::max_element(lags.begin(), lags.end());
  const std::size_t size = lags.size() + 1;
  Real unit = given_unit;
  if (unit == 0 && past.size() >= reach) {
    std::vector<double> sizes;
    for (std::size_t t = 0; t < reach; ++t) {
      if (!std::isnan(past[t])) sizes.push_back(std::abs(past[t]));
    }
    std::sort(sizes.begin(), sizes.end());
    unit = sizes[sizes.size() / 2];
  }
  if (unit == 0) return kNone;
  std::vector<Row> a(size, Row(size, 0));
  Row b(size, 0);
  for (std::size_t i = 0; i < size; ++i) a[i][i] = 1 / static_cast<Real>(prior);
  std::size_t pairs = 0;
  for (std::size_t t = 0; t < past.size(); ++t) {
    const Row x = regressors(past, t, lags, unit);
    if (x.empty() || std::isnan(past[t])) continue;
    ++pairs;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) a[i][j] = forgetting * a[i][j] + x[i] * x[j];
      b[i] = forgetting * b[i] + x[i] * (past[t] / unit);
    }
  }
  const Row x = regressors(past, past.size(), lags, unit);
  if (pairs < size || x.empty()) return kNone;
  return static_cast<double>(unit * dot(solve(a, b), x));
}

double rolling_regression(History past, const std::vector<std::size_t>& lags, std::size_t window) {
  const std::size_t size = lags.size() + 1;
  std::vector<Row> a(size, Row(size, 0));
  Row b(size, 0);
  std::size_t pairs = 0;
  for (std::size_t t = past.size() > window ? past.size() - window : 0; t < past.size(); ++t) {
    const Row x = regressors(past, t, lags, 1);
    if (x.empty() || std::isnan(past[t])) continue;
    ++pairs;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) a[i][j] += x[i] * x[j];
      b[i] += x[i] * past[t];
    }
  }
  const Row x = regressors(past, past.size(), lags, 1);
  if (pairs < 2 * size || x.empty()) return kNone;
  return static_cast<double>(dot(solve(a, b), x));
}

double holt_winters(History past, std::size_t season, double level_rate, double trend_rate,
                    double seasonal_rate) {
  if (past.size() <= 2 * season) return kNone;
  const double first = mean(past.subspan(0, season), season);
  const double second = mean(past.subspan(season, season), season);
  double level = second;
  double trend = (second - first) / static_cast<double>(season);
  std::vector<double> seasonal;
  for (std::size_t i = 0; i < season; ++i) {
    const double s = mean_of_present({past[i] - first, past[i + season] - second});
    seasonal.push_back(std::isnan(s) ? 0 : s);
  }
  for (std::size_t t = 2 * season; t < past.size(); ++t) {
    double& s = seasonal[t % season];
    const double forecast = level + trend + s;
    const double error = std::isnan(past[t]) ? 0 : past[t] - forecast;
    level += trend + level_rate * error;
    trend += trend_rate * error;
    s += seasonal_rate * error;
  }
  return level + trend + seasonal[past.size() % season];
}

}  // namespace pcgs::reference
