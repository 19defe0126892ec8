// What regressions see of the past: an intercept and chosen lags.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pcgs/experts.h"

namespace pcgs {

// The lags in order; throws Error if there are none, too many, or one twice.
std::vector<std::size_t> accepted_lags(std::vector<std::size_t> lags, std::size_t longest);

// "1-6+24+25"
std::string lags_text(std::span<const std::size_t> lags);

// Writes 1, y[lags] as they were `ago` steps before now to x [1 + lags], each value divided by
// `unit`; false if a value is missing.
bool fill_regressors(const Past& past, std::span<const std::size_t> lags, std::size_t ago,
                     double unit, std::span<double> x);

// <coefficients, x> for the regressors of now; NaN if a value is missing.
double predict_from(const Past& past, std::span<const std::size_t> lags, double unit,
                    std::span<const double> coefficients);

}  // namespace pcgs
