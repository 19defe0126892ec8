#include "run/quantiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "combine/missing_quantiles.h"
#include "combine/quantile_pool.h"
#include "data/csv.h"
#include "pcgs/error.h"
#include "run/errors.h"

namespace pcgs::compare {

// ---- Playing ------------------------------------------------------------------------------------

std::string series_name(const std::vector<std::string>& key) {
  std::string name;
  for (const auto& part : key) name += (name.empty() ? "" : ",") + csv_field(part);
  return name;
}

namespace {

// Names of the problem in the order of the panel, which may know others as well.
class PanelNames {
 public:
  explicit PanelNames(std::span<const std::string> known) {
    for (std::size_t i = 0; i < known.size(); ++i) index_.emplace(known[i], i);
  }
  // The index of a name; `add` is called for a new one.
  template <class Add>
  std::size_t of(const std::string& name, const Add& add) {
    const auto at = index_.find(name);
    if (at != index_.end()) return at->second;
    return index_.emplace(name, add(name)).first->second;
  }

 private:
  std::unordered_map<std::string, std::size_t> index_;
};

class Player {
 public:
  Player(const QuantileProblem& problem, QuantilePanel& panel)
      : problem_(problem), panel_(panel), experts_(panel.experts()), series_(panel.series()) {}

  // Opens a round of the panel and shows what it publishes.
  void open(const QuantileProblem::Round& round, std::span<double> published) {
    const std::size_t series =
        series_.of(series_name(problem_.series[round.series]),
                   [&](const auto& name) { return panel_.add_series(name); });
    order_.clear();
    for (const auto& one : round.forecasts) {
      order_.push_back(experts_.of(problem_.experts[one.expert],
                                   [&](const auto& name) { return panel_.add_expert(name); }));
    }
    const std::size_t count = problem_.levels.size();
    forecasts_.assign(panel_.experts().size() * count, std::nan(""));
    for (std::size_t i = 0; i < order_.size(); ++i) {
      std::ranges::copy(problem_.quantiles.row(round.forecasts[i].row),
                        forecasts_.begin() + static_cast<std::ptrdiff_t>(order_[i] * count));
    }
    const std::int64_t number = panel_.open(series, forecasts_);
    std::ranges::copy(panel_.forecast(number), published.begin());
    wait_for({number, round.time, round.known}, round.outcome);
  }

  void wait_for(const RunNote::Open& open, double outcome) {
    open_.emplace(open.round, open);
    if (!std::isnan(outcome)) waiting_.emplace(open.known, open.round, outcome);
  }

  // All whose outcome is known before this time, the first to be known first.
  void learn_until(double time) {
    for (; !waiting_.empty() && std::get<0>(waiting_.top()) < time; waiting_.pop()) {
      const auto& [known, round, outcome] = waiting_.top();
      panel_.learn(round, outcome);
      open_.erase(round);
    }
  }

  std::vector<RunNote::Open> still_open() const {
    std::vector<RunNote::Open> out;
    for (const auto& [round, one] : open_) out.push_back(one);
    return out;
  }

 private:
  using Waiting = std::tuple<double, std::int64_t, double>;  // known, round, outcome

