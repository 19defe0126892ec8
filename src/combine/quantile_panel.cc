#include "combine/quantile_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "combine/outliers.h"
#include "combine/quantile_levels.h"
#include "combine/quantile_pool.h"
#include "data/invariant.h"
#include "pcgs/error.h"

namespace pcgs {

using levels::kOperators;
using levels::kRates;
using levels::kVectors;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kEqual = kVectors - 1;  // the vector of equal weights

// Two halves: what all series say and what this one says.
double half_each(std::span<const double> all, std::span<const double> own, std::size_t i) {
  return 0.5 * all[i] + 0.5 * own[i];
}

}  // namespace

// ---- One round ----------------------------------------------------------------------------------

// The first of its levels that it gives: they are in order.
double QuantilePanel::Panel::least_given_by(const Round& round, std::size_t expert) const {
  std::size_t i = expert * levels.size();
  while (std::isnan(round.forecasts[i])) ++i;
  return round.forecasts[i];
}

void QuantilePanel::Panel::take_forecasts(Round& round, std::span<const double> quantiles) {
  round.forecasts.assign(quantiles.begin(), quantiles.end());
  if (options.scale == QuantileScale::kLog1p) {
    for (double& x : round.forecasts) x = std::log1p(x);
  }
  round.awake.resize(experts());
  crossed += static_cast<std::int64_t>(completion.put_in_order(round.forecasts, round.awake));
  // Before experts borrow shapes from each other.
  outliers += static_cast<std::int64_t>(leave_out_outliers(round.forecasts, round.awake, scratch));
  least_given = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < experts(); ++k) {
    if (round.awake[k]) least_given = std::min(least_given, least_given_by(round, k));
  }
  completion.fill(round.forecasts, round.awake);
  round.heard = false;
  for (std::size_t k = 0; k < experts(); ++k) {
    round.heard = round.heard || round.awake[k];
    if (round.awake[k]) continue;
    std::fill_n(round.forecasts.begin() + static_cast<std::ptrdiff_t>(k * levels.size()),
                levels.size(), kNaN);
  }
}

// The weight vectors over those awake, and what they give together.
void QuantilePanel::Panel::mix_vectors(const Round& round, std::span<double> into_vectors,
                                       std::span<double> into_mixed) const {
  const levels::Scope& of_series = own[round.series];
  std::ranges::fill(into_mixed, 0.0);
  for (std::size_t j = 0; j < kVectors; ++j) {
    const auto vector = into_vectors.subspan(j * experts(), experts());
    const auto weights = j < kRates.size() ? all.weights(j)
                         : j < kEqual      ? of_series.weights(j - kRates.size())
                                           : std::span<const double>();
    double total = 0;
    for (std::size_t k = 0; k < experts(); ++k) {
      vector[k] = !round.awake[k] ? 0 : weights.empty() ? 1 : weights[k];
      total += vector[k];
    }
    const double trust = half_each(all.vectors(), of_series.vectors(), j);
    for (std::size_t k = 0; k < experts(); ++k) {
      vector[k] /= total;
      into_mixed[k] += trust * vector[k];
    }
  }
}

void QuantilePanel::Panel::combine(Round& round) {
  const std::size_t count = levels.size();
  const auto row = [&](std::vector<double>& rows, std::size_t i) {
    return std::span<double>(rows.data() + i * count, count);
  };
  make_room(round);
  mix_vectors(round, vectors, mixed);
  for (std::size_t j = 0; j < kVectors; ++j) {
    levels::quantile_mean(round.forecasts, {vectors.data() + j * experts(), experts()},
                          row(round.of_vectors, j));
  }
  const std::span<const double> equal(vectors.data() + kEqual * experts(), experts());
  const auto mean = row(round.made, levels::kMean);
  levels::quantile_mean(round.forecasts, mixed, mean);
  pool.arrange(round.forecasts);
  pool.linear(mixed, row(round.made, levels::kTails));
  pool.linear(equal, row(round.made, levels::kEqualTails));
  for (const levels::Operator i : {levels::kTails, levels::kEqualTails}) {
    levels::put_into_middle(levels, mean, row(round.made, i));
  }

  std::array<double, kOperators> trust{};
  for (std::size_t i = 0; i < kOperators; ++i) {
    trust[i] = half_each(all.operators(), own[round.series].operators(), i);
  }
  levels::quantile_mean(round.made, trust, round.combined);
  calibrate(round);
  publish(round);
}

