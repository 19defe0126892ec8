#include "combine/quantile_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "combine/outliers.h"
#include "combine/quantile_kernels.h"
#include "data/invariant.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// The recursion in candidates: it restarts where all series put their trust.
constexpr double kTrustRate = 1, kTrustRestart = 0.1;
// What the candidates are trusted at first: those that are far better in some series, and no better in
// most, must earn it.
constexpr double kFirstTrust[] = {1, 1, 1, 1, 0.1, 0.1};
constexpr double kFollowerRate = 1, kFollowerRestart = 0.01;

std::span<double> row_of(std::vector<double>& rows, std::size_t i, std::size_t count) {
  return {rows.data() + i * count, count};
}

}  // namespace

// ---- One round ----------------------------------------------------------------------------------

void QuantilePanel::Panel::take_forecasts(Round& round, std::span<const double> quantiles) {
  const std::size_t count = levels.size();
  round.forecasts.assign(quantiles.begin(), quantiles.end());
  if (options.scale == QuantileScale::kLog1p) {
    for (double& x : round.forecasts) x = std::log1p(x);
  }
  round.awake.resize(experts());
  crossed += static_cast<std::int64_t>(completion.put_in_order(round.forecasts, round.awake));
  least_given = std::numeric_limits<double>::infinity();
  for (const double x : round.forecasts) {
    if (x < least_given) least_given = x;  // before experts borrow shapes from each other
  }
  completion.fill(round.forecasts, round.awake);
  round.heard = std::ranges::count(round.awake, std::uint8_t{1}) > 0;
  for (std::size_t k = 0; k < experts(); ++k) {
    if (!round.awake[k]) std::ranges::fill(row_of(round.forecasts, k, count), kNaN);
  }
}

