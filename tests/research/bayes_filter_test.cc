#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "reference/paths.h"
#include "research/laws.h"
#include "research/played.h"

namespace pcgs::suite {
namespace {

constexpr double kNormal = std::numeric_limits<double>::infinity();

// The same process for the product and for the reference, each from its own definition.
struct Case {
  std::size_t experts;
  WinnerProcess process;
  reference::Winners winners;
};

std::vector<double> matrix_of(std::size_t size,
                              const std::function<long double(std::size_t, std::size_t)>& follows) {
  std::vector<double> next;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) next.push_back(static_cast<double>(follows(i, j)));
  }
  return next;
}

std::vector<Case> all_cases() {
  std::vector<std::pair<Dwell, std::function<long double(std::size_t)>>> dwells;
  for (const auto& [least, hazard] : std::vector<std::pair<std::size_t, double>>{
           {1, 0.3}, {2, 0.4}, {3, 0.25}, {1, 1}, {4, 0.9}, {2, 0}}) {
    dwells.emplace_back(Dwell::geometric_after(least, hazard),
                        reference::lasts_geometrically(least, hazard));
  }
  for (const auto& [least, most] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {1, 3}, {2, 3}, {3, 3}, {2, 9}}) {
    dwells.emplace_back(Dwell::between(least, most), reference::lasts_between(least, most));
  }
  std::vector<Case> cases;
  for (const auto& [dwell, lasts] : dwells) {
    for (const std::size_t experts : {1u, 2u, 3u}) {
      const WinnerProcess any = any_other(experts, dwell);
      cases.push_back({experts, any, {any.members, lasts, reference::any_other_follows(experts)}});
    }
    cases.push_back({3, {dwell, {2, 0}, {}}, {{2, 0}, lasts, reference::any_other_follows(2)}});
    const auto ring = reference::neighbour_follows(3, 0.85);
    cases.push_back({3, {dwell, {1, 0, 2}, matrix_of(3, ring)}, {{1, 0, 2}, lasts, ring}});
    cases.push_back({4, {dwell, {3, 0, 1}, matrix_of(3, ring)}, {{3, 0, 1}, lasts, ring}});
  }
  return cases;
}

// Laws of every expert in every round, for both sides.
class Laws {
 public:
  explicit Laws(const std::function<reference::WinLoseLaws(std::size_t t, std::size_t k)>& make) {
    for (std::size_t t = 0; t < kPeriod; ++t) {
      for (std::size_t k = 0; k < kExperts; ++k) {
        slow_.push_back(make(t, k));
        fast_.push_back({product(slow_.back().winner), product(slow_.back().loser)});
      }
    }
  }

  LawsAt fast() const {
    return [this](std::size_t t, std::size_t k) -> const WinLose& { return fast_[index(t, k)]; };
  }
  reference::LawsOf slow() const {
    return [this](std::size_t t, std::size_t k) -> const reference::WinLoseLaws& {
      return slow_[index(t, k)];
    };
  }

 private:
  static constexpr std::size_t kPeriod = 2, kExperts = 4;
  static std::size_t index(std::size_t t, std::size_t k) { return t % kPeriod * kExperts + k; }
  static ClippedLaw product(const reference::ClippedLoss& law) {
    return {law.centre, {law.scale, law.df, law.jump_probability, law.jump}};
  }

  std::vector<reference::WinLoseLaws> slow_;
  std::vector<WinLose> fast_;
};

Laws same_for_all(double scale) {
  return Laws([scale](std::size_t, std::size_t) {
    return reference::WinLoseLaws({0.3, scale, kNormal, 0, 0}, {0.5, scale, kNormal, 0, 0});
  });
}

// Noisier experts, rough rounds, and means that do not depend on winning alone.
Laws different_for_all() {
  return Laws([](std::size_t t, std::size_t k) {
    const double scale = (0.15 + 0.12 * static_cast<double>(k)) * (t == 0 ? 1 : 1.7);
    const double centre = 0.5 + 0.02 * static_cast<double>(k);
    return reference::WinLoseLaws({centre - 0.2, scale, kNormal, 0, 0},
                                  {centre, scale, kNormal, 0, 0});
  });
}