// Nobody said that it may be below 0, so no stretching says it.
void QuantilePanel::Panel::calibrate(Round& round) const {
  round.calibrated = round.combined;
  if (!calibration.is_on()) return;
  calibration.stretch(round.calibrated);
  if (least_given < 0) return;
  for (double& x : round.calibrated) x = std::max(x, 0.0);
}

void QuantilePanel::Panel::publish(Round& round) const {
  round.published = round.calibrated;
  if (options.scale != QuantileScale::kLog1p) return;
  // Where the exponential rounds to its limits, what can be given is published.
  const double least = std::nextafter(-1.0, 0.0), most = std::numeric_limits<double>::max();
  for (double& x : round.published) x = std::clamp(std::expm1(x), least, most);
}

void QuantilePanel::Panel::learn_from(Round& round, double outcome) {
  const double y = options.scale == QuantileScale::kLog1p ? std::log1p(outcome) : outcome;
  calibration.learn(round.calibrated, y, series.size());
  learn_weights(round, y);
}

void QuantilePanel::Panel::learn_weights(Round& round, double y) {
  const std::size_t count = levels.size();
  const auto score = [&](const std::vector<double>& rows, std::size_t i) {
    return std::min(levels::level_score(levels, {rows.data() + i * count, count}, y),
                    std::numeric_limits<double>::max());
  };
  const auto divide = [](std::span<double> out, double unit) {
    for (double& x : out) x = in_units(x, unit, kLargestScore);
  };

  scores.clear();
  for (std::size_t k = 0; k < experts(); ++k) {
    if (round.awake[k]) scores.push_back(score(round.forecasts, k));
  }
  const double unit = levels::unit_of(scores, scratch);
  if (unit == 0) return;  // everybody was right
  const auto uncapped_units = [&](double x) {
    return std::min(x / unit, std::numeric_limits<double>::max());
  };
  const double of_sleepers = score(round.combined, 0);
  losses.clear();
  uncapped.clear();
  for (std::size_t k = 0, heard = 0; k < experts(); ++k) {
    const double one = round.awake[k] ? scores[heard++] : of_sleepers;
    losses.push_back(in_units(one, unit, kLargestScore));
    if (!proofs.empty()) uncapped.push_back(uncapped_units(one));
  }
  std::array<double, kVectors> of_vectors{};
  for (std::size_t j = 0; j < kVectors; ++j) of_vectors[j] = score(round.of_vectors, j);
  std::array<double, kOperators> of_operators{};
  for (std::size_t i = 0; i < kOperators; ++i) of_operators[i] = score(round.made, i);
  divide(of_vectors, levels::unit_of(of_vectors, scratch));
  levels::Scope::Losses all_losses{losses, of_vectors, {}};
  if (const double of_round = levels::unit_of(of_operators, scratch); of_round > 0) {
    units[round.series].add(of_round);
    divide(of_operators, units[round.series].mean());
    all_losses.operators = of_operators;
  }
  all.learn(all_losses, 1 / static_cast<double>(series.size()));
  if (proofs.empty()) return own[round.series].learn(all_losses, 1);
  const levels::Scope::Proof proof{proofs[round.series],
                                   {uncapped, losses, uncapped_units(score(round.calibrated, 0))}};
  own[round.series].learn(all_losses, 1, &proof);
}

// ---- Rounds that are open -----------------------------------------------------------------------

std::size_t QuantilePanel::Panel::index_of(std::int64_t round) const {
  const auto at =
      std::ranges::lower_bound(open, round, {}, [](const auto& one) { return one->number; });
  if (at == open.end() || (*at)->number != round) {
    throw Error(ErrorKind::kCall, {.field = "round"},
                fmt::format("round {} is not open; rounds are opened by open()", round));
  }
  return static_cast<std::size_t>(at - open.begin());
}

QuantilePanel::Panel::Round& QuantilePanel::Panel::new_round() {
  if (free.empty()) {
    free.push_back(std::make_unique<Round>());
    free.reserve(open.size() + 1);  // for when all of them close
  }
  return *free.back();
}

