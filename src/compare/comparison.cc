#include "compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "methods/hindsight.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"

namespace pcgs::compare {

Aggregator make_player(const Problem& problem, const std::string& method, bool certify) {
  return make_aggregator(method, problem.experts.size(),
                         {problem.task, problem.scale, problem.experts, certify});
}

void play_rounds(const Problem& problem, Aggregator& aggregator, std::vector<double>& forecasts,
                 const std::function<void(std::size_t)>& advance) {
  constexpr std::size_t kBetween = 64;
  if (problem.has_forecasts()) forecasts.resize(problem.rounds());
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto side = problem.side.columns > 0 ? problem.side.row(t) : std::span<const double>();
    if (problem.has_forecasts()) {
      forecasts[t] = aggregator.predict(problem.values.row(t), side);
      aggregator.learn(aggregator.last_opened(), problem.outcomes[t]);
    } else if (side.empty()) {
      aggregator.learn(problem.values.row(t));
    } else {
      aggregator.learn(aggregator.open({}, side), problem.values.row(t));
    }
    if (advance && (t + 1) % kBetween == 0) advance(kBetween);
  }
  if (advance) advance(problem.rounds() % kBetween);
}

namespace {

struct Played {
  MethodResult result;
  double scale = 1;
  std::size_t skipped = 0;
};

void read_certificate(const Aggregator& aggregator, MethodResult& result) {
  const LiveCertificate* live = aggregator.certificate();
  if (live == nullptr || live->rounds() == 0) return;
  result.weighted_certificate = live->constant_eta() == 0;
  result.certificate = result.weighted_certificate ? live->weighted() : live->certificate();
}

// Before the method is gone; what it is worth shows when the oracle is known.
void read_bounds(const Method& method, const std::vector<std::size_t>& switches,
                 MethodResult& result) {
  if (std::isinf(method.switching_bound(0))) return;
  const std::size_t most = *std::max_element(switches.begin(), switches.end());
  for (std::size_t s = 0; s <= most; ++s) {
    result.switching_bounds.push_back(method.switching_bound(s));
  }
}

Played play(const Problem& problem, const std::string& name, Aggregator& aggregator,
            TraceSink* sink, const std::function<void(std::size_t)>& advance) {
  Played played;
  played.result.name = name;
  const double loss_before = aggregator.total_loss();
  const double forecast_loss_before = aggregator.total_forecast_loss();
  const std::int64_t rounds_before = aggregator.rounds();
  const std::int64_t skipped_before = aggregator.skipped();
  aggregator.trace(sink);
  const auto start = std::chrono::steady_clock::now();
  play_rounds(problem, aggregator, played.result.forecasts, advance);
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  aggregator.trace(nullptr);
  played.result.total_loss = aggregator.total_loss() - loss_before;
  if (problem.has_forecasts()) {
    played.result.mean_forecast_loss =
        (aggregator.total_forecast_loss() - forecast_loss_before) /
        static_cast<double>(std::max<std::int64_t>(1, aggregator.rounds() - rounds_before));
  }
  played.result.ns_per_round = spent.count() / static_cast<double>(problem.rounds());
  played.result.next_weights.assign(aggregator.weights().begin(), aggregator.weights().end());
  played.scale = aggregator.scale().value(problem.source());
  played.skipped = static_cast<std::size_t>(aggregator.skipped() - skipped_before);
  read_certificate(aggregator, played.result);
  return played;
}

// Oracle and regrets, once everything is played.
void measure(const Problem& problem, Comparison& comparison) {
  const Matrix losses = scaled_losses(problem);
  const std::size_t most =
      *std::max_element(comparison.switches.begin(), comparison.switches.end());
  const auto frontier = switching_oracle(losses, most);
  for (const std::size_t s : comparison.switches) comparison.oracle.push_back(frontier[s]);
  for (MethodResult& method : comparison.methods) {
    for (const double best : comparison.oracle) method.regret.push_back(method.total_loss - best);
    if (method.switching_bounds.empty() || std::isinf(frontier.back())) continue;
    method.certificate = switching_certificate(method.switching_bounds, method.total_loss, frontier,
                                               problem.rounds(), problem.experts.size());
    method.certified_switches = most;
  }
  comparison.rounds = problem.rounds();
  comparison.best_expert_loss = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < losses.columns; ++k) {
    double total = 0;
    for (std::size_t t = 0; t < losses.rows; ++t) total += losses.row(t)[k];
    if (total < comparison.best_expert_loss) {
      comparison.best_expert = k;
      comparison.best_expert_loss = total;
    }
  }
}

}  // namespace

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : registered_methods()) names.emplace_back(method.name);
  for (const HindsightMethod& method : hindsight_methods()) names.emplace_back(method.name);
  return names;
}

