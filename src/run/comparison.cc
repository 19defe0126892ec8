#include "run/comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "combine/hindsight_methods.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "proof/path_certificates.h"
#include "run/played_weights.h"

namespace pcgs::compare {

namespace {

using Advance = std::function<void(std::size_t)>;

// Where what a method publishes goes; nowhere if null.
struct Published {
  std::vector<double>* forecasts = nullptr;  // [T]
  IntervalRecord* intervals = nullptr;
  Matrix* weights = nullptr;  // [T x K]
};

// Plays every round of losses from where the aggregator is. Calls played() after each, which must
// cost next to nothing: this is timed.
template <class Played>
void play_losses(const Problem& problem, Aggregator& aggregator, Matrix* weights,
                 const Played& played) {
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (problem.side.columns == 0) {
      if (weights != nullptr) std::ranges::copy(aggregator.weights(), weights->row(t).begin());
      aggregator.learn(problem.values.row(t));
    } else {
      const std::int64_t round = aggregator.open({}, problem.side.row(t));
      if (weights != nullptr) std::ranges::copy(aggregator.played(round), weights->row(t).begin());
      aggregator.learn(round, problem.values.row(t));
    }
    played();
  }
}

// Everything but who watches.
Aggregator copy_of(const Aggregator& aggregator) {
  return Aggregator::load_bytes(aggregator.save_bytes(), aggregator.method().name(), make_method);
}

// The same for forecasts: a round is opened when the outcomes before it that are known by then have
// been learned; those of its own block, say, are not. A round whose outcome never came is forgotten
// then. Rounds after the last known outcome are forecast by a copy, so that whoever goes on from here
// finds no trace of them; where the problem says what each of them knows, the copy knows no more.
template <class Played>
void play_forecasts(const Problem& problem, Aggregator& aggregator, const Published& published,
                    const Played& played) {
  const std::size_t rounds = problem.rounds(), known = problem.known();
  std::vector<std::int64_t> numbers(known);
  const auto predict = [&](Aggregator& by, std::size_t t) {
    if (!problem.missing.empty()) by.skip(problem.missing[t]);
    const auto side = problem.side.columns > 0 ? problem.side.row(t) : std::span<const double>();
    const double combined = by.predict(problem.values.row(t), side);
    if (published.forecasts != nullptr) (*published.forecasts)[t] = combined;
    if (published.intervals != nullptr) published.intervals->put(t, by.intervals(by.last_opened()));
    if (published.weights != nullptr) {
      std::ranges::copy(by.played(by.last_opened()), published.weights->row(t).begin());
    }
    played();
  };
  const auto learn = [&](Aggregator& by, std::size_t from, std::size_t end) {
    for (std::size_t t = from; t < end; ++t) {
      if (std::isnan(problem.outcomes[t])) {
        by.abandon(numbers[t]);
      } else {
        by.learn(numbers[t], problem.outcomes[t]);
      }
    }
    return std::max(from, end);
  };
  std::size_t learned = 0;
  for (std::size_t t = 0; t < known; ++t) {
    learned = learn(aggregator, learned, problem.known_before(t));
    predict(aggregator, t);
    numbers[t] = aggregator.last_opened();
  }
  const auto known_to_coming = [&](std::size_t t) {
    return problem.known_at.empty() ? known : std::min(problem.known_before(t), known);
  };
  std::optional<Aggregator> ahead;
  std::size_t learned_ahead = 0;
  if (known < rounds) {
    learned = learn(aggregator, learned, known_to_coming(known));
    ahead.emplace(copy_of(aggregator));
    learned_ahead = learned;
  }
  learn(aggregator, learned, known);
  for (std::size_t t = known; t < rounds; ++t) {
    learned_ahead = learn(*ahead, learned_ahead, known_to_coming(t));
    predict(*ahead, t);
  }
}

void play_rounds(const Problem& problem, Aggregator& aggregator, const Published& published,
                 const Advance& advance) {
  constexpr std::size_t kBetween = 64;
  std::size_t untold = 0;
  const auto played = [&] {
    if (++untold < kBetween) return;
    if (advance) advance(untold);
    untold = 0;
  };
  if (problem.has_forecasts()) {
    play_forecasts(problem, aggregator, published, played);
  } else {
    play_losses(problem, aggregator, published.weights, played);
  }
  if (advance && untold > 0) advance(untold);
}

// Shows every round to several sinks.
class FanOut final : public TraceSink {
 public:
  void add(TraceSink* sink) { sinks_.push_back(sink); }
  void record(const TraceRow& row) override {
    for (TraceSink* sink : sinks_) sink->record(row);
  }

