// Vector arithmetic over experts, compiled for each instruction set and chosen at run time.
//
// The plain loops that these must agree with are in tests/reference.
#pragma once

#include <cstddef>
#include <span>

namespace pcgs::kernels {

// Below this a weight moves from the mantissa into the debt (see Share). Its square is still a
// normal double, so a product of two plain weights never loses bits to underflow.
inline constexpr double kSmallestPlain = 1e-140;

// The state of a Share: each array aligned to 64 bytes and padded with zeros to a multiple of 8.
struct ShareArrays {
  double* mantissa;
  double* debt;
  double* weights;
};

struct ShareSums {
  double minus_log_z;  // -ln sum_k w(k) exp(-eta l(k))
  double mean_loss;    // <w, l>
  double total;        // sum of the new weights
};

// One step of the recursion on `experts` entries. `losses` and `q` need no alignment or padding;
// q null means uniform.
ShareSums share_step(const ShareArrays& arrays, const double* losses, std::size_t experts,
                     double eta, double rho, const double* q);

double dot(std::span<const double> a, std::span<const double> b);

struct Range {
  double low;
  double high;
  bool finite;  // no NaN or infinity; if there is one, low and high mean nothing
};
Range range_of(std::span<const double> x);

struct SoftminSums {
  double minimum;  // min_k x(k)
  double log_sum;  // ln sum_k exp(-scale (x(k) - minimum))
};

// out(k) = exp(-scale (x(k) - minimum)) / sum, on the simplex. Requires scale >= 0, x not empty and
// finite. `out` may be x itself.
SoftminSums softmin(std::span<const double> x, double scale, std::span<double> out);

}  // namespace pcgs::kernels
