#include "reference/quantile_panel.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "reference/levels.h"

namespace pcgs::reference {

namespace {

bool says_nothing(const std::vector<double>& row) {
  return std::ranges::all_of(row, [](double x) { return std::isnan(x); });
}

// Of an even number of them the lower one of the two in the middle.
double median_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[(numbers.size() - 1) / 2];
}

std::vector<double> normalised(std::vector<double> weights) {
  double total = 0;
  for (const double w : weights) total += w;
  for (double& w : weights) w /= total;
  return weights;
}

std::vector<double> after_round(std::vector<double> weights, const std::vector<double>& losses,
                                double eta, double rho, const std::vector<double>& restart) {
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] *= std::exp(-eta * losses[k]);
  weights = normalised(weights);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] = (1 - rho) * weights[k] + rho * restart[k];
  }
  return weights;
}

// Twice the mean pinball loss.
double score(const std::vector<double>& taus, const std::vector<double>& quantiles, double y) {
  double sum = 0;
  for (std::size_t i = 0; i < taus.size(); ++i) {
    sum += y >= quantiles[i] ? taus[i] * (y - quantiles[i]) : (1 - taus[i]) * (quantiles[i] - y);
  }
  return 2 * sum / static_cast<double>(taus.size());
}

std::vector<double> mean_of(const Forecasts& rows, const std::vector<double>& weights) {
  std::vector<double> out(rows[0].size(), 0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (weights[k] == 0) continue;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += weights[k] * rows[k][i];
  }
  return out;
}

double weight_of_pool(double tau) { return 1 - 4 * tau * (1 - tau); }

// The pool in the tails, the mean in the middle.
std::vector<double> with_tails(const std::vector<double>& taus, const std::vector<double>& mean,
                               const std::vector<double>& pool) {
  std::vector<double> out;
  for (std::size_t i = 0; i < taus.size(); ++i) {
    out.push_back((1 - weight_of_pool(taus[i])) * mean[i] + weight_of_pool(taus[i]) * pool[i]);
  }
  std::ranges::sort(out);
  return out;
}

// The least x at which the mixed distribution function is at the level; a number that somebody gave is
// there up to rounding.
std::vector<double> pool_of(const std::vector<double>& taus, const Forecasts& rows,
                            const std::vector<double>& weights) {
  std::vector<double> flat, points, out;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  std::ranges::copy_if(flat, std::back_inserter(points), [](double x) { return !std::isnan(x); });
  std::ranges::sort(points);
  for (const double tau : taus) {
    std::size_t j = 0;
    while (j + 1 < points.size() && pooled(taus, flat, weights, points[j]) < tau - 1e-12) ++j;
    double low = points[j == 0 ? 0 : j - 1], high = points[j];
    for (double middle = low + (high - low) / 2; low < middle && middle < high;
         middle = low + (high - low) / 2) {
      (pooled(taus, flat, weights, middle) >= tau ? high : low) = middle;
    }
    out.push_back(high);
  }
  return out;
}

}  // namespace

namespace {

// The first and the last level that an expert gives.
std::pair<std::size_t, std::size_t> ends_of(const std::vector<double>& row) {
  std::size_t first = 0, last = row.size() - 1;
  while (std::isnan(row[first])) ++first;
  while (std::isnan(row[last])) --last;
  return {first, last};
}

// What experts give, in order, with lines between it.
Forecasts in_order(std::span<const double> taus, const Forecasts& given, std::int64_t& crossed) {
  Forecasts out = given;
  for (std::size_t k = 0; k < given.size(); ++k) {
    std::vector<double> own;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < taus.size(); ++i) {
      if (std::isnan(given[k][i])) continue;
      places.push_back(i);
      own.push_back(given[k][i]);
    }
    if (!std::ranges::is_sorted(own)) ++crossed;
    std::ranges::sort(own);
    for (std::size_t n = 0; n < own.size(); ++n) out[k][places[n]] = own[n];
    for (std::size_t n = 0; n + 1 < own.size(); ++n) {
      const std::size_t from = places[n], to = places[n + 1];
      for (std::size_t i = from + 1; i < to; ++i) {
        out[k][i] =
            own[n] + (own[n + 1] - own[n]) * (taus[i] - taus[from]) / (taus[to] - taus[from]);
      }
    }
  }
  return out;
}

