// The household benchmark: rates tuned on the first part of a series and regrets measured on its last; what it found,
// for programs and for people.
#include "research/electricity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "combine/hindsight_methods.h"
#include "data/json.h"
#include "data/text.h"
#include "pcgs/error.h"
#include "show/kinds.h"
#include "show/sections.h"

namespace pcgs::studies {

namespace {

constexpr std::size_t kFewestRounds = 50;  // of either part

Problem problem_of(const std::string& origin, const ExpertPool& pool, const Matrix& errors,
                   std::size_t first, std::size_t end) {
  Problem problem;
  problem.origin = origin;
  problem.experts = pool.names();
  problem.values = Matrix(end - first, errors.columns);
  std::copy_n(errors.values.begin() + static_cast<std::ptrdiff_t>(first * errors.columns),
              problem.values.values.size(), problem.values.values.begin());
  return problem;
}

constexpr double kScaleQuantile = 0.95;

// The smallest loss with at least this share of them at or below it; the largest if that is 0, and
// 1 if all are.
double quantile_scale(std::vector<double> losses, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(losses.size())));
  const auto at = losses.begin() +
                  static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, losses.size()) - 1);
  std::nth_element(losses.begin(), at, losses.end());
  if (*at > 0) return *at;
  const double largest = *std::max_element(losses.begin(), losses.end());
  return largest > 0 ? largest : 1;
}

}  // namespace

SplitLosses split_losses(const std::vector<double>& series, ExpertPool pool,
                         const SplitOptions& options, const std::string& origin) {
  SplitLosses out;
  out.observations = std::min(options.observations, series.size());
  const std::size_t skipped = series.size() - out.observations;
  const auto split =
      static_cast<std::size_t>(options.training * static_cast<double>(out.observations));

  Matrix errors(out.observations, pool.size());
  std::vector<std::size_t> begins(pool.size(), out.observations);  // its first forecast
  for (std::size_t t = 0; t < out.observations; ++t) {
    const double y = series[skipped + t];
    const auto row = errors.row(t);
    pool.forecast(row);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!std::isnan(row[k])) begins[k] = std::min(begins[k], t);
      row[k] = (row[k] - y) * (row[k] - y);
    }
    pool.observe(y);
  }
  const auto slowest = std::max_element(begins.begin(), begins.end());
  out.burn_in = std::max(options.burn_in, *slowest);
  if (out.burn_in + kFewestRounds > split) {
    throw Error(fmt::format(
        "{}: of {} observations the first {} are the training part, and {}; give more "
        "observations, or experts that look less far back",
        origin, out.observations, split,
        *slowest > options.burn_in
            ? fmt::format("{} says nothing in the first {}",
                          pool.names()[static_cast<std::size_t>(slowest - begins.begin())],
                          *slowest)
            : fmt::format("the burn-in is {}", options.burn_in)));
  }
  if (split + kFewestRounds > out.observations) {
    throw Error(fmt::format("{}: {} observations leave {} for the test part; give at least {}",
                            origin, out.observations, out.observations - split, kFewestRounds));
  }
  for (std::size_t t = out.burn_in; t < out.observations; ++t) {
    const auto row = errors.row(t);
    const auto asleep =
        std::find_if(row.begin(), row.end(), [](double e) { return std::isnan(e); });
    if (asleep == row.end()) continue;
    throw Error(fmt::format(
        "{}: {} says nothing about observation {} of {}, after it has begun; look for wild values "
        "before it, or leave that expert out",
        origin, pool.names()[static_cast<std::size_t>(asleep - row.begin())], t + 1,
        out.observations));
  }
  out.training = problem_of(origin, pool, errors, out.burn_in, split);
  out.test = problem_of(origin, pool, errors, split, out.observations);
  out.test.unclipped = out.test.values;
  out.scale = quantile_scale(out.training.values.values, kScaleQuantile);
  out.bound = options.bound;
  const LossScale scale = LossScale().bounded_by(options.bound);
  for (Problem* part : {&out.training, &out.test}) {
    for (double& l : part->values.values) l = scale.bounded(l, out.scale);
  }
  return out;
}

