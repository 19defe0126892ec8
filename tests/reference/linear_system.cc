#include "reference/linear_system.h"

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

}  // namespace pcgs::reference
