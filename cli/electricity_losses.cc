#include "electricity_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pcgs/error.h"
#include "pcgs/losses.h"

namespace pcgs::cli {

namespace {

constexpr std::size_t kFewestRounds = 50;  // of either part

Matrix rows_of(const Matrix& from, std::size_t first, std::size_t end) {
  Matrix out(end - first, from.columns);
  std::copy_n(from.values.begin() + static_cast<std::ptrdiff_t>(first * from.columns),
              out.values.size(), out.values.begin());
  return out;
}

}  // namespace

SplitLosses split_losses(const std::vector<double>& series, ExpertPool pool,
                         const SplitOptions& options, const std::string& origin) {
  SplitLosses out;
  out.experts = pool.names();
  out.observations = std::min(options.observations, series.size());
  const std::size_t skipped = series.size() - out.observations;
  const auto split =
      static_cast<std::size_t>(options.training * static_cast<double>(out.observations));

  Matrix errors(out.observations, pool.size());
  std::size_t all_awake = 0;  // from here on
  std::string slowest;
  for (std::size_t t = 0; t < out.observations; ++t) {
    const double y = series[skipped + t];
    const auto row = errors.row(t);
    pool.forecast(row);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (std::isnan(row[k])) {
        all_awake = t + 1;
        slowest = out.experts[k];
      }
      row[k] = (row[k] - y) * (row[k] - y);
    }
    pool.observe(y);
  }
  out.burn_in = std::max(options.burn_in, all_awake);
  if (out.burn_in + kFewestRounds > split) {
    throw Error(
        fmt::format("{}: of {} observations the first {} are the training part, and {}; give more "
                    "observations, or experts that look less far back",
                    origin, out.observations, split,
                    all_awake > options.burn_in
                        ? fmt::format("{} says nothing in the first {}", slowest, all_awake)
                        : fmt::format("the burn-in is {}", options.burn_in)));
  }
  if (split + kFewestRounds > out.observations) {
    throw Error(fmt::format("{}: {} observations leave {} for the test part; give at least {}",
                            origin, out.observations, out.observations - split, kFewestRounds));
  }
  out.training = rows_of(errors, out.burn_in, split);
  out.test = rows_of(errors, split, out.observations);
  Bound bound = Bound::automatic(1, options.quantile);
  std::vector<double> known = out.training.values;
  bound.settle(known);
  out.scale = bound.scale();
  for (Matrix* part : {&out.training, &out.test}) {
    for (double& l : part->values) l = bound(l);
  }
  return out;
}

}  // namespace pcgs::cli