ExpertPool benchmark_pool(const std::vector<std::size_t>& seasons, std::size_t window) {
  Experts experts = benchmark_experts(seasons);
  if (window > 0) {
    std::vector<std::size_t> lags = {1, 2, 3};
    if (!seasons.empty() && seasons[0] > 3) lags.push_back(seasons[0]);
    experts.push_back(rolling_regression_expert(lags, window));
  }
  return ExpertPool(std::move(experts));
}

Comparison play_benchmark(const SplitLosses& losses, compare::ComparisonOptions options,
                          const io::Monitor& monitor) {
  const auto play = [&](const Problem& problem, compare::ComparisonOptions compared) {
    compared.advance = monitor("playing", compare::rounds_to_play(problem, compared));
    return compare::play_methods(problem, compared);
  };
  compare::ComparisonOptions tuning;
  tuning.switches = options.switches;
  tuning.methods = {"hedge*", "fixed-share*"};
  const auto tuned = play(losses.training, tuning);

  std::erase_if(options.methods, [](const std::string& name) { return !is_playable(name); });
  options.shown_as.resize(options.methods.size());
  for (const auto& method : tuned.methods) {
    options.methods.push_back(method.chosen);
    options.shown_as.push_back(
        fmt::format("{} (tuned on training part)", method.name.substr(0, method.name.size() - 1)));
  }
  options.methods.insert(options.methods.end(), tuning.methods.begin(), tuning.methods.end());
  options.shown_as.resize(options.methods.size());
  return play(losses.test, std::move(options));
}

using results::ElectricityResult;

ElectricityResult electricity_result(const Observations& observations, const SplitLosses& losses,
                                     const Comparison& comparison) {
  const auto per_round = [&](double x) { return x / static_cast<double>(comparison.rounds); };
  const auto by_budget = [&](std::vector<double> values) {
    for (double& x : values) x = per_round(x);
    return results::by_budget(comparison.switches, values);
  };
  ElectricityResult out;
  out.file = losses.test.origin;
  out.column = observations.column;
  out.seasons = observations.seasons;
  out.observations = losses.observations;
  out.burn_in = losses.burn_in;
  out.training_rounds = losses.training.values.rows;
  out.rounds = losses.test.values.rows;
  out.scale = losses.scale;
  if (losses.bound == LossBound::kCatoni) out.bound = "catoni";
  out.experts = losses.test.experts;
  out.best_expert = {losses.test.experts[comparison.best_expert],
                     per_round(comparison.best_expert_loss)};
  out.switches = comparison.switches;
  out.oracle_mean_loss = by_budget(comparison.oracle);
  out.unclipped_oracle_mean_loss = by_budget(comparison.unclipped_oracle);
  for (const auto& method : comparison.methods) {
    auto& one = out.methods.emplace_back();
    one.name = method.name;
    (is_playable(method.name) ? one.chosen_on_training_part : one.chosen_in_hindsight) =
        method.chosen;
    one.mean_loss = per_round(method.total_loss);
    one.regret_per_round = by_budget(method.regret);
    std::vector<double> unclipped;
    for (const double best : comparison.unclipped_oracle) {
      unclipped.push_back(*method.unclipped_loss - best);
    }
    one.unclipped_mean_loss = results::finite(per_round(*method.unclipped_loss));
    one.unclipped_regret_per_round = by_budget(unclipped);
    one.ns_per_round = method.ns_per_round;
  }
  return out;
}

namespace {

using Method = ElectricityResult::Method;

// Methods down and budgets across.
show::Table regret_table(const ElectricityResult& result,
                         results::ByBudget<double> Method::*regrets, const char* format) {
  show::Table table;
  table.head = {{"method", "name"}};
  for (const std::size_t s : result.switches) {
    table.head.push_back({fmt::format("S={}", s), fmt::format("regret_per_round.{}", s)});
  }
  for (const Method& method : result.methods) {
    auto& row = table.rows.emplace_back();
    row.push_back({method.name});
    for (const std::size_t s : result.switches) {
      row.push_back(show::number((method.*regrets).at(s), format));
    }
  }
  return table;
}

// Puts one more column behind the others.
template <class CellOf>
void add_column(const ElectricityResult& result, show::Table::Column column, const CellOf& cell,
                show::Table& table) {
  table.head.push_back(std::move(column));
  for (std::size_t m = 0; m < result.methods.size(); ++m) {
    table.rows[m].push_back(cell(result.methods[m]));
  }
}

std::string rates_of(const Method& method) {
  return method.chosen_in_hindsight + method.chosen_on_training_part;
}

show::Cell mean_loss(const Method& method) { return show::number(method.mean_loss, "{:.5f}"); }

// "clipped at 1" unless this result says otherwise.
const char* bounded(const ElectricityResult& result, const char* bent) {
  return result.bound.empty() ? "clipped at 1" : bent;
}

}  // namespace

