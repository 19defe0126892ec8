// Gaussian elimination, and what follows from a normal law.
#pragma once

#include <functional>
#include <vector>

namespace pcgs::reference {

using LongRow = std::vector<long double>;

// a x = b, by Gaussian elimination with partial pivots.
LongRow solve(std::vector<LongRow> a, LongRow b);
// The same, with `a` [n x n] by rows.
std::vector<double> solve(const std::vector<double>& a, const std::vector<double>& b);

// What a stationary Gaussian process does next, from its covariance function and one linear system.

// amplitude^2 (1 + r) exp(-r), r = sqrt(3) lag / length
long double matern_three_halves(double amplitude, double length, double lag);

// E[f(T) | f(t) + noise N(0,1) = observed[t] for t = 0, ..., T-1], the mean of f being 0.
long double predicted_next(const std::function<long double(double lag)>& covariance, double noise,
                           const std::vector<double>& observed);

}  // namespace pcgs::reference
