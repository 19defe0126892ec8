#include "forecasters/regressors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "forecasters/checked_range.h"

namespace pcgs {

namespace {

constexpr std::size_t kMostLags = 64;

}  // namespace

std::vector<std::size_t> accepted_lags(std::vector<std::size_t> lags, std::size_t longest) {
  checked_steps("the number of lags", lags.size(), 1, kMostLags);
  std::sort(lags.begin(), lags.end());
  for (std::size_t i = 0; i < lags.size(); ++i) {
    checked_steps("a lag", lags[i], 1, longest);
    if (i > 0 && lags[i] == lags[i - 1]) {
      throw Error(fmt::format("lag {} is given twice; give it once", lags[i]));
    }
  }
  return lags;
}

std::string lags_text(std::span<const std::size_t> lags) {
  std::string out;
  for (std::size_t i = 0; i < lags.size();) {
    std::size_t end = i + 1;
    while (end < lags.size() && lags[end] == lags[end - 1] + 1) ++end;
    if (end - i < 3) end = i + 1;
    out += out.empty() ? "" : "+";
    out += end - i < 3 ? fmt::format("{}", lags[i]) : fmt::format("{}-{}", lags[i], lags[end - 1]);
    i = end;
  }
  return out;
}

bool fill_regressors(const Past& past, std::span<const std::size_t> lags, std::size_t ago,
                     double unit, std::span<double> x) {
  x[0] = 1;
  for (std::size_t i = 0; i < lags.size(); ++i) {
    x[i + 1] = past.lag(lags[i] + ago) / unit;
    if (std::isnan(x[i + 1])) return false;
  }
  return true;
}

double predict_from(const Past& past, std::span<const std::size_t> lags, double unit,
                    std::span<const double> coefficients) {
  double f = coefficients[0];
  for (std::size_t i = 0; i < lags.size(); ++i) {
    f += coefficients[i + 1] * (past.lag(lags[i]) / unit);
  }
  return f;
}

}  // namespace pcgs
