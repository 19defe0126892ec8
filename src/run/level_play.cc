#include "run/level_play.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "data/csv.h"
#include "pcgs/error.h"

namespace pcgs::compare {

std::string series_name(const std::vector<std::string>& key) {
  std::string name;
  for (const auto& part : key) name += (name.empty() ? "" : ",") + csv_field(part);
  return name;
}

void forecasts_of(const LevelProblem& problem, const LevelProblem::Round& round,
                  std::vector<double>& out) {
  std::ranges::fill(out, std::nan(""));
  const std::size_t count = problem.levels.size();
  for (const auto& [expert, row] : round.forecasts) {
    std::ranges::copy(problem.quantiles.row(row),
                      out.begin() + static_cast<std::ptrdiff_t>(expert * count));
  }
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
  Player(const LevelProblem& problem, QuantilePanel& panel)
      : problem_(problem), panel_(panel), experts_(panel.experts()), series_(panel.series()) {}

  // Opens a round of the panel and shows what it publishes.
  void open(const LevelProblem::Round& round, std::span<double> published) {
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

  void wait_for(const LevelNote::Open& open, double outcome) {
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

  std::vector<LevelNote::Open> still_open() const {
    std::vector<LevelNote::Open> out;
    for (const auto& [round, one] : open_) out.push_back(one);
    return out;
  }

 private:
  using Waiting = std::tuple<double, std::int64_t, double>;  // known, round, outcome

  const LevelProblem& problem_;
  QuantilePanel& panel_;
  PanelNames experts_, series_;
  std::map<std::int64_t, LevelNote::Open> open_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::vector<std::size_t> order_;  // scratch: where the experts of a round are in the panel
  std::vector<double> forecasts_;
};

// The outcomes that the problem has for the panel's open rounds, by series and time.
void take_outcomes(const LevelProblem& problem, const QuantilePanel& panel, const LevelNote& before,
                   Player& player) {
  std::map<std::pair<std::string, double>, double> outcomes;
  for (const auto& round : problem.rounds) {
    if (round.time > before.last) break;
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

LevelPlay play_levels(LevelProblem& problem, QuantilePanel& panel, const LevelNote* before,
                      const std::function<void(std::size_t rounds)>& advance) {
  LevelPlay play;
  Player player(problem, panel);
  if (before != nullptr) {
    play.note = *before;
    take_outcomes(problem, panel, *before, player);
    play.skipped = std::erase_if(problem.rounds,
                                 [&](const auto& round) { return round.time <= before->last; });
  }
  play.published = Matrix(problem.rounds.size(), problem.levels.size());
  for (std::size_t t = 0; t < problem.rounds.size(); ++t) {
    player.learn_until(problem.rounds[t].time);
    player.open(problem.rounds[t], play.published.row(t));
    if (advance) advance(1);
  }
  play.note.time = problem.time;
  play.note.known = problem.known;
  play.note.outcome = problem.outcome;
  play.note.by = problem.by;
  play.note.open = player.still_open();
  if (!problem.rounds.empty()) {
    play.note.last = problem.rounds.back().time;
    play.note.last_text = problem.rounds.back().time_text;
  }
  return play;
}

}  // namespace pcgs::compare
