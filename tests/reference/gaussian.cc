#include "reference/gaussian.h"

#include <cmath>
#include <cstddef>
#include <utility>

namespace pcgs::reference {

std::vector<double> solve(std::vector<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < n; ++r) {
      if (std::abs(a[r * n + i]) > std::abs(a[pivot * n + i])) pivot = r;
    }
    for (std::size_t j = 0; j < n; ++j) std::swap(a[i * n + j], a[pivot * n + j]);
    std::swap(b[i], b[pivot]);
    for (std::size_t r = i + 1; r < n; ++r) {
      const double factor = a[r * n + i] / a[i * n + i];
      for (std::size_t j = i; j < n; ++j) a[r * n + j] -= factor * a[i * n + j];
      b[r] -= factor * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
    b[i] /= a[i * n + i];
  }
  return b;
}

namespace {

using Row = std::vector<long double>;

// Solves a x = b, rows of `a` carrying b as their last entry. Gaussian elimination with pivots.
Row solve(std::vector<Row> a) {
  const std::size_t n = a.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column; i < n; ++i) {
      if (std::abs(a[i][column]) > std::abs(a[pivot][column])) pivot = i;
    }
    std::swap(a[column], a[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == column) continue;
      const long double factor = a[i][column] / a[column][column];
      for (std::size_t j = column; j <= n; ++j) a[i][j] -= factor * a[column][j];
    }
  }
  Row x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = a[i][n] / a[i][i];
  return x;
}

}  // namespace

long double matern_three_halves(double amplitude, double length, double lag) {
  const long double r = std::sqrt(3.0L) * std::abs(lag) / length;
  return static_cast<long double>(amplitude) * amplitude * (1 + r) * std::exp(-r);
}

long double predicted_next(const std::function<long double(double lag)>& covariance, double noise,
                           const std::vector<double>& observed) {
  const std::size_t n = observed.size();
  std::vector<Row> system(n, Row(n + 1));
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t t = 0; t < n; ++t) {
      system[s][t] = covariance(static_cast<double>(s) - static_cast<double>(t));
    }
    system[s][s] += static_cast<long double>(noise) * noise;
    system[s][n] = observed[s];
  }
  const Row x = solve(std::move(system));
  long double predicted = 0;
  for (std::size_t t = 0; t < n; ++t) predicted += covariance(static_cast<double>(n - t)) * x[t];
  return predicted;
}

}  // namespace pcgs::reference