 private:
  std::vector<TraceSink*> sinks_;
};

// Makes room for what a pass publishes beside forecasts.
void begin_record(const Problem& problem, const Aggregator& aggregator, bool keep_weights,
                  MethodResult& method, Published& published) {
  if (problem.has_forecasts() && aggregator.interval_options()) {
    published.intervals =
        &method.intervals.emplace(problem.rounds(), aggregator.interval_options()->levels);
  }
  if (keep_weights) {
    method.weights = Matrix(problem.rounds(), problem.experts.size());
    published.weights = &method.weights;
  }
}

// Fills in what only this pass can know.
void play_observed(const Problem& problem, MethodResult& method, const Hindsight& hindsight,
                   const std::vector<Observer*>& observers, const Advance& advance,
                   Aggregator& aggregator, bool keep_weights, TraceSink* also = nullptr) {
  FanOut sinks;
  if (also != nullptr) sinks.add(also);
  Published published;
  begin_record(problem, aggregator, keep_weights, method, published);
  for (Observer* observer : observers) {
    if (TraceSink* sink = observer->begin(method, aggregator, hindsight)) sinks.add(sink);
  }
  if (!observers.empty() || also != nullptr) aggregator.trace(&sinks);
  play_rounds(problem, aggregator, published, advance);
  aggregator.trace(nullptr);
  for (Observer* observer : observers) observer->end();
}

std::size_t most_switches(const std::vector<std::size_t>& switches) {
  return *std::max_element(switches.begin(), switches.end());
}

// What is measured against, before anybody plays: the losses do not depend on it.
Comparison empty_comparison(const Problem& problem, const Hindsight& hindsight,
                            const Matrix& unclipped, const ComparisonOptions& options) {
  Comparison comparison;
  const auto& switches = options.switches;
  comparison.rounds = problem.rounds();
  comparison.switches = switches;
  for (const std::size_t s : switches) comparison.oracle.push_back(hindsight.oracle(s));
  const std::size_t budget = hindsight.budget();  // more is of no use
  const auto at_budgets = [&](const std::vector<double>& frontier) {
    std::vector<double> values;
    for (const std::size_t s : switches) values.push_back(frontier[std::min(s, budget)]);
    return values;
  };
  if (unclipped.rows > 0) {
    comparison.unclipped_oracle = at_budgets(switching_oracle(unclipped, budget));
  }
  if (options.switch_cost) {
    const double cost = *options.switch_cost;
    const SwitchingPath any = unlimited_path(hindsight.losses(), cost);
    comparison.switch_costs = {cost,
                               at_budgets(switching_oracle(hindsight.losses(), budget, 1, cost)),
                               any.loss, any.switches};
  }
  const auto totals = hindsight.expert_losses();
  const auto best = std::min_element(totals.begin(), totals.end());
  comparison.best_expert_loss = *best;
  comparison.best_expert = static_cast<std::size_t>(best - totals.begin());
  return comparison;
}

// In the units of the oracle.
double scaled_forecast_loss(const Problem& problem, const std::vector<double>& forecasts,
                            const std::vector<double>& scales) {
  double total = 0;
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    if (std::isnan(scales[t])) continue;
    total += problem.scale.bounded(problem.task(forecasts[t], problem.outcomes[t]), scales[t]);
  }
  return total;
}