void QuantilePanel::Panel::combine(Round& round) {
  const std::size_t count = levels.size();
  make_room(round);
  Series& one = series[round.series];
  const auto heard = std::ranges::count(round.awake, std::uint8_t{1});
  for (std::size_t k = 0; k < experts(); ++k) {
    equal[k] = round.awake[k] ? 1 / static_cast<double>(heard) : 0;
  }
  scores.weights(one.scores, round.awake, own);
  roots.weights(one.roots, round.awake, rooted);
  one.follower.weights_of(round.awake, following);

  round.anchor.reset();
  if (one.anchor.is_there()) round.anchor = one.anchor.middle();
  clipping.clip(round.forecasts, round.awake, one.anchor, clipped);
  if (one.has_roots && std::ranges::any_of(clipped, [](double x) { return x < 0; })) {
    one.give_up_roots();
  }
  for (std::size_t k = 0; k < experts(); ++k) {
    if (round.awake[k]) far[k] += clipping.is_far(row_of(round.forecasts, k, count)) ? 1 : 0;
  }
  using Mixture = levels::Pool::Mixture;
  const Mixture of_equal = {equal, row_of(round.made, kEqualPool, count)},
                of_own = {own, row_of(round.made, kPool, count)},
                of_rooted = {rooted, row_of(round.made, kRootPool, count)};
  pool.arrange(clipped);
  // Of three or more, one that has earned more than half of the weight is right where others are not.
  const auto first = std::ranges::max_element(rooted);
  if (heard > 2 && *first > 0.5) {
    pool.linear(std::array{of_equal});
    const auto k = static_cast<std::size_t>(first - rooted.begin());
    clipping.release(row_of(round.forecasts, k, count), row_of(clipped, k, count));
    pool.arrange(clipped);
    pool.linear(std::array{of_own, of_rooted});
  } else {
    pool.linear(std::array{of_equal, of_own, of_rooted});
  }
  const auto tails = row_of(round.made, kTails, count);
  std::ranges::copy(of_rooted.out, tails.begin());
  levels::quantile_mean(clipped, rooted, mean);
  levels::put_into_middle(levels, mean, tails);
  levels::quantile_mean(clipped, equal, row_of(round.made, kEqualMean, count));
  levels::quantile_mean(clipped, following, row_of(round.made, kFollower, count));
  levels::quantile_mean(round.made, one.trust.weights(), round.combined);
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
  Series& one = series[round.series];
  calibration.learn(round.calibrated, y, series.size());
  if (round.anchor) one.anchor.learn(y, *round.anchor);
  if (y < 0 && one.has_roots) one.give_up_roots();
  const auto score = [&](std::span<const double> row) {
    return std::min(levels::level_score(levels, row, y), std::numeric_limits<double>::max());
  };
  const std::size_t count = levels.size();
  // What experts gave is scored as they gave it, however it was combined.
  for (std::size_t k = 0; k < experts(); ++k) {
    losses[k] = round.awake[k] ? score(row_of(round.forecasts, k, count)) : kNaN;
  }
  std::array<double, kCandidates> made{};
  for (std::size_t j = 0; j < kCandidates; ++j) made[j] = score(row_of(round.made, j, count));
  const double of_equal_pool = made[kEqualPool];
  scores.learn(one.scores, losses, of_equal_pool, series.size());
  if (const double unit = one.scores.unit.mean(); unit > 0) {
    for (double& x : made) x = in_units(x, unit, kLargestScore);
    trust.learn(made, series.size());
    one.trust.step(made, {kTrustRate, kTrustRestart, trust.weights()});
    const double of_missing = score(round.combined);
    for (std::size_t k = 0; k < experts(); ++k) {
      following[k] = in_units(round.awake[k] ? losses[k] : of_missing, unit, kLargestScore);
    }
    if (experts() > 0) one.follower.learn(following);
  }
  if (one.proof) one.proof->learn(losses, score(round.combined), score(round.calibrated));
  if (one.has_roots) {
    const double root = std::sqrt(std::sqrt(y));
    const auto root_score = [&](std::span<const double> row) {
      return levels::level_score(levels, row, root);
    };
    levels::fourth_roots(round.forecasts, clipped);
    for (std::size_t k = 0; k < experts(); ++k) {
      if (round.awake[k]) losses[k] = root_score(row_of(clipped, k, count));
    }
    levels::fourth_roots(row_of(round.made, kEqualPool, count), mean);
    roots.learn(one.roots, losses, root_score(mean), series.size());
  } else {
    roots.learn(one.roots, losses, of_equal_pool, series.size());
  }
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
  round.made.resize(kCandidates * levels.size());
  round.combined.resize(levels.size());
  round.calibrated.resize(levels.size());
  round.published.resize(levels.size());
}

void QuantilePanel::Panel::drop(std::size_t index) {
  free.push_back(std::move(open[index]));
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(index));
}

void QuantilePanel::Panel::resize_for_experts() {
  clipping = levels::Clipping(levels, experts());
  pool = levels::Pool(levels, experts());
  clipped.resize(experts() * levels.size());
  for (auto* of_experts : {&equal, &own, &rooted, &following, &losses})
    of_experts->resize(experts());
}

QuantilePanel::Panel::Series::Series(std::span<const double> trusted, std::size_t experts,
                                     bool certify)
    : follower(kFollowerRate, kFollowerRestart), trust(kCandidates, trusted) {
  for (std::size_t k = 0; k < experts; ++k) {
    scores.sums.add_candidate();
    roots.sums.add_candidate();
    follower.add();
  }
  if (certify) proof.emplace(experts);
}

void QuantilePanel::Panel::Series::give_up_roots() {
  has_roots = false;
  roots.unit = scores.unit;
}

QuantilePanel::Panel::Panel(QuantileOptions given)
    : options(std::move(given)),
      levels(options.levels),
      trust(kFirstTrust),
      calibration(options.calibrate ? levels::Calibration(levels) : levels::Calibration()),
      nothing(levels.size(), kNaN),
      completion(levels),
      clipping(levels, 0),
      pool(levels, 0),
      mean(levels.size()) {}