void QuantilePanel::Panel::make_room(Round& round) const {
  round.of_vectors.resize(kVectors * levels.size());
  round.made.resize(kOperators * levels.size());
  round.combined.resize(levels.size());
  round.calibrated.resize(levels.size());
  round.published.resize(levels.size());
}

void QuantilePanel::Panel::drop(std::size_t index) {
  free.push_back(std::move(open[index]));
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(index));
}

void QuantilePanel::Panel::resize_for_experts() {
  pool = levels::Pool(levels, experts());
  vectors.resize(kVectors * experts());
  mixed.resize(experts());
  for (auto* room_for : {&scores, &losses, &scratch}) {
    room_for->reserve(std::max(experts(), kVectors));
  }
  uncapped.reserve(experts());
}

QuantilePanel::Panel::Panel(QuantileOptions given)
    : options(std::move(given)),
      levels(options.levels),
      calibration(options.calibrate ? levels::Calibration(levels) : levels::Calibration()),
      nothing(levels.size(), kNaN),
      completion(levels),
      pool(levels, 0) {}

// ---- The user's object --------------------------------------------------------------------------

QuantilePanel::QuantilePanel(QuantileOptions options)
    : panel_(std::make_unique<Panel>(std::move(options))) {}
QuantilePanel::QuantilePanel(std::unique_ptr<Panel> panel) : panel_(std::move(panel)) {}
QuantilePanel::~QuantilePanel() = default;
QuantilePanel::QuantilePanel(QuantilePanel&&) noexcept = default;
QuantilePanel& QuantilePanel::operator=(QuantilePanel&&) noexcept = default;

const QuantileOptions& QuantilePanel::options() const { return panel_->options; }
std::span<const std::string> QuantilePanel::experts() const { return panel_->names; }
std::span<const std::string> QuantilePanel::series() const { return panel_->series; }
std::int64_t QuantilePanel::rounds() const { return panel_->learned; }
std::int64_t QuantilePanel::crossed() const { return panel_->crossed; }
std::int64_t QuantilePanel::outliers() const { return panel_->outliers; }
const std::string& QuantilePanel::note() const { return panel_->note; }
void QuantilePanel::set_note(std::string note) { panel_->note = std::move(note); }

std::size_t QuantilePanel::add_expert(std::string_view name) {
  Panel& p = *panel_;
  if (std::ranges::find(p.names, name) != p.names.end()) {
    throw Error(ErrorKind::kDuplicate, {.field = "experts"},
                fmt::format("there is an expert {} already; give each a name of its own", name));
  }
  auto proofs = p.proofs;  // what may be refused comes before anything is changed
  for (auto& one : proofs) one.add_expert();
  p.proofs = std::move(proofs);
  p.names.emplace_back(name);
  p.all.add_expert();
  for (auto& one : p.own) one.add_expert();
  for (auto& round : p.open) {
    round->awake.push_back(0);
    if (round->heard) round->forecasts.resize(p.experts() * p.levels.size(), kNaN);
  }
  p.resize_for_experts();
  return p.experts() - 1;
}

void QuantilePanel::remove_expert(std::string_view name) {
  Panel& p = *panel_;
  const auto at = std::ranges::find(p.names, name);
  if (at == p.names.end())
    throw Error(ErrorKind::kUnknown, {.field = "experts"},
                fmt::format("there is no expert {}; there are {}", name, fmt::join(p.names, ", ")));
  const auto expert = at - p.names.begin();
  const auto index = static_cast<std::size_t>(expert);
  auto proofs = p.proofs;
  for (auto& one : proofs) one.remove_expert(index);
  p.proofs = std::move(proofs);
  p.names.erase(at);
  p.all.remove_expert(index);
  for (auto& one : p.own) one.remove_expert(index);
  const auto count = static_cast<std::ptrdiff_t>(p.levels.size());
  for (auto& round : p.open) {
    round->awake.erase(round->awake.begin() + expert);
    if (!round->heard) continue;
    const auto row = round->forecasts.begin() + expert * count;
    round->forecasts.erase(row, row + count);
  }
  p.resize_for_experts();
}