// With the steps of the others beyond what an expert gives.
Forecasts filled(Forecasts out) {
  const std::size_t count = out.empty() ? 0 : out[0].size();
  std::vector<double> steps;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    std::vector<double> given;
    for (const auto& row : out) {
      if (!std::isnan(row[i]) && !std::isnan(row[i + 1])) given.push_back(row[i + 1] - row[i]);
    }
    steps.push_back(given.empty() ? 0 : median_of(given));
  }
  for (auto& row : out) {
    if (says_nothing(row)) continue;
    const auto [first, last] = ends_of(row);
    for (std::size_t i = first; i-- > 0;) row[i] = row[i + 1] - steps[i];
    for (std::size_t i = last + 1; i < count; ++i) row[i] = row[i - 1] + steps[i - 1];
  }
  return out;
}

}  // namespace

Forecasts completed(std::span<const double> taus, const Forecasts& given, std::int64_t& crossed) {
  return filled(in_order(taus, given, crossed));
}

namespace {

double middle_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t n = numbers.size();
  return n % 2 == 1 ? numbers[n / 2] : numbers[n / 2 - 1] / 2 + numbers[n / 2] / 2;
}

std::size_t nearest(std::span<const double> taus, double tau) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < taus.size(); ++i) {
    if (std::abs(taus[i] - tau) < std::abs(taus[best] - tau)) best = i;
  }
  return best;
}

// [those that say something] of a number of each.
template <class Number>
std::vector<double> of_each(const Forecasts& rows, const Number& number) {
  std::vector<double> out;
  for (const auto& row : rows) {
    if (!says_nothing(row)) out.push_back(number(row));
  }
  return out;
}

double mean_of_numbers(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x / static_cast<double>(numbers.size());
  return sum;
}

}  // namespace

Bounds bounds_of(std::span<const double> taus, const Forecasts& complete, const Anchor& anchor) {
  const std::size_t count = taus.size();
  const std::size_t low = nearest(taus, 0.05), mid = nearest(taus, 0.5), high = nearest(taus, 0.95);
  Bounds out{{}, {}, -INFINITY, INFINITY, {}, {}};
  const auto heard = of_each(complete, [&](const auto& row) { return row[mid]; });
  const double half =
      std::max(middle_of(of_each(complete, [&](const auto& row) { return row[high] - row[mid]; })),
               middle_of(of_each(complete, [&](const auto& row) { return row[mid] - row[low]; })));
  for (std::size_t i = 0; i < count; ++i) {
    const double m = middle_of(of_each(complete, [&](const auto& row) { return row[i]; }));
    const double distance =
        middle_of(of_each(complete, [&](const auto& row) { return std::abs(row[i] - m); }));
    out.centre.push_back(m);
    out.reach.push_back(2 * std::max(half, distance));
  }
  if (heard.size() == 2 && anchor.there) {
    std::vector<std::vector<double>> two;
    for (const auto& row : complete) {
      if (!says_nothing(row)) two.push_back(row);
    }
    const auto off = [&](const auto& row) { return std::abs(row[mid] - anchor.middle); };
    const auto& nearer = off(two[1]) < off(two[0]) ? two[1] : two[0];
    out.centre = nearer;
    const double unit = std::max(
        {anchor.half_width, nearer[high] - nearer[mid], nearer[mid] - nearer[low], off(nearer)});
    out.reach.assign(count, 2 * unit);
  }
  if (anchor.there && anchor.distances.size() >= 3) {
    const double most = 20 * std::max(anchor.half_width, mean_of_numbers(anchor.distances));
    out.least = anchor.middle - most;
    out.most = anchor.middle + most;
  }
  for (std::size_t i = 0; i < count; ++i) {
    double lowest = INFINITY, highest = -INFINITY;
    for (std::size_t j = i; j < count; ++j) lowest = std::min(lowest, out.centre[j] - out.reach[j]);
    for (std::size_t j = 0; j <= i; ++j) highest = std::max(highest, out.centre[j] + out.reach[j]);
    out.lowest.push_back(std::clamp(lowest, out.least, out.most));
    out.highest.push_back(std::clamp(highest, out.least, out.most));
  }
  return out;
}

