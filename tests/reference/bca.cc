#include "reference/bca.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace pcgs::reference {

namespace {

double normal_cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double normal_quantile(double p) {
  double low = -40;
  double high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (normal_cdf(middle) < p ? low : high) = middle;
  }
  return low;
}

// The sums of all resamples, ascending.
std::vector<double> resampled_sums(const std::vector<double>& x) {
  std::vector<double> sums = {0};
  for (std::size_t draw = 0; draw < x.size(); ++draw) {
    std::vector<double> longer;
    for (const double sum : sums) {
      for (const double value : x) longer.push_back(sum + value);
    }
    sums = longer;
  }
  std::sort(sums.begin(), sums.end());
  return sums;
}

// Efron's a from the means without one of the numbers each.
double jackknife_acceleration(const std::vector<double>& x) {
  const double n = static_cast<double>(x.size());
  const double total = std::accumulate(x.begin(), x.end(), 0.0);
  std::vector<double> left_out;
  for (const double value : x) left_out.push_back((total - value) / (n - 1));
  const double middle = std::accumulate(left_out.begin(), left_out.end(), 0.0) / n;
  double squares = 0;
  double cubes = 0;
  for (const double mean : left_out) {
    squares += std::pow(middle - mean, 2);
    cubes += std::pow(middle - mean, 3);
  }
  return cubes / (6 * std::pow(squares, 1.5));
}

}  // namespace

BcaInterval bca_by_enumeration(const std::vector<double>& x, double level) {
  const std::vector<double> sums = resampled_sums(x);
  const double total = std::accumulate(x.begin(), x.end(), 0.0);
  const double count = static_cast<double>(sums.size());
  double below = 0;
  for (const double sum : sums) below += sum < total ? 1 : sum == total ? 0.5 : 0;
  const double z0 = normal_quantile(below / count);
  const double a = jackknife_acceleration(x);

  const auto end_at = [&](double probability) {
    const double shifted = z0 + normal_quantile(probability);
    const double corrected = normal_cdf(z0 + shifted / (1 - a * shifted));
    const auto rank = static_cast<std::size_t>(std::ceil(corrected * count));
    return sums.at(rank - 1) / static_cast<double>(x.size());
  };
  return {end_at((1 - level) / 2), end_at((1 + level) / 2)};
}

}  // namespace pcgs::reference
