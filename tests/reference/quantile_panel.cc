#include "reference/quantile_panel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/levels.h"

namespace pcgs::reference {

namespace {

constexpr double kRates[] = {0.1, 0.3, 1, 3};
constexpr double kRestart = 0.01, kVectorRate = 1, kOperatorRate = 0.3;
constexpr double kLargestLoss = 20, kWildest = 50;
const std::vector<double> kFirstTrust = {0.1, 0.45, 0.45};

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

std::vector<double> with_newcomer(std::vector<double> weights) {
  const auto before = static_cast<double>(weights.size());
  for (double& w : weights) w *= 1 - 1 / (before + 1);
  weights.push_back(1 / (before + 1));
  return weights;
}

std::vector<double> without(std::vector<double> weights, std::size_t expert) {
  weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(expert));
  return normalised(weights);
}

// Twice the mean pinball loss.
double score(const std::vector<double>& taus, const std::vector<double>& quantiles, double y) {
  double sum = 0;
  for (std::size_t i = 0; i < taus.size(); ++i) {
    sum += y >= quantiles[i] ? taus[i] * (y - quantiles[i]) : (1 - taus[i]) * (quantiles[i] - y);
  }
  return 2 * sum / static_cast<double>(taus.size());
}

double unit_of(const std::vector<double>& scores) {
  const double median = median_of(scores);
  if (median > 0) return median;
  double sum = 0;
  for (const double s : scores) sum += s;
  return sum / static_cast<double>(scores.size());
}

// Equal losses teach nothing, whichever they are: 0 where there is no unit.
std::vector<double> in_units(std::vector<double> scores, double unit) {
  for (double& s : scores) s = unit > 0 ? std::min(s / unit, kLargestLoss) : 0;
  return scores;
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

// The least x at which the mixed distribution function is at the level, up to rounding.
std::vector<double> pool_of(const std::vector<double>& taus, const Forecasts& rows,
                            const std::vector<double>& weights) {
  std::vector<double> flat, out;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  for (const double tau : taus) {
    const auto reaches = [&](double x) { return pooled(taus, flat, weights, x) >= tau - 1e-12; };
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double x : flat) {
      if (std::isnan(x)) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (reaches(low)) high = low;
    for (double middle = low + (high - low) / 2; low < middle && middle < high;
         middle = low + (high - low) / 2) {
      (reaches(middle) ? high : low) = middle;
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

// With the shape of the others beyond what an expert gives.
Forecasts filled(Forecasts out) {
  const std::size_t count = out.empty() ? 0 : out[0].size();
  std::vector<double> mean(count);
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0, giving = 0;
    for (const auto& row : out) {
      if (std::isnan(row[i])) continue;
      sum += row[i];
      giving += 1;
    }
    mean[i] = sum / giving;  // NaN if nobody gives it
  }
  std::vector<double> shape = mean;
  const std::size_t middle = count / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const auto take = [&](std::size_t j) {
      if (std::isnan(shape[i])) shape[i] = mean[j];
    };
    for (std::size_t j = i; j <= middle; ++j) take(j);
    for (std::size_t j = i + 1; j-- > 0;) take(j);
    for (std::size_t j = i; j < count; ++j) take(j);
  }
  for (std::size_t i = 1; i < count; ++i) shape[i] = std::max(shape[i], shape[i - 1]);

  for (auto& row : out) {
    if (says_nothing(row)) continue;
    const auto [first, last] = ends_of(row);
    for (std::size_t i = 0; i < first; ++i) row[i] = row[first] - (shape[first] - shape[i]);
    for (std::size_t i = last + 1; i < count; ++i) row[i] = row[last] + (shape[i] - shape[last]);
  }
  return out;
}

}  // namespace

Forecasts completed(std::span<const double> taus, const Forecasts& given, std::int64_t& crossed) {
  return filled(in_order(taus, given, crossed));
}

std::vector<bool> wild_ones(const Forecasts& rows) {
  const std::vector<bool> nobody(rows.size(), false);
  std::vector<double> middles, widths = {}, distances;
  for (const auto& row : rows) {
    if (says_nothing(row)) continue;
    const auto [first, last] = ends_of(row);
    middles.push_back(row[std::clamp(row.size() / 2, first, last)]);
    if (first < last || row.size() == 1) widths.push_back(row[last] - row[first]);
  }
  if (middles.size() < 3) return nobody;
  const double centre = median_of(middles);
  for (const double x : middles) distances.push_back(std::abs(x - centre));
  const double usual = std::max(median_of(distances), widths.empty() ? 0 : median_of(widths));
  if (usual == 0) return nobody;
  std::vector<bool> wild = nobody;
  std::size_t count = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (says_nothing(rows[k])) continue;
    const auto [first, last] = ends_of(rows[k]);
    wild[k] =
        rows[k][last] - centre > kWildest * usual || centre - rows[k][first] > kWildest * usual;
    count += wild[k];
  }
  return 2 * count < middles.size() ? wild : nobody;
}

QuantilePanel::QuantilePanel(std::vector<double> taus, bool log1p, bool calibrate)
    : taus_(std::move(taus)),
      log1p_(log1p),
      calibrate_(calibrate),
      all_(new_scope()),
      slow_(taus_.size(), 0),
      quick_(taus_.size(), 0) {
  for (std::size_t i = 0; i < taus_.size(); ++i) {
    calibrate_ = calibrate_ && std::abs(taus_[i] + taus_[taus_.size() - 1 - i] - 1) < 1e-9;
  }
}

QuantilePanel::Scope QuantilePanel::new_scope() const {
  const std::vector<double> equal(experts_, 1 / static_cast<double>(experts_));
  return {std::vector(4, equal), std::vector<double>(9, 1.0 / 9), kFirstTrust};
}

void QuantilePanel::add_series() {
  own_.push_back(new_scope());
  operator_units_.emplace_back();
}

void QuantilePanel::add_expert() {
  for (auto& weights : all_.experts) weights = with_newcomer(weights);
  for (auto& scope : own_) {
    for (auto& weights : scope.experts) weights = with_newcomer(weights);
  }
  for (auto& [number, round] : open_) round.experts.emplace_back(taus_.size(), NAN);
  ++experts_;
}

void QuantilePanel::remove_expert(std::size_t expert) {
  for (auto& weights : all_.experts) weights = without(weights, expert);
  for (auto& scope : own_) {
    for (auto& weights : scope.experts) weights = without(weights, expert);
  }
  for (auto& [number, round] : open_) {
    round.experts.erase(round.experts.begin() + static_cast<std::ptrdiff_t>(expert));
  }
  --experts_;
}

std::vector<std::vector<double>> QuantilePanel::vectors_over(std::size_t series,
                                                             const std::vector<bool>& awake) const {
  std::vector<std::vector<double>> vectors = all_.experts;
  vectors.insert(vectors.end(), own_[series].experts.begin(), own_[series].experts.end());
  vectors.emplace_back(experts_, 1.0);
  for (auto& vector : vectors) {
    for (std::size_t k = 0; k < experts_; ++k) vector[k] *= awake[k] ? 1 : 0;
    vector = normalised(vector);
  }
  return vectors;
}

std::vector<double> QuantilePanel::mixed(std::size_t series,
                                         const std::vector<std::vector<double>>& vectors) const {
  std::vector<double> out(experts_, 0);
  for (std::size_t j = 0; j < vectors.size(); ++j) {
    const double trust = (all_.vectors[j] + own_[series].vectors[j]) / 2;
    for (std::size_t k = 0; k < experts_; ++k) out[k] += trust * vectors[j][k];
  }
  return out;
}

std::vector<double> QuantilePanel::operator_weights(std::size_t series) const {
  std::vector<double> out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.push_back((all_.operators[i] + own_[series].operators[i]) / 2);
  }
  return out;
}