  const QuantileProblem& problem_;
  QuantilePanel& panel_;
  PanelNames experts_, series_;
  std::map<std::int64_t, RunNote::Open> open_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::vector<std::size_t> order_;  // scratch: where the experts of a round are in the panel
  std::vector<double> forecasts_;
};

// The outcomes that the problem has for the panel's open rounds, by series and time.
void take_outcomes(const QuantileProblem& problem, const QuantilePanel& panel,
                   const RunNote& before, Player& player) {
  std::map<std::pair<std::string, double>, double> outcomes;
  for (const auto& round : problem.rounds) {
    if (round.time > before.clock->last) break;
    outcomes.emplace(std::pair(series_name(problem.series[round.series]), round.time),
                     round.outcome);
  }
  for (const auto& one : before.open) {
    const auto found = outcomes.find({panel.series()[panel.series_of(one.round)], one.time});
    player.wait_for(one, found == outcomes.end() ? std::nan("") : found->second);
  }
}

}  // namespace

void check_log1p(const QuantileProblem& problem) {
  const auto check = [&](std::size_t row, const std::string& column, double x) {
    if (!(x <= -1)) return;
    throw Error(ErrorKind::kValue, {.file = problem.origin, .row = row + 1, .column = column},
                fmt::format("is {}; {} takes numbers above -1", x, option("transform", "log1p")));
  };
  for (std::size_t i = 0; i < problem.quantiles.rows; ++i) {
    for (std::size_t p = 0; p < problem.columns.size(); ++p) {
      check(i, problem.columns[p], problem.quantiles.row(i)[p]);
    }
  }
  for (const auto& round : problem.rounds) {
    check(round.forecasts.front().row, problem.outcome, round.outcome);
  }
}

QuantilePlay play_quantiles(QuantileProblem& problem, QuantilePanel& panel, const RunNote* before,
                            const std::function<void(std::size_t rounds)>& advance) {
  QuantilePlay play;
  Player player(problem, panel);
  if (before != nullptr) {
    play.note = *before;
    take_outcomes(problem, panel, *before, player);
    play.skipped = std::erase_if(
        problem.rounds, [&](const auto& round) { return round.time <= before->clock->last; });
  }
  play.published = Matrix(problem.rounds.size(), problem.levels.size());
  for (std::size_t t = 0; t < problem.rounds.size(); ++t) {
    player.learn_until(problem.rounds[t].time);
    player.open(problem.rounds[t], play.published.row(t));
    if (advance) advance(1);
  }
  if (!problem.rounds.empty()) {
    const auto& last = problem.rounds.back();
    play.note.clock = {.last = last.time, .last_text = last.time_text};
  }
  play.note.outcome = problem.outcome;
  play.note.time = problem.time;
  play.note.known = problem.known;
  play.note.by = problem.by;
  play.note.open = player.still_open();
  return play;
}

// ---- Rounds that are judged together ------------------------------------------------------------

namespace {

// Horizon 10 comes after horizon 9, and before "all".
struct BySize {
  using Key = std::pair<bool, double>;  // whether it is a text, else the number
  static Key key(const std::string& text) {
    double number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), last, number);
    const bool is_number = problem == std::errc() && end == last && std::isfinite(number);
    return is_number ? Key(false, number) : Key(true, 0);
  }
  bool operator()(const std::string& a, const std::string& b) const {
    return std::pair<Key, const std::string&>(key(a), a) <
           std::pair<Key, const std::string&>(key(b), b);
  }
};

}  // namespace

std::vector<std::vector<std::size_t>> rounds_by_series(const QuantileProblem& problem) {
  std::vector<std::vector<std::size_t>> out(problem.series.size());
  for (std::size_t t = 0; t < problem.rounds.size(); ++t) {
    out[problem.rounds[t].series].push_back(t);
  }
  return out;
}

std::vector<ValueRounds> rounds_by_value(const QuantileProblem& problem) {
  std::vector<ValueRounds> out;
  if (problem.by.size() < 2) return out;
  const auto by_series = rounds_by_series(problem);
  for (std::size_t column = 0; column < problem.by.size(); ++column) {
    std::map<std::string, std::vector<std::size_t>, BySize> values;
    for (std::size_t s = 0; s < by_series.size(); ++s) {
      auto& rounds = values[problem.series[s][column]];
      rounds.insert(rounds.end(), by_series[s].begin(), by_series[s].end());
    }
    for (auto& [value, rounds] : values) {
      if (rounds.empty()) continue;  // a state has learned them all before
      std::ranges::sort(rounds);
      out.push_back({column, value, std::move(rounds)});
    }
  }
  return out;
}

// ---- Errors -------------------------------------------------------------------------------------

namespace {

// What everybody said in one round, on the scale that is scored on.
class Said {
 public:
  Said(const QuantileProblem& problem, const levels::Levels& levels, QuantileScale scale)
      : problem_(problem),
        levels_(levels),
        scale_(scale),
        completion_(levels),
        pool_(levels, problem.experts.size()),
        quantiles_(problem.experts.size() * levels.size()),
        awake_(problem.experts.size()),
        weights_(problem.experts.size()),
        order_(problem.experts.size()),
        made_(levels.size()) {}

  double scaled(double x) const { return scale_ == QuantileScale::kLog1p ? std::log1p(x) : x; }

