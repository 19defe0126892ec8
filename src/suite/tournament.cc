#include "suite/tournament.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "core/parallel.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "registry/hindsight.h"

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

// All that happens on one sequence.
struct Played {
  double oracle = 0;
  double generating = 0;
  std::vector<double> losses;  // [specs]
  double limit = 0;
  bool has_limit = false;
};

Played play_sequence(const TournamentOptions& options, const Players& players, std::size_t index) {
  const Sequence sequence = generate(options.family, options.rounds, options.experts,
                                     evaluation_seed(options.seed, index));
  Played played;
  played.oracle = switching_oracle(sequence.losses, options.switches).back();
  for (std::size_t t = 0; t < options.rounds; ++t) {
    played.generating += sequence.losses.row(t)[sequence.path[t]];
  }
  for (const auto& source : players.sources()) {
    played.losses.push_back(play(source(options.experts), sequence.losses));
  }
  played.has_limit = static_cast<bool>(sequence.limit);
  if (played.has_limit) played.limit = play(*sequence.limit(), sequence.losses);
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
  }
  const auto losses_of = [&](std::size_t run) {
    std::vector<double> losses;
    for (const Played& one : all) losses.push_back(one.losses[run]);
    return losses;
  };
  for (std::size_t m = 0; m < options.methods.size(); ++m) {
    Entry best{options.methods[m], "", {}};
    const auto& runs = players.runs_of(m);
    for (const std::size_t run : runs) {
      auto losses = losses_of(run);
      if (!best.losses.empty() && sum(best.losses) <= sum(losses)) continue;
      best.losses = std::move(losses);
      if (runs.size() > 1) best.chosen = players.specs()[run];
    }
    if (best.name == kTunedFixedShare) {
      for (const Played& one : all) {
        double least = one.losses[runs.front()];
        for (const std::size_t run : runs) least = std::min(least, one.losses[run]);
        result.tuned_per_sequence.push_back(least);
      }
    }
    result.entries.push_back(std::move(best));
  }
  if (!all.empty() && all.front().has_limit) {
    Entry limit{kLimitName, "", {}};
    for (const Played& one : all) limit.losses.push_back(one.limit);
    result.entries.push_back(std::move(limit));
  }
  return result;
}

}  // namespace pcgs::suite
