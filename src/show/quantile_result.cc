#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <unordered_set>

#include "data/csv.h"
#include "data/json.h"
#include "run/quantiles.h"
#include "show/kinds.h"
#include "show/run_result.h"
#include "show/sections.h"

namespace pcgs::results {

namespace {

// Of one with rounds; levels are symmetric.
QuantileResult::Shape shape_of(const ForecastError& one, const levels::Levels& levels) {
  const auto n = static_cast<double>(one.own.rounds());
  const LevelSums& sums = one.own.of_levels();
  QuantileResult::Shape shape{one.name,
                              one.own.rounds(),
                              {},
                              finite(sums.width / n),
                              finite(sums.above / n),
                              finite(sums.below / n)};
  const auto intervals = compare::central_intervals(levels);
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    shape.held.by_name.emplace_back(fmt::format("{:.6g}", intervals[i]),
                                    static_cast<double>(sums.held[i]) / n);
  }
  return shape;
}

QuantileResult::Scores scores_of(const Errors& errors, const levels::Levels& levels,
                                 std::size_t rounds) {
  QuantileResult::Scores out;
  out.rounds = rounds;
  const ForecastError& combination = errors.all.front();
  if (combination.own.rounds() == 0) return out;
  out.score = finite(errors.measure(combination.own));
  out.beside_best = difference_of(errors.beside_best);
  out.beside_equal = difference_of(errors.beside_equal);
  if (levels.symmetric()) out.shape = shape_of(combination, levels);
  for (std::size_t i = 1; i < errors.all.size(); ++i) {
    const ForecastError& one = errors.all[i];
    if (one.kind != ForecastError::Kind::kReference && errors.best_expert != i) continue;
    out.others.push_back({one.name, one.own.rounds(), finite(errors.measure(one.own)),
                          finite(per_cent(errors.measure.ratio(one)))});
  }
  return out;
}

// The mean over the series of the problem, of those who forecast at the last time.
ByName<double> weights_now(const QuantileProblem& problem, const QuantilePanel& panel) {
  std::unordered_set<std::string> here, series;
  for (const auto& round : problem.rounds) {
    series.insert(compare::series_name(problem.series[round.series]));
    if (round.time != problem.rounds.back().time) continue;
    for (const auto& one : round.forecasts) here.insert(problem.experts[one.expert]);
  }
  std::vector<double> weights(panel.experts().size());
  double total = 0;
  for (std::size_t s = 0; s < panel.series().size(); ++s) {
    if (!series.contains(panel.series()[s])) continue;
    const auto of_series = panel.weights(s);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (!here.contains(panel.experts()[k])) continue;
      weights[k] += of_series[k];
      total += of_series[k];
    }
  }
  ByName<double> out;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!here.contains(panel.experts()[k])) continue;
    out.by_name.emplace_back(panel.experts()[k], weights[k] / total);
  }
  return out;
}

std::vector<QuantileResult::Coming> coming_of(const QuantileProblem& problem,
                                              const Matrix& published) {
  std::vector<QuantileResult::Coming> out;
  for (std::size_t t = 0; t < problem.rounds.size(); ++t) {
    const auto& round = problem.rounds[t];
    if (round.time != problem.rounds.back().time || !std::isnan(round.outcome)) continue;
    auto& one = out.emplace_back();
    one.key = problem.series[round.series];
    one.time = round.time_text;
    one.known = round.known_text;
    const auto row = published.row(t);
    if (!std::isnan(row[0])) one.quantiles.assign(row.begin(), row.end());
  }
  return out;
}

std::optional<QuantileResult::Proved> proved_of(const std::vector<std::string>& key,
                                                const QuantilePanel& panel) {
  if (!panel.options().certify) return std::nullopt;
  const auto at = std::ranges::find(panel.series(), compare::series_name(key));
  if (at == panel.series().end()) return std::nullopt;
  const ScoreClaims claims =
      panel.certificate(static_cast<std::size_t>(at - panel.series().begin()));
  if (claims.rounds == 0) return std::nullopt;
  const Certificate &path = claims.against_path.certificate,
                    &expert = claims.against_expert.certificate;
  return QuantileResult::Proved{static_cast<std::size_t>(claims.rounds),
                                claims.against_expert.loss,
                                path.regret,
                                path.bound,
                                expert.regret,
                                expert.bound};
}

