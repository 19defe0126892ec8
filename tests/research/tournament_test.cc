#include "research/tournament.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "combine/hindsight_methods.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "reference/switching.h"
#include "support/expect.h"

namespace pcgs::suite {
namespace {

TournamentOptions small(const std::string& family, std::vector<std::string> methods) {
  TournamentOptions options;
  options.family = family;
  options.rounds = 90;
  options.experts = 5;
  options.sequences = 4;
  options.switches = 3;
  options.seed = 21;
  options.methods = std::move(methods);
  return options;
}

bool is_learned(std::string_view name) {
  return is_playable(name) && method_info(name).traits.learned;
}

std::vector<std::string> everybody() {
  std::vector<std::string> names;
  for (const MethodInfo& method : registered_methods()) {
    if (!method.traits.needs_forecasts) names.emplace_back(method.name);
  }
  names.emplace_back("hedge*");
  names.emplace_back("fixed-share*");
  return names;
}

Sequence sequence_of(const TournamentOptions& options, std::size_t index) {
  return generate(options.family, options.rounds, options.experts,
                  evaluation_seed(options.seed, index));
}

// [N] what this method loses on each sequence, one round after the other.
std::vector<double> replay(const TournamentOptions& options, const std::string& method) {
  std::vector<double> losses;
  for (std::size_t i = 0; i < options.sequences; ++i) {
    const Sequence sequence = sequence_of(options, i);
    Aggregator aggregator = make_aggregator(method, options.experts);
    double total = 0;
    for (std::size_t t = 0; t < options.rounds; ++t) {
      for (std::size_t k = 0; k < options.experts; ++k) {
        total += aggregator.weights()[k] * sequence.losses.row(t)[k];
      }
      aggregator.learn(sequence.losses.row(t));
    }
    losses.push_back(total);
  }
  return losses;
}

double mean(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

const Entry& entry_of(const Tournament& tournament, const std::string& name) {
  const auto at = std::find_if(tournament.entries.begin(), tournament.entries.end(),
                               [&](const Entry& entry) { return entry.name == name; });
  if (at == tournament.entries.end()) throw std::runtime_error("no entry " + name);
  return *at;
}

TEST(Tournament, LossesAreThoseOfANaiveReplay) {
  for (const char* family : {"switch", "mix"}) {
    const auto options = small(family, {"squint", "hedge{eta=2}", "genshare"});
    const Tournament played = play_tournament(options);
    ASSERT_EQ(played.entries.size(), family == std::string("mix") ? 3u : 4u);
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_EQ(played.entries[m].name, options.methods[m]);
      EXPECT_EQ(played.entries[m].chosen, "");
      EXPECT_TRUE(
          test::all_near(played.entries[m].losses, replay(options, options.methods[m]), 1e-10));
    }
    EXPECT_TRUE(played.tuned_per_sequence.empty());
  }
}

TEST(Tournament, OracleAndGeneratingPathAreThoseOfTheEvaluationSeeds) {
  const auto options = small("drift", {"hedge"});
  const Tournament played = play_tournament(options);
  ASSERT_EQ(played.oracle.size(), 4u);
  ASSERT_EQ(played.generating.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Sequence sequence = sequence_of(options, i);
    EXPECT_EQ(played.oracle[i], switching_oracle(sequence.losses, 3)[3]);
    double loss = 0;
    for (std::size_t t = 0; t < 90; ++t) loss += sequence.losses.row(t)[sequence.path[t]];
    EXPECT_NEAR(played.generating[i], loss, 1e-12);
  }
}

TEST(Tournament, UnclippedLossesAreThoseOfTheSameWeights) {
  const auto options = small("heavy-tail", {"boa", "hedge*"});
  const Tournament played = play_tournament(options);
  ASSERT_EQ(played.unclipped_oracle.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Sequence sequence = sequence_of(options, i);
    EXPECT_NEAR(played.unclipped_oracle[i],
                reference::switching_by_recursion(sequence.unclipped, 3)[3], 1e-12);
    const auto lost = [&](std::span<const double> weights, std::size_t t) {
      double loss = 0;
      for (std::size_t k = 0; k < 5; ++k) loss += weights[k] * sequence.unclipped.row(t)[k];
      return loss;
    };
    for (std::size_t m = 0; m < 2; ++m) {
      const Entry& entry = played.entries[m];
      Aggregator aggregator(make_method(entry.chosen.empty() ? entry.name : entry.chosen, 5));
      double expected = 0;
      for (std::size_t t = 0; t < 90; ++t) {
        expected += lost(aggregator.weights(), t);
        aggregator.learn(sequence.losses.row(t));
      }
      EXPECT_NEAR(entry.unclipped_losses[i], expected, 1e-10);
    }
    const auto limit = sequence.limit();
    double total = 0, expected = 0;
    for (std::size_t t = 0; t < 90; ++t) {
      for (std::size_t k = 0; k < 5; ++k) total += limit->weights()[k] * sequence.losses.row(t)[k];
      expected += lost(limit->weights(), t);
      limit->learn(sequence.losses.row(t));
    }
    EXPECT_EQ(played.entries.back().name, kLimitName);  // the last
    EXPECT_NEAR(played.entries.back().losses[i], total, 1e-12);
    EXPECT_NEAR(played.entries.back().unclipped_losses[i], expected, 1e-12);
  }
}

TEST(Tournament, SequencesDoNotDependOnWhatPlaysOrHowManyThereAre) {
  auto options = small("hetero", {"boa", "fixed-share*"});
  const Tournament few = play_tournament(options);
  options.methods = {"squint", "hedge", "boa"};
  options.sequences = 6;
  const Tournament more = play_tournament(options);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(few.oracle[i], more.oracle[i]);
    EXPECT_EQ(entry_of(few, "boa").losses[i], entry_of(more, "boa").losses[i]);
  }
}

TEST(Tournament, StarredMethodIsTheBestCandidateByMean) {
  for (const char* family : {"switch", "adversarial"}) {
    const auto options = small(family, {"hedge*", "fixed-share", "fixed-share*"});
    const Tournament played = play_tournament(options);
    for (const char* star : {"hedge*", "fixed-share*"}) {
      const auto candidates = candidates_of(star);
      ASSERT_GT(candidates.size(), 5u);
      double least = std::numeric_limits<double>::infinity();
      std::vector<double> tuned(4, least);
      for (const auto& candidate : candidates) {
        const auto losses = replay(options, candidate);
        least = std::min(least, mean(losses));
        for (std::size_t i = 0; i < 4; ++i) tuned[i] = std::min(tuned[i], losses[i]);
      }
      const Entry& entry = entry_of(played, star);
      EXPECT_NEAR(mean(entry.losses), least, 1e-10) << star;
      EXPECT_TRUE(test::all_near(entry.losses, replay(options, entry.chosen), 1e-10)) << star;
      EXPECT_TRUE(std::count(candidates.begin(), candidates.end(), entry.chosen) == 1) << star;
      if (star == std::string("fixed-share*")) {
        EXPECT_TRUE(test::all_near(played.tuned_per_sequence, tuned, 1e-10));
      }
    }
    EXPECT_EQ(entry_of(played, "fixed-share").chosen, "");
  }
}

TEST(Tournament, ThreadsChangeNoBit) {
  for (const FamilyInfo& family : families()) {
    // Once for all methods: this runs under the thread sanitizer, too, where networks are slow.
    auto options =
        small(std::string(family.name),
              family.name == "switch" ? everybody() : std::vector<std::string>{"fixed-share*"});
    options.rounds = 40;
    options.sequences = 7;
    std::size_t finished = 0;
    options.finished_one = [&] { ++finished; };
    const Tournament one = play_tournament(options);
    EXPECT_EQ(finished, 7u);
    options.threads = 3;
    const Tournament three = play_tournament(options);
    EXPECT_EQ(finished, 14u);
    EXPECT_TRUE(test::same_bits(one.oracle, three.oracle));
    EXPECT_TRUE(test::same_bits(one.generating, three.generating));
    EXPECT_TRUE(test::same_bits(one.tuned_per_sequence, three.tuned_per_sequence));
    ASSERT_EQ(one.entries.size(), three.entries.size());
    for (std::size_t m = 0; m < one.entries.size(); ++m) {
      EXPECT_EQ(one.entries[m].name, three.entries[m].name);
      EXPECT_EQ(one.entries[m].chosen, three.entries[m].chosen);
      EXPECT_TRUE(test::same_bits(one.entries[m].losses, three.entries[m].losses));
    }
  }
}

TEST(Tournament, BadOptionsAreRefusedBeforeAnyWork) {
  const auto refused = [](TournamentOptions options) {
    bool worked = false;
    options.finished_one = [&] { worked = true; };
    const auto message = test::error_of([&] { play_tournament(options); });
    EXPECT_FALSE(worked);
    return message;
  };
  const std::pair<TournamentOptions, const char*> bad[] = {
      {small("swich", {"hedge"}), "heavy-tail"},
      {small("switch{gap=7}", {"hedge"}), "gap"},
      {small("switch", {"hedge", "sledge"}), "fixed-share"},
      {small("switch", {"boa*"}), "fixed-share*"}};
  for (const auto& [options, part] : bad) EXPECT_TRUE(test::mentions(refused(options), part));
  for (std::size_t TournamentOptions::*none :
       {&TournamentOptions::experts, &TournamentOptions::rounds}) {
    auto nothing = small("switch", {"hedge"});
    nothing.*none = 0;
    EXPECT_TRUE(test::mentions(refused(nothing), "at least one"));
  }
}

// Nobody may beat a player that knows the law, not even rates chosen in hindsight. Networks cost as
// much as all others together and play one study only.
class BestPossible : public ::testing::TestWithParam<const char*> {};

TEST_P(BestPossible, TheLimitHasTheLowestMeanRegretOfAllMethods) {
  for (const std::uint64_t seed : {7u, 8u, 2024u}) {
    TournamentOptions options;
    options.family = GetParam();
    options.seed = seed;
    options.methods = everybody();
    const auto learned = std::erase_if(
        options.methods, [&](const std::string& name) { return seed != 7 && is_learned(name); });
    ASSERT_EQ(learned, seed == 7 ? 0u : 3u);
    const Tournament played = play_tournament(options);
    ASSERT_EQ(played.entries.size(), options.methods.size() + 1);
    const Entry& limit = entry_of(played, kLimitName);
    const double best = mean(minus(limit.losses, played.oracle));
    for (const Entry& entry : played.entries) {
      if (entry.name == kLimitName) continue;
      EXPECT_LT(best, mean(minus(entry.losses, played.oracle)))
          << entry.name << " on " << options.family << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryLimit, BestPossible,
                         ::testing::Values("switch", "drift", "hetero", "heavy-tail", "predictive"),
                         [](const auto& family) {
                           std::string name = family.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace pcgs::suite