  void take(const QuantileProblem::Round& round) {
    std::ranges::fill(quantiles_, std::nan(""));
    for (const auto& [expert, row] : round.forecasts) {
      const auto given = problem_.quantiles.row(row);
      for (std::size_t p = 0; p < given.size(); ++p) {
        quantiles_[expert * given.size() + p] = scaled(given[p]);
      }
    }
    completion_.complete(quantiles_, awake_);
    const auto heard = std::ranges::count(awake_, std::uint8_t{1});
    for (std::size_t k = 0; k < awake_.size(); ++k) {
      weights_[k] = awake_[k] ? 1 / static_cast<double>(heard) : 0;
    }
  }
  bool awake(std::size_t expert) const { return awake_[expert] != 0; }
  std::span<const double> expert(std::size_t k) const {
    return {quantiles_.data() + k * levels_.size(), levels_.size()};
  }
  std::span<const double> mean() {
    levels::quantile_mean(quantiles_, weights_, made_);
    return made_;
  }
  std::span<const double> median() {
    levels::quantile_median(quantiles_, weights_, order_, made_);
    return made_;
  }
  std::span<const double> pool() {
    pool_.arrange(quantiles_);
    pool_.linear(weights_, made_);
    return made_;
  }

 private:
  const QuantileProblem& problem_;
  const levels::Levels& levels_;
  QuantileScale scale_;
  levels::Completion completion_;
  levels::Pool pool_;
  std::vector<double> quantiles_;
  std::vector<std::uint8_t> awake_;
  std::vector<double> weights_;
  std::vector<std::size_t> order_;
  std::vector<double> made_;
};

}  // namespace

Errors errors_of(const QuantileProblem& problem, const Matrix& published, QuantileScale scale,
                 std::span<const std::size_t> rounds) {
  using Kind = ForecastError::Kind;
  const levels::Levels levels(problem.levels);
  Errors errors;
  errors.measure = ErrorMeasure::of_levels(levels.symmetric());
  errors.between.assign(levels.size() + 1, 0);
  errors.all = {{"blend", Kind::kMethod},
                {kLinearPool, Kind::kReference},
                {kQuantileMean, Kind::kReference},
                {kQuantileMedian, Kind::kReference}};
  const std::size_t first_expert = errors.all.size();
  for (const auto& name : problem.experts) errors.all.push_back({name, Kind::kExpert});
  Said said(problem, levels, scale);
  std::vector<PairedLosses> paid(errors.all.size());
  std::vector<double> combined(levels.size());
  for (const std::size_t t : rounds) {
    const QuantileProblem::Round& round = problem.rounds[t];
    if (std::isnan(round.outcome) || std::isnan(published.row(t)[0])) continue;
    const double y = said.scaled(round.outcome);
    std::ranges::transform(published.row(t), combined.begin(),
                           [&](double x) { return said.scaled(x); });
    const double ours = level_score(levels, combined, y);
    const auto add = [&](std::size_t i, std::span<const double> quantiles) {
      errors.all[i].own.add(levels, quantiles, y);
      errors.all[i].combined.add(levels, combined, y);
      paid[i].add(round.time, ours, level_score(levels, quantiles, y));
    };
    said.take(round);
    add(0, combined);
    add(1, said.pool());
    add(2, said.mean());
    add(3, said.median());
    for (const auto& one : round.forecasts) {
      if (said.awake(one.expert)) add(first_expert + one.expert, said.expert(one.expert));
    }
    ++errors.between[static_cast<std::size_t>(std::ranges::lower_bound(combined, y) -
                                              combined.begin())];
  }
  judge(errors, [&](const ForecastError& other) {
    if (other.kind == Kind::kReference) return paid[1];
    const auto expert = std::ranges::find(problem.experts, other.name) - problem.experts.begin();
    return paid[first_expert + static_cast<std::size_t>(expert)];
  });
  return errors;
}

std::vector<double> central_intervals(const levels::Levels& levels) {
  std::vector<double> out;
  for (std::size_t i = 0; levels.symmetric() && i < levels.size() / 2; ++i) {
    out.push_back(levels[levels.size() - 1 - i] - levels[i]);
  }
  return out;
}

std::vector<std::size_t> usual_intervals(std::span<const double> intervals) {
  std::vector<std::size_t> out;
  if (intervals.empty()) return out;
  for (const double wanted : {0.5, 0.8, 0.95}) {
    const auto nearest = std::ranges::min_element(
        intervals, {}, [&](double held) { return std::abs(held - wanted); });
    const auto at = static_cast<std::size_t>(nearest - intervals.begin());
    if (std::ranges::find(out, at) == out.end()) out.push_back(at);
  }
  return out;
}

}  // namespace pcgs::compare
