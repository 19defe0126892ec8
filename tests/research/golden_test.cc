// One number for each family that changes only when its sequences do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "research/tournament.h"

namespace pcgs::suite {
namespace {

struct Golden {
  const char* family;
  double regret;  // of fixed-share, summed over the 20 sequences of seed 7
};

// A failure means that published results no longer hold. If a generator was meant to change, run
// this test, take the numbers from its message, and renew all results.
constexpr Golden kGolden[] = {
    {"switch", 561.6017289},      {"drift", 455.5208370}, {"hetero", 819.8576215},
    {"heavy-tail", 578.0354570},  {"mix", 666.4639139},   {"predictive", 563.6760683},
    {"adversarial", 859.8677986},
};

TEST(Golden, SequencesOfEveryFamilyAreThoseOfThePublishedResults) {
  ASSERT_EQ(std::size(kGolden), families().size());
  for (std::size_t i = 0; i < std::size(kGolden); ++i) {
    ASSERT_EQ(kGolden[i].family, families()[i].name);
    TournamentOptions options;
    options.family = kGolden[i].family;
    options.rounds = 600;
    options.experts = 32;
    options.sequences = 20;
    options.switches = 12;
    options.seed = 7;
    options.methods = {"fixed-share{eta=4,rho=0.01}"};
    const Tournament played = play_tournament(options);
    const auto regrets = minus(played.entries.front().losses, played.oracle);
    const double sum = std::accumulate(regrets.begin(), regrets.end(), 0.0);
    EXPECT_NEAR(sum, kGolden[i].regret, 1e-6)
        << fmt::format("{{\"{}\", {:.7f}}},", options.family, sum);
  }
}

}  // namespace
}  // namespace pcgs::suite