std::vector<double> QuantilePanel::stretch() const {
  std::vector<double> out(taus_.size(), 1);
  for (std::size_t i = 0; i < taus_.size(); ++i) {
    out[i] = std::exp(std::clamp(slow_[i] + quick_[i], -3.0, 3.0));
  }
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
        std::clamp(alpha, 0.2, 0.5) / std::max(static_cast<double>(own_.size()), 10.0);
    quick_[i] += step * (error - 0.2 * quick_[i]);
    slow_[i] = std::clamp(slow_[i] + 0.1 * step * error, -3.0, 3.0);
  }
}

std::int64_t QuantilePanel::open(std::size_t series, std::span<const double> quantiles) {
  Forecasts given(experts_);
  for (std::size_t k = 0; k < experts_; ++k) {
    for (std::size_t i = 0; i < taus_.size(); ++i) {
      const double x = quantiles[k * taus_.size() + i];
      given[k].push_back(log1p_ ? std::log1p(x) : x);
    }
  }
  Forecasts ordered = in_order(taus_, given, crossed);
  const auto out_of_range = wild_ones(ordered);
  for (std::size_t k = 0; k < experts_; ++k) {
    if (!out_of_range[k]) continue;
    ordered[k].assign(taus_.size(), NAN);
    ++wild;
  }
  bool any_below_zero = false;
  for (const auto& row : ordered) {
    for (const double x : row) any_below_zero = any_below_zero || x < 0;
  }
  Round round{series, filled(ordered), {}, {}, {}, {}, {}};
  std::vector<bool> awake;
  for (const auto& row : round.experts) awake.push_back(!says_nothing(row));
  if (std::ranges::find(awake, true) == awake.end()) {
    round.published.assign(taus_.size(), NAN);
  } else {
    const auto vectors = vectors_over(series, awake);
    const auto weights = mixed(series, vectors);
    for (const auto& vector : vectors) round.of_vectors.push_back(mean_of(round.experts, vector));
    const auto mean = mean_of(round.experts, weights);
    round.of_operators = {mean, with_tails(taus_, mean, pool_of(taus_, round.experts, weights)),
                          with_tails(taus_, mean, pool_of(taus_, round.experts, vectors.back()))};
    round.combined = mean_of(round.of_operators, operator_weights(series));
    round.calibrated = calibrated(round.combined, any_below_zero);
    round.published = round.calibrated;
    if (log1p_) {
      for (double& x : round.published) x = std::expm1(x);
    }
  }
  open_.emplace(next_round_, round);
  return next_round_++;
}