// Claims hold for each series, so their mean does.
std::optional<QuantileResult::Proved> proved_together(std::span<const QuantileResult::One> series) {
  QuantileResult::Proved mean;
  const std::initializer_list<double QuantileResult::Proved::*> numbers = {
      &QuantileResult::Proved::score, &QuantileResult::Proved::above_path,
      &QuantileResult::Proved::path_bound, &QuantileResult::Proved::above_expert,
      &QuantileResult::Proved::expert_bound};
  for (const auto& one : series) {
    if (!one.proved) continue;
    mean.rounds += one.proved->rounds;
    const double part = static_cast<double>(one.proved->rounds) / static_cast<double>(mean.rounds);
    for (const auto number : numbers) mean.*number += part * ((*one.proved).*number - mean.*number);
  }
  if (mean.rounds == 0) return std::nullopt;
  return mean;
}

}  // namespace

QuantileResult quantile_result(const QuantileProblem& problem, const QuantilePanel& panel,
                               const Matrix& published) {
  const levels::Levels levels(problem.levels);
  const QuantileScale scale = panel.options().scale;
  const auto errors_on = [&](std::span<const std::size_t> rounds) {
    return compare::errors_of(problem, published, scale, rounds);
  };
  std::vector<std::size_t> all(problem.rounds.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Errors errors = errors_on(all);
  QuantileResult out;
  out.levels = problem.levels;
  out.scale = scale == QuantileScale::kLog1p ? "log1p" : "raw";
  out.by = problem.by;
  out.experts = problem.experts;
  out.rounds = problem.rounds.size();
  out.answer = errors_answer(errors);
  out.answer.weights_now = weights_now(problem, panel);
  out.answer.times =
      TimeSpan{problem.time, problem.rounds.front().time_text, problem.rounds.back().time_text};
  for (const ForecastError& one : errors.all) {
    if (levels.symmetric() && one.own.rounds() > 0) out.shapes.push_back(shape_of(one, levels));
  }
  out.between = errors.between;
  out.crossed = static_cast<std::size_t>(panel.crossed());
  out.wild = static_cast<std::size_t>(panel.outliers());
  out.coming = coming_of(problem, published);
  for (const auto& round : problem.rounds) {
    out.answer.rounds_without_outcome +=
        std::isnan(round.outcome) && round.time != problem.rounds.back().time;
  }
  const auto scores_on = [&](std::span<const std::size_t> rounds) {
    return scores_of(errors_on(rounds), levels, rounds.size());
  };
  const auto by_series = compare::rounds_by_series(problem);
  for (std::size_t s = 0; s < by_series.size(); ++s) {
    out.series.push_back(
        {problem.series[s], scores_on(by_series[s]), proved_of(problem.series[s], panel)});
  }
  out.proved = proved_together(out.series);
  for (const auto& [column, value, rounds] : compare::rounds_by_value(problem)) {
    out.values.push_back({problem.by[column], value, scores_on(rounds)});
  }
  return out;
}

std::string quantiles_csv(const QuantileProblem& problem, const Matrix& published) {
  std::string out = csv_field(problem.time);
  for (const auto& name : problem.by) out += ',' + csv_field(name);
  if (!problem.known.empty()) out += ',' + csv_field(problem.known);
  out += ',' + csv_field(problem.outcome);
  for (const auto& name : problem.columns) out += ',' + csv_field(name);
  out += '\n';
  const auto put = [&](double x) {
    out += ',';
    if (!std::isnan(x)) fmt::format_to(std::back_inserter(out), "{}", x);
  };
  for (std::size_t t = 0; t < problem.rounds.size(); ++t) {
    const auto& round = problem.rounds[t];
    out += csv_field(round.time_text);
    for (const auto& name : problem.series[round.series]) out += ',' + csv_field(name);
    if (!problem.known.empty()) out += ',' + csv_field(round.known_text);
    put(round.outcome);
    for (const double x : published.row(t)) put(x);
    out += '\n';
  }
  return out;
}

namespace {

// The name of a central interval: how much it should hold.
bool is_share(const std::string& text) {
  double share = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, share);
  return problem == std::errc() && end == last && share > 0 && share < 1;
}

}  // namespace

