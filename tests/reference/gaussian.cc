#include "reference/gaussian.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace pcgs::reference {

LongRow solve(std::vector<LongRow> a, LongRow b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

std::vector<double> solve(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<LongRow> rows;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto row = a.begin() + static_cast<std::ptrdiff_t>(i * b.size());
    rows.emplace_back(row, row + static_cast<std::ptrdiff_t>(b.size()));
  }
  const LongRow x = solve(std::move(rows), LongRow(b.begin(), b.end()));
  return {x.begin(), x.end()};
}

long double matern_three_halves(double amplitude, double length, double lag) {
  const long double r = std::sqrt(3.0L) * std::abs(lag) / length;
  return static_cast<long double>(amplitude) * amplitude * (1 + r) * std::exp(-r);
}

long double predicted_next(const std::function<long double(double lag)>& covariance, double noise,
                           const std::vector<double>& observed) {
  const std::size_t n = observed.size();
  std::vector<LongRow> system(n, LongRow(n));
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t t = 0; t < n; ++t) {
      system[s][t] = covariance(static_cast<double>(s) - static_cast<double>(t));
    }
    system[s][s] += static_cast<long double>(noise) * noise;
  }
  const LongRow x = solve(std::move(system), LongRow(observed.begin(), observed.end()));
  long double predicted = 0;
  for (std::size_t t = 0; t < n; ++t) predicted += covariance(static_cast<double>(n - t)) * x[t];
  return predicted;
}

}  // namespace pcgs::reference