void QuantilePanel::learn(std::int64_t number, double outcome) {
  const Round round = open_.at(number);
  open_.erase(number);
  const double y = log1p_ ? std::log1p(outcome) : outcome;
  const auto scores_of = [&](const Forecasts& rows) {
    std::vector<double> out;
    for (const auto& row : rows) {
      if (!says_nothing(row)) out.push_back(score(taus_, row, y));
    }
    return out;
  };
  const auto scores = scores_of(round.experts);
  if (round.combined.empty()) return;
  learn_calibration(round.calibrated, y);
  if (scores.empty()) return;
  const double unit = unit_of(scores);
  if (unit == 0) return;
  std::vector<double> losses;
  for (const auto& row : round.experts) {
    losses.push_back(score(taus_, says_nothing(row) ? round.combined : row, y));
  }
  losses = in_units(losses, unit);
  auto of_vectors = scores_of(round.of_vectors), of_operators = scores_of(round.of_operators);
  of_vectors = in_units(of_vectors, unit_of(of_vectors));
  auto& units = operator_units_[round.series];
  const bool operators_differ = unit_of(of_operators) > 0;
  if (operators_differ) {
    units.push_back(unit_of(of_operators));
    double sum = 0;
    for (const double one : units) sum += one;
    of_operators = in_units(of_operators, sum / static_cast<double>(units.size()));
  }
  const auto equal = [](std::size_t n) {
    return std::vector<double>(n, 1 / static_cast<double>(n));
  };

  const auto learn_in = [&](Scope& scope, double part) {
    for (std::size_t rate = 0; rate < 4; ++rate) {
      scope.experts[rate] = after_round(scope.experts[rate], losses, part * kRates[rate],
                                        part * kRestart, equal(experts_));
    }
    scope.vectors =
        after_round(scope.vectors, of_vectors, part * kVectorRate, part * kRestart, equal(9));
    if (!operators_differ) return;
    scope.operators = after_round(scope.operators, of_operators, part * kOperatorRate,
                                  part * kRestart, kFirstTrust);
  };
  learn_in(all_, 1 / static_cast<double>(own_.size()));
  learn_in(own_[round.series], 1);
}

std::vector<double> QuantilePanel::weights(std::size_t series) const {
  const auto vectors = vectors_over(series, std::vector<bool>(experts_, true));
  auto out = mixed(series, vectors);
  double equal = 0;
  for (const double tau : taus_) {
    equal += operator_weights(series)[2] * weight_of_pool(tau) / static_cast<double>(taus_.size());
  }
  for (double& w : out) w = (1 - equal) * w + equal / static_cast<double>(experts_);
  return out;
}

}  // namespace pcgs::reference