QuantilePanel::QuantilePanel(std::vector<double> taus, bool log1p, bool calibrate)
    : taus_(std::move(taus)), log1p_(log1p), calibrate_(calibrate), stretch_(taus_.size(), 0) {
  for (std::size_t i = 0; i < taus_.size(); ++i) {
    calibrate_ = calibrate_ && std::abs(taus_[i] + taus_[taus_.size() - 1 - i] - 1) < 1e-9;
  }
}

void QuantilePanel::add_series() {
  const std::vector<double> equal(numbers_.size(), 1 / static_cast<double>(numbers_.size()));
  series_.push_back({trust(), equal, {}, {}, {}, true});
}

// A newcomer takes its part from all in proportion, and what a leaver had returns.
void QuantilePanel::add_expert() {
  numbers_.push_back(next_number_++);
  far.push_back(0);
  const auto count = static_cast<double>(numbers_.size());
  for (Series& one : series_) {
    for (double& w : one.follower) w *= 1 - 1 / count;
    one.follower.push_back(1 / count);
  }
  for (auto& [number, round] : open_) round.experts.emplace_back(taus_.size(), NAN);
}

void QuantilePanel::remove_expert(std::size_t expert) {
  const auto at = static_cast<std::ptrdiff_t>(expert);
  numbers_.erase(numbers_.begin() + at);
  far.erase(far.begin() + at);
  for (Series& one : series_) {
    one.follower.erase(one.follower.begin() + at);
    one.follower = normalised(one.follower);
  }
  for (auto& [number, round] : open_) round.experts.erase(round.experts.begin() + at);
}

// Everything is summed again from what every outcome taught.
double QuantilePanel::ratio(const std::vector<Lesson>& lessons, std::size_t series,
                            int expert) const {
  double all = 10, all_reference = 10, recent = 0, recent_reference = 0, own = 0, own_reference = 0;
  for (const Lesson& lesson : lessons) {
    const double part = 1 / lesson.series_then;
    recent *= std::pow(0.8, part);
    recent_reference *= std::pow(0.8, part);
    const auto found = lesson.losses.find(expert);
    if (found == lesson.losses.end()) continue;
    all += part * found->second;
    all_reference += part * lesson.reference;
    recent += part * found->second;
    recent_reference += part * lesson.reference;
    if (lesson.series != series) continue;
    own += found->second;
    own_reference += lesson.reference;
  }
  const double of_all = all / all_reference;
  const double lately = (recent + 5 * of_all) / (recent_reference + 5);
  return (own + 50 * lately) / (own_reference + 50);
}

std::vector<double> QuantilePanel::ratio_weights(const std::vector<Lesson>& lessons,
                                                 std::size_t series,
                                                 const std::vector<bool>& awake) const {
  std::vector<double> out;
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    out.push_back(awake[k] ? std::pow(ratio(lessons, series, numbers_[k]), -7) : 0);
  }
  return normalised(out);
}

std::vector<double> QuantilePanel::trust() const {
  std::vector<double> sums(6, 5), out;
  double mean = 5;
  for (const auto& losses : trusted_) {
    for (std::size_t j = 0; j < 6; ++j) {
      sums[j] += losses[j];
      mean += losses[j] / 6;
    }
  }
  for (std::size_t j = 0; j < 6; ++j) {
    out.push_back((j < 4 ? 1 : 0.1) * std::pow(sums[j] / mean, -60));
  }
  return normalised(out);
}