std::string electricity_table(const ElectricityResult& result, const std::string& description) {
  show::Table table = regret_table(result, &Method::regret_per_round, "{:.5f}");
  table.caption = fmt::format(
      "{}: {}, {}\nlast {} observations: {} of burn-in, {} to train, {} to test; {} experts; "
      "squared errors divided by {:.6g} and {}\ndynamic regret per round of the test "
      "part against the best path with at most S switches",
      result.file, result.column, description, result.observations, result.burn_in,
      result.training_rounds, result.rounds, result.experts.size(), result.scale,
      bounded(result, "bent to 1 by Catoni's influence function"));
  const auto average = [&](const Method& method) {
    double sum = 0;
    for (const std::size_t s : result.switches) sum += method.regret_per_round.at(s).value_or(0);
    return show::number(sum / static_cast<double>(result.switches.size()), "{:.5f}");
  };
  add_column(result, {"average"}, average, table);
  add_column(result, {"mean loss"}, mean_loss, table);
  std::vector<std::string> chosen;
  for (const auto& method : result.methods) {
    if (!rates_of(method).empty()) chosen.push_back(' ' + rates_of(method));
  }
  // Missing where an error's square is beyond the range of a double.
  show::Table unclipped = regret_table(result, &Method::unclipped_regret_per_round, "{:.6g}");
  unclipped.caption = "\nthe same on squared errors as they are, neither divided nor clipped";
  const auto unclipped_loss = [](const Method& method) {
    return show::number(method.unclipped_mean_loss, "{:.6g}");
  };
  add_column(result, {"mean loss"}, unclipped_loss, unclipped);
  return text(table) +
         fmt::format(
             "\nbest expert of the test part: {} {:.5f}\n"
             "* rates chosen in hindsight; nobody can play these. Rates chosen, in the "
             "order of the table:{}\n",
             result.best_expert.name, result.best_expert.mean_loss, fmt::join(chosen, ",")) +
         text(unclipped);
}

// On a page.

