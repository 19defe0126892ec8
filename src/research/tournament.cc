#include "research/tournament.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#include "combine/hindsight_methods.h"
#include "data/parallel.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"

namespace pcgs::suite {

namespace {

// What has to be played: every method once, also where it is a candidate of several starred ones.
class Players {
 public:
  explicit Players(const TournamentOptions& options) {
    for (const auto& name : options.methods) {
      auto& runs = runs_of_.emplace_back();
      for (const auto& spec : candidates_of(name)) {
        const auto [at, is_new] = index_.try_emplace(spec, specs_.size());
        if (is_new) {
          specs_.push_back(spec);
          sources_.push_back(resolve_method(spec));  // an Error here, before any work
          require_no_side(spec, *sources_.back()(options.experts));
        }
        runs.push_back(at->second);
      }
    }
  }

  const std::vector<std::string>& specs() const { return specs_; }
  const std::vector<MethodSource>& sources() const { return sources_; }
  // The indices of a method's candidates among the specs: one, or for a starred method its grid.
  const std::vector<std::size_t>& runs_of(std::size_t method) const { return runs_of_[method]; }

 private:
  static void require_no_side(const std::string& spec, const Method& method) {
    if (method.side_needed() == 0) return;
    throw Error(
        fmt::format("{} needs side information, which made-up sequences do not have; play "
                    "it with pcgs run",
                    spec));
  }

  std::vector<std::string> specs_;
  std::vector<MethodSource> sources_;  // of the specs
  std::vector<std::vector<std::size_t>> runs_of_;
  std::map<std::string, std::size_t> index_;
};

// What one player loses, and what its weights would have lost on the losses before they were
// clipped; 0 where these are not known.
struct Lost {
  double total = 0;
  double unclipped = 0;

  void add(std::span<const double> weights, const Sequence& sequence, std::size_t t) {
    if (sequence.unclipped.rows == 0) return;
    const auto row = sequence.unclipped.row(t);
    unclipped = std::inner_product(row.begin(), row.end(), weights.begin(), unclipped);
  }
};

Lost play_sequence_with(std::unique_ptr<Method> method, const Sequence& sequence) {
  Aggregator aggregator(std::move(method));
  Lost lost;
  for (std::size_t t = 0; t < sequence.losses.rows; ++t) {
    lost.add(aggregator.weights(), sequence, t);
    aggregator.learn(sequence.losses.row(t));
  }
  lost.total = aggregator.total_loss();
  return lost;
}

Lost play_limit(const Sequence& sequence) {
  Lost lost;
  const auto limit = sequence.limit();
  for (std::size_t t = 0; t < sequence.losses.rows; ++t) {
    const auto row = sequence.losses.row(t);
    lost.total += std::inner_product(row.begin(), row.end(), limit->weights().begin(), 0.0);
    lost.add(limit->weights(), sequence, t);
    limit->learn(row);
  }
  return lost;
}

// All that happens on one sequence.
struct Played {
  double oracle = 0;
  double generating = 0;
  std::vector<Lost> losses;  // [specs]
  Lost limit;
  bool has_limit = false;
  std::optional<double> unclipped_oracle;
};

Played play_sequence(const TournamentOptions& options, const Players& players, std::size_t index) {
  const Sequence sequence = generate(options.family, options.rounds, options.experts,
                                     evaluation_seed(options.seed, index));
  Played played;
  played.oracle = switching_oracle(sequence.losses, options.switches).back();
  if (sequence.unclipped.rows > 0) {
    played.unclipped_oracle = switching_oracle(sequence.unclipped, options.switches).back();
  }
  for (std::size_t t = 0; t < options.rounds; ++t) {
    played.generating += sequence.losses.row(t)[sequence.path[t]];
  }
  for (const auto& source : players.sources()) {
    played.losses.push_back(play_sequence_with(source(options.experts), sequence));
  }
  played.has_limit = static_cast<bool>(sequence.limit);
  if (played.has_limit) played.limit = play_limit(sequence);
  return played;
}

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

}  // namespace

double play(std::string_view method, MatrixView losses, TraceSink* sink) {
  return play(make_method(method, losses.columns), losses, sink);
}

double play(std::unique_ptr<Method> method, MatrixView losses, TraceSink* sink) {
  Aggregator aggregator(std::move(method));
  aggregator.trace(sink);
  for (std::size_t t = 0; t < losses.rows; ++t) aggregator.learn(losses.row(t));
  return aggregator.total_loss();
}

double play(Limit& limit, MatrixView losses) {
  double total = 0;
  for (std::size_t t = 0; t < losses.rows; ++t) {
    const auto row = losses.row(t);
    total += std::inner_product(row.begin(), row.end(), limit.weights().begin(), 0.0);
    limit.learn(row);
  }
  return total;
}

std::vector<double> minus(const std::vector<double>& losses, const std::vector<double>& oracle) {
  std::vector<double> regret(losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) regret[i] = losses[i] - oracle[i];
  return regret;
}

Tournament play_tournament(const TournamentOptions& options) {
  const Players players(options);
  generate(options.family, 1, options.experts, 0);  // an Error here, before any work
  std::vector<Played> all(options.sequences);
  std::mutex one_at_a_time;
  parallel_for(options.sequences, options.threads, [&](std::size_t i) {
    all[i] = play_sequence(options, players, i);
    const std::lock_guard lock(one_at_a_time);
    options.finished_one();
  });

  Tournament result;
  for (const Played& one : all) {
    result.oracle.push_back(one.oracle);
    result.generating.push_back(one.generating);
    if (one.unclipped_oracle) result.unclipped_oracle.push_back(*one.unclipped_oracle);
  }
  const auto losses_of = [&](std::size_t run, double Lost::*which) {
    std::vector<double> losses;
    for (const Played& one : all) losses.push_back(one.losses[run].*which);
    return losses;
  };
  const bool unclipped = !result.unclipped_oracle.empty();
  for (std::size_t m = 0; m < options.methods.size(); ++m) {
    Entry best{options.methods[m], "", {}};
    const auto& runs = players.runs_of(m);
    for (const std::size_t run : runs) {
      auto losses = losses_of(run, &Lost::total);
      if (!best.losses.empty() && sum(best.losses) <= sum(losses)) continue;
      best.losses = std::move(losses);
      if (unclipped) best.unclipped_losses = losses_of(run, &Lost::unclipped);
      if (runs.size() > 1) best.chosen = players.specs()[run];
    }
    if (best.name == kTunedFixedShare) {
      for (const Played& one : all) {
        double least = one.losses[runs.front()].total;
        for (const std::size_t run : runs) least = std::min(least, one.losses[run].total);
        result.tuned_per_sequence.push_back(least);
      }
    }
    result.entries.push_back(std::move(best));
  }
  if (!all.empty() && all.front().has_limit) {
    Entry limit{kLimitName, "", {}};
    for (const Played& one : all) {
      limit.losses.push_back(one.limit.total);
      if (unclipped) limit.unclipped_losses.push_back(one.limit.unclipped);
    }
    result.entries.push_back(std::move(limit));
  }
  return result;
}

}  // namespace pcgs::suite
