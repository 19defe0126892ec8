#include "run/comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "combine/hindsight_methods.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "proof/path_certificates.h"

namespace pcgs {

std::size_t Problem::known() const {
  std::size_t end = rounds();
  if (has_forecasts()) {
    while (end > 0 && std::isnan(outcomes[end - 1])) --end;
  }
  return end;
}

IntervalRecord::IntervalRecord(std::size_t rounds, std::vector<double> of) : levels(std::move(of)) {
  for (Matrix* side : {&low, &high}) {
    *side = Matrix(rounds, levels.size());
    std::fill(side->values.begin(), side->values.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

void IntervalRecord::put(std::size_t t, std::span<const Interval> intervals) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    low.row(t)[i] = intervals[i].low;
    high.row(t)[i] = intervals[i].high;
  }
}

}  // namespace pcgs

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

// Watches a method play. Its movement is the sum over rounds of half the L1 distance between the
// weights played and those of the round before: the mass that went from one expert to another. A
// path of experts, as weights, moves by one for every switch.
class PlayedWeights final : public TraceSink {
 public:
  // [rounds learned x K] the losses before they were capped, as they will be learned; empty for none.
  explicit PlayedWeights(const Matrix& unclipped) : unclipped_(unclipped) {}

  double movement() const { return movement_; }
  // <played weights, unclipped losses>, summed.
  double unclipped_loss() const { return unclipped_loss_; }

  void record(const TraceRow& row) override {
    for (std::size_t k = 0; k < row.played.size() && !last_.empty(); ++k) {
      movement_ += std::abs(row.played[k] - last_[k]) / 2;
    }
    last_.assign(row.played.begin(), row.played.end());
    if (round_ >= unclipped_.rows) return;
    const auto losses = unclipped_.row(round_++);
    for (std::size_t k = 0; k < losses.size(); ++k) {
      if (row.played[k] > 0) unclipped_loss_ += row.played[k] * losses[k];  // sleepers are infinite
    }
  }

 private:
  const Matrix& unclipped_;
  std::size_t round_ = 0;
  std::vector<double> last_;  // [K] empty before the first round
  double movement_ = 0, unclipped_loss_ = 0;
};

// Shows every round to several sinks. What they take does not count as time of the round.
class FanOut final : public TraceSink {
 public:
  void add(TraceSink* sink) {
    if (sink != nullptr) sinks_.push_back(sink);
  }
  bool empty() const { return sinks_.empty(); }
  std::chrono::nanoseconds spent() const { return spent_; }
  void record(const TraceRow& row) override {
    const auto start = std::chrono::steady_clock::now();
    for (TraceSink* sink : sinks_) sink->record(row);
    spent_ += std::chrono::steady_clock::now() - start;
  }

 private:
  std::vector<TraceSink*> sinks_;
  std::chrono::nanoseconds spent_{0};
};

// The loss of the rounds that are played here, where the aggregator has learned others before.
class LossTally final : public TraceSink {
 public:
  double total() const { return total_; }
  void record(const TraceRow& row) override { total_ += row.judged().mixture_loss; }

 private:
  double total_ = 0;
};

// The certificate of a method of the share form, beside an aggregator that keeps none: what it takes
// is no time of the round.
class CertificateKeeper final : public TraceSink {
 public:
  explicit CertificateKeeper(std::size_t experts) : live_(experts) {}
  const LiveCertificate& live() const { return live_; }
  void record(const TraceRow& row) override {
    live_.observe(row.round.losses, *row.step,
                  {row.round.mixture_loss, row.combined_loss(), row.round.scale});
  }

 private:
  LiveCertificate live_;
};

// The mean of what the combined forecasts lost, raw; infinite beyond the range of a double.
double mean_forecast_loss(const Problem& problem, const std::vector<double>& forecasts) {
  constexpr double kMost = std::numeric_limits<double>::max();
  double total = 0;
  std::size_t rounds = 0;
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    if (std::isnan(forecasts[t]) || std::isnan(problem.outcomes[t])) continue;
    total =
        std::min(total + std::min(problem.task(forecasts[t], problem.outcomes[t]), kMost), kMost);
    ++rounds;
  }
  return total == kMost ? std::numeric_limits<double>::infinity()
                        : total / static_cast<double>(std::max<std::size_t>(1, rounds));
}

// What methods are measured against: it does not depend on them.
class Measure {
 public:
  Measure(LearnedLosses losses, const ComparisonOptions& options)
      : scales_(std::move(losses.scales)),
        hindsight_(std::move(losses.scaled), std::ranges::max(options.switches), options.stretches),
        unclipped_(std::move(losses.unclipped)) {}