std::vector<std::string> methods_from(const std::string& list, const std::string& model) {
  auto methods = list == "all"  ? all_methods()
                 : list.empty() ? std::vector{std::string(kDefaultMethod)}
                                : split_specs(list);
  if (model.empty()) return methods;
  bool used = false;
  for (std::string& method : methods) {
    const std::string with = is_playable(method) ? with_model(method, model) : method;
    used = used || with != method;
    method = with;
  }
  if (!used) {
    throw Error(
        "--model gives weights to pcgs-tf and to guard, which are not among the methods; add one");
  }
  return methods;
}

void check_methods(const std::vector<std::string>& methods, std::size_t experts, std::size_t side) {
  for (auto at = methods.begin(); at != methods.end(); ++at) {
    if (std::find(methods.begin(), at, *at) != at) {
      throw Error(fmt::format("method {} is given twice; give it once", *at));
    }
  }
  for (const auto& name : methods) {
    if (find_hindsight_method(name) != nullptr) continue;
    const std::size_t needed = make_method(name, experts)->side_needed();
    if (needed == 0 || needed == side) continue;
    throw Error(
        fmt::format("{} needs {} number{} of side information in every round, and here are "
                    "{}; pcgs run takes them with --side or --side-file",
                    name, needed, needed == 1 ? "" : "s", side));
  }
}

std::size_t rounds_to_play(const Problem& problem, const ComparisonOptions& options) {
  std::size_t runs = 0;
  for (const auto& name : options.methods) runs += candidates_of(name).size();
  return runs * problem.rounds();
}

Comparison play_methods(const Problem& problem, const ComparisonOptions& options) {
  Comparison comparison;
  comparison.switches = options.switches;

  for (const auto& name : options.methods) {
    const auto candidates = candidates_of(name);
    const bool starred = candidates.size() > 1;
    std::optional<MethodResult> best;
    for (const auto& spec : candidates) {
      const auto sink = !starred && options.sink ? options.sink(spec) : nullptr;
      Aggregator aggregator = make_player(problem, spec);
      Played played = play(problem, name, aggregator, sink.get(), options.advance);
      comparison.scale = played.scale;
      comparison.skipped = played.skipped;
      if (best && best->total_loss <= played.result.total_loss) continue;
      best = std::move(played.result);
      if (starred) best->chosen = spec;
      read_bounds(aggregator.method(), options.switches, *best);
      if (starred || aggregator.method().share() == nullptr) continue;
      // Once more with a certificate, so that it costs nothing where time is measured.
      Aggregator certified = make_player(problem, spec, true);
      std::vector<double> ignored;
      play_rounds(problem, certified, ignored);
      read_certificate(certified, *best);
    }
    comparison.methods.push_back(std::move(*best));
  }
  measure(problem, comparison);
  return comparison;
}

Comparison play_from(const Problem& problem, const ComparisonOptions& options,
                     Aggregator& aggregator) {
  Comparison comparison;
  comparison.switches = options.switches;
  const std::string& name = options.methods.front();
  const auto sink = options.sink ? options.sink(name) : nullptr;
  const bool from_the_start = aggregator.last_opened() == 0;
  Played played = play(problem, name, aggregator, sink.get(), options.advance);
  comparison.skipped = played.skipped;
  // A bound speaks about all rounds since the first, the oracle only about those of this problem.
  if (from_the_start) read_bounds(aggregator.method(), options.switches, played.result);
  comparison.methods.push_back(std::move(played.result));
  comparison.scale = played.scale;
  measure(problem, comparison);
  return comparison;
}

}  // namespace pcgs::compare