std::size_t QuantilePanel::add_series(std::string_view name) {
  Panel& p = *panel_;
  if (std::ranges::find(p.series, name) != p.series.end()) {
    throw Error(ErrorKind::kDuplicate, {.field = "series"},
                fmt::format("there is a series {} already; give each a name of its own", name));
  }
  p.series.emplace_back(name);
  p.units.emplace_back();
  auto& scope = p.own.emplace_back();
  for (std::size_t k = 0; k < p.experts(); ++k) scope.add_expert();
  if (p.options.certify) {
    auto& proof = p.proofs.emplace_back(kRates.size());
    for (std::size_t k = 0; k < p.experts(); ++k) proof.add_expert();
  }
  return p.series.size() - 1;
}

std::int64_t QuantilePanel::open(std::size_t series, std::span<const double> quantiles) {
  Panel& p = *panel_;
  invariant(series < p.series.size(), "a round belongs to a series of the panel");
  invariant(quantiles.size() == p.experts() * p.levels.size(), "a quantile for each level of each");
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    if (std::isinf(quantiles[i]) ||
        (p.options.scale == QuantileScale::kLog1p && quantiles[i] <= -1)) {
      throw Error(
          ErrorKind::kValue, {.field = "forecasts"},
          fmt::format("the quantile {:g} of {} is {}; give {}, or NaN for none",
                      p.levels[i % p.levels.size()], p.names[i / p.levels.size()], quantiles[i],
                      p.options.scale == QuantileScale::kLog1p ? "finite numbers above -1"
                                                               : "finite numbers"));
    }
  }
  Panel::Round& round = p.new_round();
  round.number = p.next_round;
  round.series = series;
  p.take_forecasts(round, quantiles);
  if (round.heard) p.combine(round);
  p.open.push_back(std::move(p.free.back()));
  p.free.pop_back();
  return p.next_round++;
}

std::span<const double> QuantilePanel::forecast(std::int64_t round) const {
  const Panel::Round& one = *panel_->open[panel_->index_of(round)];
  return one.heard ? one.published : panel_->nothing;
}

void QuantilePanel::learn(std::int64_t round, double outcome) {
  Panel& p = *panel_;
  const std::size_t index = p.index_of(round);
  if (!std::isfinite(outcome) || (p.options.scale == QuantileScale::kLog1p && outcome <= -1)) {
    throw Error(ErrorKind::kValue, {.field = "outcome"},
                fmt::format("the outcome of round {} is {}; give a {}", round, outcome,
                            p.options.scale == QuantileScale::kLog1p ? "finite number above -1"
                                                                     : "finite number"));
  }
  if (p.open[index]->heard) p.learn_from(*p.open[index], outcome);
  ++p.learned;
  p.drop(index);
}

void QuantilePanel::abandon(std::int64_t round) { panel_->drop(panel_->index_of(round)); }

ScoreClaims QuantilePanel::certificate(std::size_t series) const {
  invariant(series < panel_->series.size(), "a certificate is of a series of the panel");
  if (!panel_->options.certify) {
    throw Error(ErrorKind::kCall, {.field = "certify"},
                fmt::format("this panel proves nothing; make it with {}", option_on("certify")));
  }
  const levels::ScoreCertificate& proof = panel_->proofs[series];
  return {proof.rounds(), proof.against_path(), proof.against_expert()};
}

std::vector<std::int64_t> QuantilePanel::open_rounds() const {
  std::vector<std::int64_t> numbers;
  for (const auto& round : panel_->open) numbers.push_back(round->number);
  return numbers;
}

std::size_t QuantilePanel::series_of(std::int64_t round) const {
  return panel_->open[panel_->index_of(round)]->series;
}

std::vector<double> QuantilePanel::weights(std::size_t series) const {
  invariant(series < panel_->series.size(), "a series of the panel");
  Panel::Round everybody;
  everybody.series = series;
  everybody.awake.assign(panel_->experts(), 1);
  const std::size_t experts = panel_->experts();
  if (experts == 0) return {};
  std::vector<double> vectors(kVectors * experts), weights(experts);
  panel_->mix_vectors(everybody, vectors, weights);
  // One of the operators takes equal weights in the tails, and the mixed ones for the rest.
  const double equal =
      levels::mean_weight_of_pool(panel_->levels) *
      half_each(panel_->all.operators(), panel_->own[series].operators(), levels::kEqualTails);
  double total = 0;  // 1 but for rounding
  for (double& w : weights) total += w = (1 - equal) * w + equal / static_cast<double>(experts);
  for (double& w : weights) w /= total;
  return weights;
}

}  // namespace pcgs
