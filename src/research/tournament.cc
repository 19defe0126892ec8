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

struct Player {
  std::string spec;
  bool clipped = true;
  MethodSource source;
};

// What has to be played: every method once, also where several have it as a candidate.
struct Players {
  std::vector<Contender> contenders;
  std::vector<Player> all;
  std::vector<std::vector<std::size_t>> runs_of;  // [contenders] which of all are its candidates
};

// Throws Error for what cannot play.
Players players_of(const TournamentOptions& options) {
  Players players{options.contenders, {}, {}};
  if (players.contenders.empty()) {
    for (const auto& name : options.methods) {
      players.contenders.push_back({name, candidates_of(name)});
    }
  }
  std::map<std::pair<std::string, bool>, std::size_t> index;
  for (const Contender& one : players.contenders) {
    auto& runs = players.runs_of.emplace_back();
    for (const auto& spec : one.candidates) {
      const auto [at, is_new] = index.try_emplace({spec, one.clipped}, players.all.size());
      runs.push_back(at->second);
      if (!is_new) continue;
      players.all.push_back({spec, one.clipped, resolve_method(spec)});
      if (players.all.back().source(options.experts)->side_needed() == 0) continue;
      throw Error(
          fmt::format("{} needs side information, which made-up sequences do not have; play it "
                      "with pcgs run",
                      spec));
    }
  }
  return players;
}

// Learns from losses that are scaled into [0,1] instead of clipped, by the sequence's own range, known in
// hindsight: no bound that holds without clipping is closer.
class Scaled {
 public:
  Scaled(Aggregator& aggregator, Matrix unclipped)
      : aggregator_(aggregator), losses_(std::move(unclipped)) {
    const auto [low, high] = std::minmax_element(losses_.values.begin(), losses_.values.end());
    const double least = *low, range = *high - *low;
    for (double& x : losses_.values) x = range > 0 ? (x - least) / range : 0;
  }
  std::span<const double> weights() const { return aggregator_.weights(); }
  void learn(std::span<const double>) { aggregator_.learn(losses_.row(round_++)); }

 private:
  Aggregator& aggregator_;
  Matrix losses_;
  std::size_t round_ = 0;
};

// What one player loses, and what its weights would have lost on the losses before they were
// clipped; 0 where these are not known.
struct Lost {
  double total = 0;
  double unclipped = 0;
};

// The player is an Aggregator, a Limit or Scaled. Whatever it learns from, it pays the losses that
// everybody else pays.
template <class Player>
Lost play_sequence(Player&& player, const Sequence& sequence) {
  Lost lost;
  for (std::size_t t = 0; t < sequence.losses.rows; ++t) {
    const auto row = sequence.losses.row(t), weights = player.weights();
    lost.total += std::inner_product(row.begin(), row.end(), weights.begin(), 0.0);
    if (sequence.unclipped.rows > 0) {
      const auto raw = sequence.unclipped.row(t);
      lost.unclipped = std::inner_product(raw.begin(), raw.end(), weights.begin(), lost.unclipped);
    }
    player.learn(row);
  }
  if constexpr (requires { player.total_loss(); }) lost.total = player.total_loss();
  return lost;
}

// All that happens on one sequence.
struct Played {
  double oracle = 0;
  double generating = 0;
  std::optional<double> unclipped_oracle;
  std::vector<Lost> losses;  // [players], and of the limit where there is one
};

Played play_all(const TournamentOptions& options, const Players& players, std::size_t index) {
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
  for (const Player& player : players.all) {
    Aggregator aggregator(player.source(options.experts));
    played.losses.push_back(player.clipped
                                ? play_sequence(aggregator, sequence)
                                : play_sequence(Scaled(aggregator, sequence.unclipped), sequence));
  }
  if (sequence.limit) played.losses.push_back(play_sequence(*sequence.limit(), sequence));
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
  const Players players = players_of(options);
  generate(options.family, 1, options.experts, 0);  // an Error here, before any work
  std::vector<Played> all(options.sequences);
  std::mutex one_at_a_time;
  parallel_for(options.sequences, options.threads, [&](std::size_t i) {
    all[i] = play_all(options, players, i);
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
  const auto add_best_of = [&](const std::string& name, const std::vector<std::size_t>& runs) {
    Entry& best = result.entries.emplace_back(Entry{name, "", {}});
    for (const std::size_t run : runs) {
      auto losses = losses_of(run, &Lost::total);
      if (!best.losses.empty() && sum(best.losses) <= sum(losses)) continue;
      best.losses = std::move(losses);
      if (!result.unclipped_oracle.empty())
        best.unclipped_losses = losses_of(run, &Lost::unclipped);
      if (runs.size() > 1) best.chosen = players.all[run].spec;
    }
    if (name != kTunedFixedShare) return;
    for (const Played& one : all) {
      double least = one.losses[runs.front()].total;
      for (const std::size_t run : runs) least = std::min(least, one.losses[run].total);
      result.tuned_per_sequence.push_back(least);
    }
  };
  for (std::size_t i = 0; i < players.contenders.size(); ++i) {
    add_best_of(players.contenders[i].name, players.runs_of[i]);
  }
  const std::size_t limit = players.all.size();
  if (!all.empty() && all.front().losses.size() > limit) add_best_of(kLimitName, {limit});
  return result;
}

}  // namespace pcgs::suite