std::vector<double> QuantilePanel::stretch() const {
  std::vector<double> out;
  for (const double x : stretch_) out.push_back(std::exp(x));
  return out;
}

std::vector<double> QuantilePanel::calibrated(std::vector<double> combined,
                                              bool any_below_zero) const {
  if (!calibrate_ || taus_.size() == 1) return combined;
  const std::size_t count = taus_.size();
  const double middle =
      count % 2 == 1 ? combined[count / 2] : (combined[count / 2 - 1] + combined[count / 2]) / 2;
  for (std::size_t i = 0; i < count; ++i) {
    combined[i] = middle + stretch()[i] * (combined[i] - middle);
  }
  std::ranges::sort(combined);
  for (double& x : combined) x = any_below_zero ? x : std::max(x, 0.0);
  return combined;
}

void QuantilePanel::learn_calibration(const std::vector<double>& published, double y) {
  const std::size_t last = taus_.size() - 1;
  for (std::size_t i = 0; i <= last && calibrate_; ++i) {
    if (2 * i == last) continue;  // the median is no pair
    const double low = published[std::min(i, last - i)], high = published[std::max(i, last - i)];
    const double alpha = 2 * std::min(taus_[i], 1 - taus_[i]);
    const double error = (y < low || y > high ? 1 : 0) - alpha;
    const double step =
        0.03 * std::clamp(alpha, 0.2, 0.5) / std::max(static_cast<double>(series_.size()), 10.0);
    stretch_[i] = std::clamp(stretch_[i] + step * error, -3.0, 3.0);
  }
}

void QuantilePanel::give_up_roots(Series& series) const {
  if (series.has_roots) series.root_units = series.units;
  series.has_roots = false;
}

std::int64_t QuantilePanel::open(std::size_t series, std::span<const double> quantiles) {
  const std::size_t experts = numbers_.size(), count = taus_.size();
  Forecasts given(experts);
  for (std::size_t k = 0; k < experts; ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      const double x = quantiles[k * count + i];
      given[k].push_back(log1p_ ? std::log1p(x) : x);
    }
  }
  const Forecasts ordered = in_order(taus_, given, crossed);
  bool any_below_zero = false;
  for (const auto& row : ordered) {
    for (const double x : row) any_below_zero = any_below_zero || x < 0;
  }
  Series& one = series_[series];
  Round round{series, filled(ordered), {}, {}, {}, {}, {}, one.anchor.there, one.anchor.middle};
  std::vector<bool> awake;
  for (const auto& row : round.experts) awake.push_back(!says_nothing(row));
  const auto heard = std::ranges::count(awake, true);
  if (heard == 0) {
    round.published.assign(count, NAN);
    open_.emplace(next_round_, round);
    return next_round_++;
  }
  const Bounds bounds = bounds_of(taus_, round.experts, one.anchor);
  Forecasts held = round.experts;
  for (std::size_t k = 0; k < experts; ++k) {
    bool is_far = false;
    for (std::size_t i = 0; i < count; ++i) {
      is_far = is_far || std::abs(held[k][i] - bounds.centre[i]) > 10 * bounds.reach[i];
      held[k][i] = std::clamp(held[k][i], bounds.lowest[i], bounds.highest[i]);
      if (held[k][i] < 0) give_up_roots(one);
    }
    far[k] += is_far;
  }
  const auto middle_at = [&](double tau) {
    return middle_of(of_each(held, [&](const auto& row) { return row[nearest(taus_, tau)]; }));
  };
  const double middle = middle_at(0.5);
  const double half = std::max(middle_at(0.95) - middle, middle - middle_at(0.05));
  one.anchor.there = true;
  one.anchor.middle = middle;
  if (half > 0) one.anchor.half_width = half;

  const auto own = ratio_weights(scores_, series, awake);
  const auto rooted = ratio_weights(roots_, series, awake);
  std::vector<double> equal;
  for (const bool here : awake) equal.push_back(here ? 1 / static_cast<double>(heard) : 0);
  Forecasts free = held;
  for (std::size_t k = 0; k < experts; ++k) {
    if (heard < 3 || !(rooted[k] > 0.5)) continue;
    for (std::size_t i = 0; i < count; ++i) {
      free[k][i] = std::clamp(round.experts[k][i], bounds.least, bounds.most);
    }
  }
  round.held = held;
  round.held.insert(round.held.end(), free.begin(), free.end());
  const auto root_pool = pool_of(taus_, free, rooted);
  std::vector<double> following = one.follower;
  for (std::size_t k = 0; k < experts; ++k) following[k] *= awake[k] ? 1 : 0;
  round.made = {pool_of(taus_, held, equal),
                pool_of(taus_, free, own),
                root_pool,
                with_tails(taus_, mean_of(free, rooted), root_pool),
                mean_of(free, equal),
                mean_of(free, normalised(following))};
  round.combined = mean_of(round.made, one.trust);
  round.calibrated = calibrated(round.combined, any_below_zero);
  round.published = round.calibrated;
  if (log1p_) {
    for (double& x : round.published) x = std::expm1(x);
  }
  open_.emplace(next_round_, round);
  return next_round_++;
}