// In the user's units.
double raw_forecast_loss(const Problem& problem, const std::vector<double>& forecasts,
                         const std::vector<double>& scales) {
  double total = 0;
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    if (!std::isnan(scales[t])) total += problem.task(forecasts[t], problem.outcomes[t]);
  }
  return total;
}

// Forecasts, time and what is known at the end; `published` names what else is kept.
void play_timed(const Problem& problem, Aggregator& aggregator, Published published,
                const Advance& advance, MethodResult& result) {
  if (problem.has_forecasts()) result.forecasts.resize(problem.rounds());
  published.forecasts = &result.forecasts;
  const auto start = std::chrono::steady_clock::now();
  play_rounds(problem, aggregator, published, advance);
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  result.ns_per_round = spent.count() / static_cast<double>(problem.rounds());
  result.next_weights.assign(aggregator.weights().begin(), aggregator.weights().end());
  result.total_loss = aggregator.total_loss();
}

// A pass that nothing watches, by an aggregator that has learned nothing yet. `scale` and `skipped`
// of the comparison are those of any method.
MethodResult play_bare(const Problem& problem, Aggregator& aggregator, const Advance& advance,
                       Comparison& comparison) {
  MethodResult result;
  play_timed(problem, aggregator, {}, advance, result);
  if (problem.has_forecasts()) {
    const double total = aggregator.total_forecast_loss();
    result.mean_forecast_loss =
        total == std::numeric_limits<double>::max()
            ? std::numeric_limits<double>::infinity()
            : total / static_cast<double>(std::max<std::int64_t>(1, aggregator.rounds()));
  }
  for (const double best : comparison.oracle) result.regret.push_back(result.total_loss - best);
  comparison.scale = aggregator.scale().value(problem.source());
  comparison.skipped = static_cast<std::size_t>(aggregator.skipped());
  return result;
}

void read_certificate(const LiveCertificate* live, MethodResult& result) {
  if (live == nullptr || live->rounds() == 0) return;
  result.weighted_certificate = live->constant_eta() == 0;
  result.certificate = result.weighted_certificate ? live->weighted() : live->certificate();
}

// The certificate of a method that brings a bound of its own.
void read_bounds(const Method& method, const Problem& problem, const Hindsight& hindsight,
                 MethodResult& result) {
  if (std::isinf(method.switching_bound(0)) || std::isinf(hindsight.oracle(hindsight.switches()))) {
    return;
  }
  std::vector<double> bounds, oracle;
  for (std::size_t s = 0; s <= hindsight.switches(); ++s) {
    bounds.push_back(method.switching_bound(s));
    oracle.push_back(hindsight.oracle(s));
  }
  result.certificate = switching_certificate(bounds, result.total_loss, oracle, problem.rounds(),
                                             problem.experts.size());
  result.certified_switches = hindsight.switches();
}

// Plays on from where another aggregator is, and counts its own rounds only; without the certificate
// that would be timed.
Aggregator bare_copy(const Aggregator& from) {
  StateWriter state;
  from.method().save(state);
  const auto file = state.file(0);
  StateReader reader(file, from.method().name());
  auto method = make_method(from.method().name(), from.experts());
  method->load(reader);
  return Aggregator(std::move(method),
                    {from.task(), from.scale(), from.names(), false, from.last_opened() + 1});
}

}  // namespace

Aggregator make_player(const Problem& problem, const std::string& method, bool certify,
                       std::optional<IntervalOptions> intervals) {
  return make_aggregator(
      method, problem.experts.size(),
      {problem.task, problem.scale, problem.experts, certify, 1, std::move(intervals)});
}

std::size_t rounds_to_play(const Problem& problem, const ComparisonOptions& options) {
  std::size_t runs = 0;
  for (const auto& name : options.methods) runs += candidates_of(name).size() + 1;
  return runs * problem.rounds();
}