  const Hindsight& hindsight() const { return hindsight_; }
  const Matrix& unclipped() const { return unclipped_; }

  void describe(const ComparisonOptions& options, Comparison& comparison) const {
    const auto& switches = options.switches;
    comparison.switches = switches;
    for (const std::size_t s : switches) comparison.oracle.push_back(hindsight_.oracle(s));
    const std::size_t budget = hindsight_.budget();  // more is of no use
    const auto at_budgets = [&](const std::vector<double>& frontier) {
      std::vector<double> values;
      for (const std::size_t s : switches) values.push_back(frontier[std::min(s, budget)]);
      return values;
    };
    if (unclipped_.rows > 0) {
      comparison.unclipped_oracle = at_budgets(switching_oracle(unclipped_, budget));
    }
    if (options.switch_cost) {
      const double cost = *options.switch_cost;
      const SwitchingPath any = unlimited_path(hindsight_.losses(), cost);
      comparison.switch_costs = {cost,
                                 at_budgets(switching_oracle(hindsight_.losses(), budget, 1, cost)),
                                 any.loss, any.switches};
    }
    const auto totals = hindsight_.expert_losses();
    const auto best = std::min_element(totals.begin(), totals.end());
    comparison.best_expert_loss = *best;
    comparison.best_expert = static_cast<std::size_t>(best - totals.begin());
  }

  // Of a method that has played.
  void measure(const Problem& problem, const PlayedWeights& played, bool movement,
               MethodResult& result) const {
    if (problem.has_forecasts()) {
      double scaled = 0, raw = 0;
      for (std::size_t t = 0; t < result.forecasts.size(); ++t) {
        if (std::isnan(scales_[t])) continue;
        const double loss = problem.task(result.forecasts[t], problem.outcomes[t]);
        scaled += problem.scale.bounded(loss, scales_[t]);  // in the units of the oracle
        raw += loss;
      }
      result.total_forecast_loss = scaled;
      if (unclipped_.rows > 0) result.unclipped_loss = raw;
    } else if (unclipped_.rows > 0) {
      result.unclipped_loss = played.unclipped_loss();
    }
    if (movement) result.movement = played.movement();
  }

 private:
  std::vector<double> scales_;  // [T]
  Hindsight hindsight_;
  Matrix unclipped_;
};

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

// A method of a comparison on its way.
class Player {
 public:
  Player(const Problem& problem, const ComparisonOptions& options, const Measure* measure,
         Comparison& comparison)
      : problem_(problem), options_(options), measure_(measure), comparison_(comparison) {}

  // The method at this place of the options.
  MethodResult play(std::size_t i, Aggregator* from) {
    const std::string& name = options_.methods[i];
    const bool last = i + 1 == options_.methods.size();
    MethodResult names;
    names.name = options_.called.empty() ? name : options_.called[i];
    if (names.name != name) names.full = name;
    if (!options_.shown_as.empty() && !options_.shown_as[i].empty()) {
      names.chosen = name;
      names.name = options_.shown_as[i];
    }
    if (!is_playable(name)) return play_starred(name, names, last);
    if (from != nullptr) return play_one(*from, std::move(names), last);
    Aggregator made = make_player(
        problem_, name, options_.certify_forecasts && method_info(name).traits.certifies_forecasts,
        last ? options_.intervals : std::nullopt);
    return play_one(made, std::move(names), last);
  }

 private:
  MethodResult play_one(Aggregator& aggregator, MethodResult result, bool last) {
    // A bound speaks about all rounds since the first, the oracle only about those played here.
    const bool fresh = aggregator.last_opened() == 0;
    std::optional<CertificateKeeper> keeper;
    if (measure_ != nullptr && fresh && aggregator.certificate() == nullptr &&
        aggregator.method().share() != nullptr) {
      keeper.emplace(problem_.experts.size());
    }
    pass(aggregator, options_.observers, last, result, keeper ? &*keeper : nullptr);
    if (fresh) take_bounds(aggregator, result);
    read_certificate(keeper ? &keeper->live() : aggregator.certificate(), result);
    return result;
  }

  // The best candidate, which then plays once more before whoever observes.
  MethodResult play_starred(const std::string& name, const MethodResult& names, bool last) {
    std::optional<MethodResult> best;
    for (const auto& spec : candidates_of(name)) {
      MethodResult result = names;
      result.chosen = spec;
      Aggregator aggregator = make_player(problem_, spec);
      pass(aggregator, {}, last, result);
      take_bounds(aggregator, result);
      if (!best || result.total_loss < best->total_loss) best = std::move(result);
    }
    if (!options_.observers.empty()) {
      MethodResult again = names;
      again.chosen = best->chosen;
      Aggregator aggregator = make_player(problem_, best->spec());
      pass(aggregator, options_.observers, false, again);
    }
    return std::move(*best);
  }