namespace {

using Methods = std::vector<const Method*>;

// Against the last of the budgets.
double regret_of(const ElectricityResult& study, const Method& method) {
  return method.regret_per_round.at(study.switches.back()).value_or(0);
}

// Those that can be played, or those that were tuned in hindsight, the best first.
Methods ranking(const ElectricityResult& study, bool playable) {
  Methods methods;
  for (const auto& method : study.methods) {
    if (method.chosen_in_hindsight.empty() == playable) methods.push_back(&method);
  }
  std::stable_sort(methods.begin(), methods.end(), [&](const auto* a, const auto* b) {
    return regret_of(study, *a) < regret_of(study, *b);
  });
  return methods;
}

std::vector<report::Block> electricity_summary(const ElectricityResult& study) {
  Methods playable = ranking(study, true), tuned = ranking(study, false);
  if (playable.empty()) std::swap(playable, tuned);
  const auto& first = *playable.front();
  std::string lead = fmt::format(
      "On {} rounds of {} that no method that can be played was tuned on, {} has a dynamic regret "
      "of {:.5f} a round against the best path with at most {} switches",
      study.rounds, study.column, first.name, regret_of(study, first), study.switches.back());
  if (playable.size() > 1) {
    lead += fmt::format("; {} comes next with {:.5f}", playable[1]->name,
                        regret_of(study, *playable[1]));
  }
  std::vector<report::Block> blocks;
  blocks.emplace_back(report::Paragraph{lead + ".", true});
  report::Figures figures;
  figures.all.push_back(
      {show::number(regret_of(study, first), "{:.5f}"), "regret a round of " + first.name});
  if (!tuned.empty()) {
    figures.all.push_back({show::number(regret_of(study, *tuned.front()), "{:.5f}"),
                           fmt::format("of {}, tuned in hindsight", tuned.front()->name)});
  }
  figures.all.push_back({show::number(first.mean_loss, "{:.5f}"), "its mean loss"});
  figures.all.push_back({show::number(study.best_expert.mean_loss, "{:.5f}"),
                         "mean loss of the best expert, " + study.best_expert.name});
  blocks.emplace_back(std::move(figures));
  blocks.emplace_back(report::Paragraph{
      fmt::format("{} observations: {} of burn-in, {} to train on, {} to test; {} "
                  "experts; squared errors divided by {:.6g} and {}.",
                  study.observations, study.burn_in, study.training_rounds, study.rounds,
                  study.experts.size(), study.scale, bounded(study, "bent to 1"))});
  return blocks;
}

void show_electricity(const ElectricityResult& study, const report::Shown& /*shown*/,
                      report::PageParts& page) {
  page.add(electricity_summary(study));
  show::Table table = regret_table(study, &Method::regret_per_round, "{:.5f}");
  table.id = "electricity-methods";
  table.caption =
      "Dynamic regret per round of the test part, against the best path with at most S switches";
  add_column(study, {"mean loss", "mean_loss"}, mean_loss, table);
  const auto time = [](const Method& method) {
    return show::number(method.ns_per_round, "{:.0f}");
  };
  add_column(study, {"ns a round", "ns_per_round"}, time, table);
  const auto rates = [](const Method& method) { return show::Cell{rates_of(method)}; };
  add_column(study, {"rates", ""}, rates, table);
  page.add(report::Section{
      "electricity",
      "All methods on the series",
      {std::move(table),
       report::Paragraph{"* Rates chosen in hindsight on the test part; nobody can play these. "
                         "Other rates were chosen on the training part."}}});
}

}  // namespace

}  // namespace pcgs::studies

namespace pcgs::results {

void fields(Fields& f, ElectricityResult::BestExpert& expert) {
  f("name", expert.name, "mean_loss", expert.mean_loss);
}

void fields(Fields& f, ElectricityResult::Method& method) {
  f("name", method.name);
  f.unless_empty("chosen_in_hindsight", method.chosen_in_hindsight);
  f.unless_empty("chosen_on_training_part", method.chosen_on_training_part);
  f("mean_loss", method.mean_loss, "regret_per_round", method.regret_per_round);
  f.unless_empty("unclipped_mean_loss", method.unclipped_mean_loss);
  f("unclipped_regret_per_round", method.unclipped_regret_per_round, "ns_per_round",
    method.ns_per_round);
}

void fields(Fields& f, ElectricityResult& study) {
  f("file", study.file, "column", study.column, "seasons", study.seasons, "observations",
    study.observations, "burn_in", study.burn_in, "training_rounds", study.training_rounds,
    "rounds", study.rounds, "scale", study.scale, "experts", study.experts, "best_expert",
    study.best_expert, "switches", study.switches, "oracle_mean_loss", study.oracle_mean_loss);
  f.unless_empty("bound", study.bound);
  f("unclipped_oracle_mean_loss", study.unclipped_oracle_mean_loss, "methods", study.methods);
  f.require(!study.switches.empty(), "switches", "is empty");
  f.require(study.oracle_mean_loss.has_all(study.switches) &&
                study.unclipped_oracle_mean_loss.has_all(study.switches),
            "oracle_mean_loss", "lacks one of the switch budgets");
  f.require(!study.methods.empty(), "methods", "is empty");
  f.require(std::all_of(study.methods.begin(), study.methods.end(),
                        [&](const auto& m) {
                          return m.regret_per_round.has_all(study.switches) &&
                                 m.unclipped_regret_per_round.has_all(study.switches);
                        }),
            "methods", "lack regrets for one of the switch budgets");
}

const Kind& ElectricityResult::kind() {
  static const Kind kKind = make_kind<ElectricityResult, studies::show_electricity>(40);
  return kKind;
}

}  // namespace pcgs::results