// ---- The user's object --------------------------------------------------------------------------

QuantilePanel::QuantilePanel(QuantileOptions options)
    : panel_(std::make_unique<Panel>(std::move(options))) {}
QuantilePanel::QuantilePanel(std::unique_ptr<Panel> panel) : panel_(std::move(panel)) {}
QuantilePanel::~QuantilePanel() = default;
QuantilePanel::QuantilePanel(QuantilePanel&&) noexcept = default;
QuantilePanel& QuantilePanel::operator=(QuantilePanel&&) noexcept = default;

const QuantileOptions& QuantilePanel::options() const { return panel_->options; }
std::span<const std::string> QuantilePanel::experts() const { return panel_->names; }
std::span<const std::string> QuantilePanel::series() const { return panel_->titles; }
std::int64_t QuantilePanel::rounds() const { return panel_->learned; }
std::int64_t QuantilePanel::crossed() const { return panel_->crossed; }
std::int64_t QuantilePanel::outliers() const {
  return std::accumulate(panel_->far.begin(), panel_->far.end(), std::int64_t{0});
}
std::span<const std::int64_t> QuantilePanel::outliers_by_expert() const { return panel_->far; }
const std::string& QuantilePanel::note() const { return panel_->note; }
void QuantilePanel::set_note(std::string note) { panel_->note = std::move(note); }

std::size_t QuantilePanel::add_expert(std::string_view name) {
  Panel& p = *panel_;
  if (std::ranges::find(p.names, name) != p.names.end()) {
    throw Error(ErrorKind::kDuplicate, {.field = "experts"},
                fmt::format("there is an expert {} already; give each a name of its own", name));
  }
  p.names.emplace_back(name);
  p.far.push_back(0);
  p.scores.add_candidate();
  p.roots.add_candidate();
  for (auto& one : p.series) {
    if (one.proof) one.proof->add_expert();
    one.scores.sums.add_candidate();
    one.roots.sums.add_candidate();
    one.follower.add();
  }
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
  p.names.erase(at);
  p.far.erase(p.far.begin() + expert);
  p.scores.remove_candidate(index);
  p.roots.remove_candidate(index);
  for (auto& one : p.series) {
    if (one.proof) one.proof->remove_expert(index);
    one.scores.sums.remove_candidate(index);
    one.roots.sums.remove_candidate(index);
    one.follower.remove(index);
  }
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
  if (std::ranges::find(p.titles, name) != p.titles.end()) {
    throw Error(ErrorKind::kDuplicate, {.field = "series"},
                fmt::format("there is a series {} already; give each a name of its own", name));
  }
  p.titles.emplace_back(name);
  p.series.emplace_back(p.trust.weights(), p.experts(), p.options.certify);
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
  const levels::ProvedScores& proof = *panel_->series[series].proof;
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
  const std::size_t experts = panel_->experts();
  if (experts == 0) return {};
  const Panel::Series& one = panel_->series[series];
  const std::vector<std::uint8_t> awake(experts, 1);
  std::vector<double> own(experts), rooted(experts), weights(experts);
  panel_->scores.weights(one.scores, awake, own);
  panel_->roots.weights(one.roots, awake, rooted);
  const auto trust = one.trust.weights();
  double total = 0;  // 1 but for rounding
  for (std::size_t k = 0; k < experts; ++k) {
    total += weights[k] =
        (trust[Panel::kEqualPool] + trust[Panel::kEqualMean]) / static_cast<double>(experts) +
        trust[Panel::kPool] * own[k] +
        (trust[Panel::kRootPool] + trust[Panel::kTails]) * rooted[k] +
        trust[Panel::kFollower] * one.follower.weights()[k];
  }
  for (double& w : weights) w /= total;
  return weights;
}

}  // namespace pcgs