Comparison play_methods(const Problem& problem, const ComparisonOptions& options,
                        Aggregator* from) {
  std::vector<double> scales;
  const Hindsight hindsight(scaled_losses(problem, &scales), most_switches(options.switches),
                            options.stretches);
  const Matrix unclipped = unclipped_losses(problem);
  Comparison comparison = empty_comparison(problem, hindsight, unclipped, options);
  const bool needs_weights =
      options.switch_cost || (unclipped.rows > 0 && !problem.has_forecasts());
  for (std::size_t i = 0; i < options.methods.size(); ++i) {
    const std::string& name = options.methods[i];
    const auto candidates = candidates_of(name);
    const bool starred = !is_playable(name);
    std::optional<MethodResult> best;
    bool share_form = false;
    for (const auto& spec : candidates) {
      Aggregator aggregator = from != nullptr ? bare_copy(*from) : make_player(problem, spec);
      MethodResult played = play_bare(problem, aggregator, options.advance, comparison);
      if (best && best->total_loss <= played.total_loss) continue;
      best = std::move(played);
      best->name = options.called.empty() ? name : options.called[i];
      if (best->name != name) best->full = name;
      if (starred) best->chosen = spec;
      share_form = aggregator.method().share() != nullptr;
      // A bound speaks about all rounds since the first, the oracle only about those played here.
      if (from == nullptr || from->last_opened() == 0) {
        read_bounds(aggregator.method(), problem, hindsight, *best);
      }
    }
    if (problem.has_forecasts()) {
      best->total_forecast_loss = scaled_forecast_loss(problem, best->forecasts, scales);
      if (unclipped.rows > 0) {
        best->unclipped_loss = raw_forecast_loss(problem, best->forecasts, scales);
      }
    }
    if (!options.shown_as.empty() && !options.shown_as[i].empty()) {
      best->chosen = name;
      best->name = options.shown_as[i];
    }
    const bool certified =
        !starred &&
        (share_form || (options.certify_forecasts && method_info(name).traits.certifies_forecasts));
    const bool last = i + 1 == options.methods.size();
    const auto intervals = last && !starred ? options.intervals : std::nullopt;
    const bool weights = last && !starred && options.keep_weights;
    if (from != nullptr || certified || intervals || weights || needs_weights ||
        !options.observers.empty()) {
      std::optional<Aggregator> made;
      if (from == nullptr) made = make_player(problem, best->spec(), certified, intervals);
      Aggregator& player = from != nullptr ? *from : *made;
      PlayedWeights played(unclipped);
      play_observed(problem, *best, hindsight, options.observers, options.advance, player, weights,
                    needs_weights ? &played : nullptr);
      if (options.switch_cost) best->movement = played.movement();
      if (unclipped.rows > 0 && !problem.has_forecasts()) {
        best->unclipped_loss = played.unclipped_loss();
      }
      read_certificate(player.certificate(), *best);
    } else if (options.advance) {
      options.advance(problem.rounds());
    }
    comparison.methods.push_back(std::move(*best));
  }
  return comparison;
}

MethodResult play_once(const Problem& problem, Aggregator& aggregator,
                       const std::function<void(std::size_t)>& advance) {
  MethodResult result;
  Published published;
  begin_record(problem, aggregator, true, result, published);
  play_timed(problem, aggregator, published, advance, result);
  return result;
}

Matrix weights_of(const Problem& problem, const MethodResult& method,
                  const std::function<void(std::size_t)>& advance) {
  Aggregator player = make_player(problem, method.spec());
  Matrix weights(problem.rounds(), problem.experts.size());
  play_rounds(problem, player, {nullptr, nullptr, &weights}, advance);
  return weights;
}

void observe_methods(const Problem& problem, const Comparison& comparison,
                     const std::vector<Observer*>& observers, std::size_t stretches) {
  const Hindsight hindsight(scaled_losses(problem), most_switches(comparison.switches), stretches);
  for (MethodResult method : comparison.methods) {
    Aggregator player = make_player(problem, method.spec());
    play_observed(problem, method, hindsight, observers, {}, player, false);
  }
}

}  // namespace pcgs::compare
