// Experts written from their definitions: each is given the whole history and computes its forecast
// of the next value from scratch. NaN in a history is a gap; NaN as an answer: it sleeps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pcgs::reference {

using History = std::span<const double>;  // oldest first

double lag(History past, std::size_t n);
double mean(History past, std::size_t window);
double ewma(History past, double rate);
double drift(History past, std::size_t window);
double seasonal_mean(History past, std::size_t season, std::size_t seasons);
double seasonal_change(History past, std::size_t season);

// The coefficients that minimise
//
//     sum_i forgetting^(t-1-i) (y_i - <c, x_i>)^2 + forgetting^n |c|^2 / prior
//
// over the n pairs without a gap, in units of the median size of the first max(lags) values that
// are there (or as given; none of them 0, and max(lags) >= 5), found by elimination in long double.
double regression(History past, const std::vector<std::size_t>& lags, double forgetting,
                  double prior, double unit);
// The same over the pairs of the last `window` steps, unweighted and without a prior.
double rolling_regression(History past, const std::vector<std::size_t>& lags, std::size_t window);

double holt_winters(History past, std::size_t season, double level, double trend, double seasonal);

}  // namespace pcgs::reference
