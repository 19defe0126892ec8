// Vector arithmetic of the tokens, in float, compiled for each instruction set. No alignment or
// padding is asked for.
#pragma once

#include <cstddef>

namespace pcgs::tokens {

// One round of a Fixed Share filter on n experts:
//     v(k) = w(k) exp(-charge(k)) / Z        w'(k) = (1 - rho) v(k) + rho / n
// Requires charge >= 0 with a 0 among them, and every w at least rho / n: then Z is at least that.
void filter_step(float* weights, const float* charge, std::size_t n, float rho);

// out(k) = ln(factor x(k)), for positive x.
void scaled_log(const float* x, std::size_t n, float factor, float* out);

// x(k) = sign(x(k)) ln(1 + |x(k)|), in place: linear near 0, and nothing is ever large.
void signed_log1p(float* x, std::size_t n);

}  // namespace pcgs::tokens