void fields(Fields& f, QuantileResult::Shape& shape) {
  f("name", shape.name, "rounds", shape.rounds, "held", shape.held, "width", shape.width, "above",
    shape.above, "below", shape.below);
  f.require(std::ranges::all_of(shape.held.by_name,
                                [](const auto& held) { return is_share(held.first); }),
            "held", "has names that are not between 0 and 1");
}

void fields(Fields& f, QuantileResult::Other& other) {
  f("name", other.name, "rounds", other.rounds, "score", other.score, "difference",
    other.difference);
}

void fields(Fields& f, QuantileResult::Scores& scores) {
  f("rounds", scores.rounds, "score", scores.score);
  f.unless_empty("beside_best", scores.beside_best, "beside_equal_weights", scores.beside_equal,
                 "shape", scores.shape, "others", scores.others);
}

void fields(Fields& f, QuantileResult::Proved& proved) {
  f("rounds", proved.rounds, "score", proved.score, "above_path", proved.above_path, "path_bound",
    proved.path_bound, "above_expert", proved.above_expert, "expert_bound", proved.expert_bound);
}

void fields(Fields& f, QuantileResult::One& one) {
  f("key", one.key);
  fields(f, one.scores);
  f.unless_empty("certificate", one.proved);
}

void fields(Fields& f, QuantileResult::Value& one) {
  f("column", one.column, "value", one.value);
  fields(f, one.scores);
}

void fields(Fields& f, QuantileResult::Coming& one) {
  f("key", one.key, "time", one.time);
  f.unless_empty("known", one.known);
  f("quantiles", one.quantiles);
}

void fields(Fields& f, QuantileResult& result) {
  f("levels", result.levels, "scale", result.scale, "by", result.by, "experts", result.experts,
    "rounds", result.rounds);
  fields(f, result.answer);
  f("shapes", result.shapes, "between", result.between, "crossed", result.crossed, "wild",
    result.wild, "series", result.series);
  f.unless_empty("by_value", result.values);
  f("coming", result.coming);
  f.unless_empty("certificate", result.proved);
  f.require(!result.levels.empty(), "levels", "is empty");
  f.require(result.scale == "raw" || result.scale == "log1p", "scale", "is unknown");
  f.require(result.between.size() == result.levels.size() + 1, "between",
            "is not one longer than levels");
  f.require(result.shapes.empty() || result.shapes.size() <= result.answer.errors.size(), "shapes",
            "has more than there are errors");
  f.require(!result.series.empty(), "series", "is empty");
  const auto has_key = [&](const auto& one) { return one.key.size() == result.by.size(); };
  f.require(std::ranges::all_of(result.series, has_key), "series", "have keys of another length");
  f.require(std::ranges::all_of(result.values,
                                [&](const auto& one) {
                                  return std::ranges::find(result.by, one.column) !=
                                         result.by.end();
                                }),
            "by_value", "have columns that are not in by");
  f.require(std::ranges::all_of(result.coming, has_key), "coming", "have keys of another length");
  f.require(std::ranges::all_of(result.coming,
                                [&](const auto& one) {
                                  return one.quantiles.empty() ||
                                         one.quantiles.size() == result.levels.size();
                                }),
            "coming", "have another number of quantiles");
}

const Kind& QuantileResult::kind() {
  static const Kind kKind = make_kind<QuantileResult, report::show_quantiles>(30);
  return kKind;
}

}  // namespace pcgs::results