  void take_bounds(const Aggregator& aggregator, MethodResult& result) const {
    if (measure_ == nullptr) return;
    read_bounds(aggregator.method(), problem_, measure_->hindsight(), result);
  }

  // One pass, from where the aggregator is; `result` has its names already. Everything that can be known
  // of it alone is filled in, for the rounds that are played here.
  void pass(Aggregator& aggregator, const std::vector<RunObserver*>& observers, bool last,
            MethodResult& result, TraceSink* keeper = nullptr) {
    const Hindsight* hindsight = measure_ != nullptr ? &measure_->hindsight() : nullptr;
    Published published;
    if (problem_.has_forecasts()) {
      result.forecasts.resize(problem_.rounds());
      published.forecasts = &result.forecasts;
      if (aggregator.interval_options()) {
        published.intervals =
            &result.intervals.emplace(problem_.rounds(), aggregator.interval_options()->levels);
      }
    }
    if (last && options_.keep_weights) {
      result.weights = Matrix(problem_.rounds(), problem_.experts.size());
      published.weights = &result.weights;
    }
    FanOut sinks;
    LossTally tally;
    const bool resumed = aggregator.rounds() > 0;
    if (resumed) sinks.add(&tally);
    sinks.add(keeper);
    std::optional<PlayedWeights> weights;
    if (measure_ != nullptr) weights.emplace(measure_->unclipped());
    if (weights &&
        (options_.switch_cost || (measure_->unclipped().rows > 0 && !problem_.has_forecasts()))) {
      sinks.add(&*weights);
    }
    for (RunObserver* observer : observers) {
      sinks.add(observer->begin(problem_, result, aggregator, hindsight));
    }
    if (!sinks.empty()) aggregator.trace(&sinks);
    const auto skipped = aggregator.skipped();
    const auto start = std::chrono::steady_clock::now();
    play_rounds(problem_, aggregator, published, options_.advance);
    const std::chrono::duration<double, std::nano> spent =
        std::chrono::steady_clock::now() - start - sinks.spent();
    aggregator.trace(nullptr);
    for (RunObserver* observer : observers) observer->end();
    result.ns_per_round = spent.count() / static_cast<double>(problem_.rounds());
    result.next_weights.assign(aggregator.weights().begin(), aggregator.weights().end());
    result.total_loss = resumed ? tally.total() : aggregator.total_loss();
    if (problem_.has_forecasts()) {
      result.mean_forecast_loss = mean_forecast_loss(problem_, result.forecasts);
    }
    comparison_.scale = aggregator.scale().value(problem_.source());
    comparison_.skipped = static_cast<std::size_t>(aggregator.skipped() - skipped);
    if (measure_ == nullptr) return;
    for (const double best : comparison_.oracle) result.regret.push_back(result.total_loss - best);
    measure_->measure(problem_, *weights, options_.switch_cost.has_value(), result);
  }

  const Problem& problem_;
  const ComparisonOptions& options_;
  const Measure* measure_;
  Comparison& comparison_;
};

}  // namespace

Aggregator make_player(const Problem& problem, const std::string& method, bool certify,
                       std::optional<IntervalOptions> intervals) {
  return make_aggregator(
      method, problem.experts.size(),
      {problem.task, problem.scale, problem.experts, certify, 1, std::move(intervals)});
}

std::size_t rounds_to_play(const Problem& problem, const ComparisonOptions& options) {
  std::size_t passes = 0;
  for (const auto& name : options.methods) {
    passes += candidates_of(name).size();
    if (!is_playable(name) && !options.observers.empty()) ++passes;
  }
  return passes * problem.rounds();
}

Comparison play_methods(const Problem& problem, const ComparisonOptions& options,
                        Aggregator* from) {
  Comparison comparison;
  comparison.rounds = problem.rounds();
  std::optional<Measure> measure;
  if (!options.switches.empty())
    measure.emplace(learned_losses(problem), options).describe(options, comparison);
  Player player(problem, options, measure ? &*measure : nullptr, comparison);
  for (std::size_t i = 0; i < options.methods.size(); ++i) {
    const bool last = i + 1 == options.methods.size();
    comparison.methods.push_back(player.play(i, last ? from : nullptr));
  }
  return comparison;
}

}  // namespace pcgs::compare