void QuantilePanel::learn(std::int64_t number, double outcome) {
  const Round round = open_.at(number);
  open_.erase(number);
  if (round.combined.empty()) return;
  const double y = log1p_ ? std::log1p(outcome) : outcome;
  Series& one = series_[round.series];
  const auto series_now = static_cast<double>(series_.size());
  learn_calibration(round.calibrated, y);
  if (round.anchored) one.anchor.distances.push_back(std::abs(y - round.anchor));
  if (y < 0) give_up_roots(one);
  const auto teach = [&](bool roots, std::vector<double>& units, std::vector<Lesson>& lessons) {
    const auto score_of = [&](std::vector<double> row) {
      if (!roots) return score(taus_, row, y);
      for (double& x : row) x = std::pow(std::max(x, 0.0), 0.25);
      return score(taus_, row, std::pow(y, 0.25));
    };
    units.push_back(score_of(round.made[0]));
    const double unit = mean_of_numbers(units);
    if (unit == 0) return;
    Lesson lesson{round.series, series_now, {}, std::min(units.back() / unit, 5.0)};
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      if (says_nothing(round.experts[k])) continue;
      lesson.losses[numbers_[k]] = std::min(score_of(round.experts[k]) / unit, 5.0);
    }
    lessons.push_back(lesson);
    if (&lessons != &scores_) return;
    std::vector<double> losses;
    for (const auto& row : round.made) losses.push_back(std::min(score_of(row) / unit, 20.0));
    trusted_.push_back(losses);
    for (double& x : trusted_.back()) x /= series_now;
    one.trust = after_round(one.trust, losses, 1, 0.1, trust());
    std::vector<double> of_experts;
    for (const auto& row : round.experts) {
      of_experts.push_back(
          std::min(score_of(says_nothing(row) ? round.combined : row) / unit, 20.0));
    }
    if (of_experts.empty()) return;
    const std::vector<double> equal(of_experts.size(), 1 / static_cast<double>(of_experts.size()));
    one.follower = after_round(one.follower, of_experts, 1, 0.01, equal);
  };
  teach(false, one.units, scores_);
  teach(one.has_roots, one.root_units, roots_);
}

std::vector<double> QuantilePanel::weights(std::size_t series) const {
  const std::vector<bool> awake(numbers_.size(), true);
  const auto own = ratio_weights(scores_, series, awake);
  const auto rooted = ratio_weights(roots_, series, awake);
  const auto& trust = series_[series].trust;
  std::vector<double> out;
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    out.push_back((trust[0] + trust[4]) / static_cast<double>(numbers_.size()) + trust[1] * own[k] +
                  (trust[2] + trust[3]) * rooted[k] + trust[5] * series_[series].follower[k]);
  }
  return out;
}

}  // namespace pcgs::reference