Laws tails_and_jumps() {
  return Laws([](std::size_t, std::size_t k) {
    const double df = k % 2 == 0 ? 3 : 1.5;
    return reference::WinLoseLaws({0.35, 0.15, df, 0.2, 0.5}, {0.5, 0.15, df, 0.1, 0.6});
  });
}

// Plays the filter beside the enumeration of all paths, on two sequences that the law draws and three that it
// would hardly draw.
void compare(const Laws& laws, std::uint64_t seed, int repeats = 5) {
  constexpr std::size_t kRounds = 7;
  constexpr double kNasty[] = {0, 1, 0.5, 0.4, 0x1p-52, 1 - 0x1p-52};
  Random random("bayes filter", seed);
  std::size_t compared = 0, not_the_first = 0;  // rounds; in which the best is not expert 0
  const auto cases = all_cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    for (int repeat = 0; repeat < repeats; ++repeat) {
      SCOPED_TRACE("case " + std::to_string(i) + ", repeat " + std::to_string(repeat));
      Matrix losses =
          winner_sequence(kRounds, one.experts, one.process, laws.fast(), random).losses;
      for (double& loss : losses.values) {
        if (repeat >= 2) loss = kNasty[random.below(std::size(kNasty))];
      }
      const auto filter = make_bayes_filter(one.process, one.experts, laws.fast());
      for (std::size_t t = 0; t < kRounds; ++t) {
        const auto expected = reference::expected_losses_by_enumeration(
            one.winners, one.experts, laws.slow(), {losses.values.data(), t, one.experts});
        const auto best = std::min_element(expected.begin(), expected.end());
        const auto near = std::count_if(expected.begin(), expected.end(),
                                        [&](long double x) { return x - *best < 1e-9L; });
        const std::size_t played = test::played_expert(filter->weights());
        ASSERT_LT(expected[played] - *best, 1e-9L) << "round " << t;
        compared += near == 1;
        not_the_first += near == 1 && played != 0;
        filter->learn(losses.row(t));
      }
    }
  }
  EXPECT_GT(compared, 400u);
  EXPECT_GT(not_the_first, compared / 5);
}

TEST(BayesFilter, MatchesSumOverAllPathsWhenEverybodyIsAlike) { compare(same_for_all(0.3), 1); }

TEST(BayesFilter, MatchesSumOverAllPathsWhenLawsDifferOverExpertsAndRounds) {
  compare(different_for_all(), 2);
}

TEST(BayesFilter, MatchesSumOverAllPathsWithTailsAndJumps) { compare(tails_and_jumps(), 3); }

// As narrow as noise may be: likelihoods differ by a hundred powers of ten.
TEST(BayesFilter, MatchesSumOverAllPathsUnderNarrowNoise) { compare(same_for_all(0.03), 5, 2); }

// The quietest of the standard families. Nothing is impossible under a normal law: also a loss of 1, more
// than eight standard deviations away from the winner's centre, leaves everybody a posterior.
TEST(BayesFilter, MatchesSumOverAllPathsUnderQuietNoise) { compare(same_for_all(0.08), 4); }

TEST(BayesFilter, IsTheLimitOfItsSequences) {
  Random random("bayes filter", 9);
  const Laws laws = different_for_all();
  for (const Case& one : all_cases()) {
    const Sequence sequence = winner_sequence(40, one.experts, one.process, laws.fast(), random);
    const auto limit = sequence.limit();
    const auto filter = make_bayes_filter(one.process, one.experts, laws.fast());
    for (std::size_t t = 0; t < 40; ++t) {
      ASSERT_EQ(test::played_expert(limit->weights()), test::played_expert(filter->weights()));
      limit->learn(sequence.losses.row(t));
      filter->learn(sequence.losses.row(t));
    }
  }
}

}  // namespace
}  // namespace pcgs::suite
