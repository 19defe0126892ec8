#include "combine/outliers.h"

#include <algorithm>
#include <cmath>

#include "core/kernels.h"

namespace pcgs {

namespace {

// Where an expert's own numbers lie. Halves, because the difference of two doubles may be none.
struct Own {
  double low = 0, middle = 0, high = 0;
  bool is_point = false;
};

Own own_of(std::span<const double> row) {
  const auto is_given = [](double x) { return !std::isnan(x); };
  const std::size_t count = row.size(), centre = count / 2;
  std::size_t first = 0, last = count - 1;
  while (!is_given(row[first])) ++first;
  while (!is_given(row[last])) --last;
  // What is given is without gaps.
  const std::size_t middle = std::clamp(centre, first, last);
  return {0.5 * row[first], 0.5 * row[middle], 0.5 * row[last], first == last && count > 1};
}

}  // namespace

RobustRow robust_row(std::span<const double> x, double fitted, double target,
                     const TaskLoss& task) {
  constexpr double kLargestEntry = 10;
  const double error = target - fitted;
  const double size = std::abs(error);
  double weight = 1;
  if (task.kind() == TaskLoss::Kind::kAbsolute || task.kind() == TaskLoss::Kind::kPinball) {
    weight = std::min(1.0, 0.3 / size);
    if (task.kind() == TaskLoss::Kind::kPinball) {
      weight *= 2 * (error > 0 ? task.tau() : 1 - task.tau());
    }
  } else {
    weight = std::min(1.0, 1.5 / size);
  }
  double largest = 0;
  for (const double u : x) largest = std::max(largest, std::abs(u));
  const double leverage = largest > kLargestEntry ? kLargestEntry / largest : 1;
  return {fitted + std::clamp(error, -kLargestError, kLargestError), std::sqrt(weight) * leverage};
}

std::size_t leave_out_outliers(std::span<const double> quantiles, std::span<std::uint8_t> awake,
                               std::vector<double>& scratch) {
  const auto heard = static_cast<std::size_t>(awake.size()) -
                     static_cast<std::size_t>(std::ranges::count(awake, std::uint8_t{0}));
  if (heard < 3) return 0;
  const std::size_t count = quantiles.size() / awake.size();
  const auto own = [&](std::size_t k) { return own_of(quantiles.subspan(k * count, count)); };
  const auto median_over = [&](const auto& number_of) {
    scratch.clear();
    for (std::size_t k = 0; k < awake.size(); ++k) {
      if (awake[k]) number_of(own(k));
    }
    return scratch.empty() ? 0 : lower_median(scratch);
  };
  const double centre = median_over([&](const Own& one) { scratch.push_back(one.middle); });
  const double distance =
      median_over([&](const Own& one) { scratch.push_back(std::abs(one.middle - centre)); });
  const double width = median_over([&](const Own& one) {
    if (!one.is_point) scratch.push_back(one.high - one.low);
  });
  const double usual = std::max(distance, width);
  if (usual == 0) return 0;
  const auto is_far = [&](std::size_t k) {
    const Own one = own(k);
    return is_outlier(std::max(std::abs(one.low - centre), std::abs(one.high - centre)), usual,
                      kOutlierForecast);
  };
  std::size_t outliers = 0;
  for (std::size_t k = 0; k < awake.size(); ++k) outliers += awake[k] && is_far(k);
  if (2 * outliers >= heard) return 0;
  for (std::size_t k = 0; k < awake.size(); ++k) {
    if (awake[k] && is_far(k)) awake[k] = 0;
  }
  return outliers;
}

}  // namespace pcgs
