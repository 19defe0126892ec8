// Each family beside the law that its definition states.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "pcgs/registry.h"
#include "reference/gaussian.h"
#include "reference/losses.h"
#include "reference/paths.h"
#include "research/laws.h"
#include "research/played.h"
#include "research/suite.h"

namespace pcgs::suite {
namespace {

using test::Segment;
using test::segments_of;
using test::whole_segments;

constexpr double kNormal = std::numeric_limits<double>::infinity();
constexpr double kStandardErrors = 4.5;

// The mean and its standard error.
class Sample {
 public:
  void add(double x) {
    sum_ += x;
    squares_ += x * x;
    ++count_;
  }
  double mean() const { return sum_ / count_; }
  double variance() const { return squares_ / count_ - mean() * mean(); }
  double error() const { return std::sqrt(variance() / count_); }

 private:
  double sum_ = 0, squares_ = 0, count_ = 0;
};

// The losses of those who win, and of those who do not, must have these laws.
void expect_laws(const Sequence& sequence, const reference::ClippedLoss& winner,
                 const reference::ClippedLoss& loser) {
  constexpr double kPoints[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9};
  for (const bool wins : {true, false}) {
    const reference::ClippedLoss& law = wins ? winner : loser;
    for (const double point : kPoints) {
      Sample share;
      for (std::size_t t = 0; t < sequence.losses.rows; ++t) {
        for (std::size_t k = 0; k < sequence.losses.columns; ++k) {
          if ((k == sequence.path[t]) != wins) continue;
          share.add(sequence.losses.row(t)[k] <= point ? 1 : 0);
        }
      }
      const auto p = static_cast<double>(reference::below(law, point));
      EXPECT_NEAR(share.mean(), p, kStandardErrors * std::max(share.error(), 1e-5))
          << (wins ? "winners" : "losers") << " below " << point;
    }
  }
}

TEST(WinnerFamilies, LossesFollowTheStatedLaw) {
  struct Case {
    const char* family;
    double gap, noise, df = kNormal, jump_probability = 0, jump = 0;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"switch{gap=0.2,quietest=0.1,loudest=0.1}", 0.2, 0.1},
           {"switch{gap=0.1,quietest=0.25,loudest=0.25}", 0.1, 0.25},
           {"switch{gap=0.5,quietest=0.03,loudest=0.03}", 0.5, 0.03},
           {"heavy-tail", 0.2, 0.1, 3, 0.03, 0.5},
           {"heavy-tail{df=0.7,jump_probability=0.4,jump=0.25,noise=0.05,gap=0.1}", 0.1, 0.05, 0.7,
            0.4, 0.25},
           {"predictive", 0.2, 0.15},
           {"hetero{quietest=0.2,loudest=0.2,swing=1}", 0.2, 0.2}}) {
    SCOPED_TRACE(one.family);
    const reference::ClippedLoss loser = {0.5, one.noise, one.df, one.jump_probability, one.jump};
    reference::ClippedLoss winner = loser;
    winner.centre -= one.gap;
    expect_laws(generate(one.family, 20'000, 4, 3), winner, loser);
  }
}

// That scales of noise are log-uniform in [0.03, 0.12], where each is estimated from so many losses
// that it errs by 2 %; the ends are met within `margin` of themselves.
void expect_log_uniform(const std::vector<double>& noises, double margin) {
  Sample logs;
  for (const double noise : noises) logs.add(std::log(noise));
  const double low = std::log(0.03), high = std::log(0.12);
  EXPECT_NEAR(logs.mean(), (low + high) / 2, kStandardErrors * logs.error());
  EXPECT_NEAR(logs.variance(), (high - low) * (high - low) / 12, 0.02);
  const auto [least, most] = std::minmax_element(noises.begin(), noises.end());
  EXPECT_NEAR(*least, 0.03, 0.03 * margin);
  EXPECT_NEAR(*most, 0.12, 0.12 * margin);
}

TEST(Switch, NoiseIsLogUniformAndDrawnOncePerSequence) {
  std::vector<double> noises;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Sequence sequence = generate("switch{gap=0,quietest=0.03,loudest=0.12}", 40, 40, seed);
    Sample residual;
    for (const double loss : sequence.losses.values) residual.add(loss - 0.5);
    noises.push_back(std::sqrt(residual.variance()));
  }
  expect_log_uniform(noises, 1.0 / 15);
}

// Calm noise of 0.03 is hardly ever beyond 0.12 and rough noise of 0.3 often is, which shows the
// mood: two rounds of one expert are alike as long as its mood lasts.
TEST(Hetero, EveryExpertIsRoughHalfOfTheTimeAndChangesMoodOnceInSixtyRounds) {
  constexpr std::size_t kExperts = 6000, kRounds = 400;
  const Sequence sequence =
      generate("hetero{gap=0,quietest=0.03,loudest=0.03,swing=10}", kRounds, kExperts, 3);
  const auto beyond = [&](std::size_t t, std::size_t k) {
    return std::abs(sequence.losses.row(t)[k] - 0.5) > 0.12;
  };
  const double calm = std::erfc(4 / std::sqrt(2.0)), rough = std::erfc(0.4 / std::sqrt(2.0));
  for (const std::size_t lag : {1u, 30u, 90u}) {
    Sample one, both;  // experts are independent of one another, rounds are not
    for (std::size_t k = 0; k < kExperts; ++k) {
      double ones = 0, boths = 0;
      for (std::size_t t = 0; t + lag < kRounds; ++t) {
        ones += beyond(t, k);
        boths += beyond(t, k) && beyond(t + lag, k);
      }
      one.add(ones / static_cast<double>(kRounds - lag));
      both.add(boths / static_cast<double>(kRounds - lag));
    }
    EXPECT_NEAR(one.mean(), (calm + rough) / 2, kStandardErrors * one.error());
    const double same = (1 + std::pow(1 - 2.0 / 60, static_cast<double>(lag))) / 2;
    const double expected = same * (calm * calm + rough * rough) / 2 + (1 - same) * calm * rough;
    EXPECT_NEAR(both.mean(), expected, kStandardErrors * both.error()) << "lag " << lag;
  }
}

TEST(Hetero, LevelsDifferOverExpertsWithinTheirRange) {
  const Sequence sequence = generate("hetero{gap=0,swing=1}", 1500, 300, 3);
  Sample logs;
  for (std::size_t k = 0; k < 300; ++k) {
    Sample residual;
    for (std::size_t t = 0; t < 1500; ++t) residual.add(sequence.losses.row(t)[k] - 0.5);
    const double level = std::sqrt(residual.variance());
    EXPECT_GT(level, 0.05 * 0.9);
    EXPECT_LT(level, 0.3 * 1.1);
    logs.add(std::log(level));
  }
  // Clipping makes the loudest a little quieter than they are.
  const double middle = (std::log(0.05) + std::log(0.3)) / 2;
  EXPECT_NEAR(logs.mean(), middle, kStandardErrors * logs.error() + 0.02);
}

TEST(WinnerFamilies, WinnersStayAtLeastSoLong) {
  // Nearly without drift, so that the lowest mean is the winner's.
  for (const char* family : {"switch", "hetero", "heavy-tail", "mix{amplitude=0.001}"}) {
    const auto path = generate(family, 20'000, 8, 3).path;
    const auto segments = whole_segments(path);
    Sample lengths;
    std::size_t least = 1000;
    for (const Segment& segment : segments) {
      lengths.add(static_cast<double>(segment.length));
      least = std::min(least, segment.length);
    }
    EXPECT_EQ(least, 35u) << family;
    EXPECT_NEAR(lengths.mean(), 35 + (1 - 0.07) / 0.07, kStandardErrors * lengths.error())
        << family;
  }
}

TEST(Predictive, MembersFollowOneAnotherInARing) {
  const auto segments = segments_of(generate("predictive{members=4,order=1}", 5000, 20, 3).path);
  ASSERT_GT(segments.size(), 90u);
  std::map<std::uint32_t, std::uint32_t> next;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    const auto [at, is_new] = next.try_emplace(segments[i - 1].winner, segments[i].winner);
    ASSERT_EQ(at->second, segments[i].winner);
  }
  EXPECT_EQ(next.size(), 4u);
  for (std::size_t i = 4; i < segments.size(); ++i) {
    ASSERT_EQ(segments[i].winner, segments[i - 4].winner);
  }
}

TEST(Predictive, TheNeighbourFollowsWithTheStatedChanceAndEveryLengthIsAsLikely) {
  auto segments =
      segments_of(generate("predictive{members=5,order=0.7,least=3,most=7}", 60'000, 9, 3).path);
  segments.pop_back();
  std::map<std::uint32_t, std::map<std::uint32_t, double>> follows;
  std::map<std::size_t, double> lengths;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    ++lengths[segments[i].length];
    if (i > 0) ++follows[segments[i - 1].winner][segments[i].winner];
  }
  const auto near = [](double count, double all, double chance) {
    return std::abs(count / all - chance) <
           kStandardErrors * std::sqrt(chance * (1 - chance) / all);
  };
  ASSERT_EQ(follows.size(), 5u);
  for (const auto& [from, counts] : follows) {
    double all = 0;
    std::vector<double> sorted;
    for (const auto& [to, count] : counts) {
      all += count;
      sorted.push_back(count);
    }
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted.size(), 4u);
    EXPECT_TRUE(near(sorted[3], all, 0.7)) << sorted[3] / all;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(near(sorted[i], all, 0.1)) << sorted[i] / all;
  }
  ASSERT_EQ(lengths.size(), 5u);
  EXPECT_EQ(lengths.begin()->first, 3u);
  EXPECT_EQ(lengths.rbegin()->first, 7u);
  for (const auto& [length, count] : lengths) {
    EXPECT_TRUE(near(count, static_cast<double>(segments.size()), 0.2)) << length;
  }
}

// Replays the reference learner and draws the conclusions that the definition draws. At this noise
// every loss shows its mean.
TEST(Adversarial, BurnsTheWinnerOnceTheReferenceTrustsIt) {
  constexpr std::size_t kExperts = 12, kRounds = 1500, kSmoulder = 30;
  constexpr double kGap = 0.15, kBurn = 0.25, kNoise = 0.03, kTrust = 0.7;
  const Sequence sequence =
      generate(fmt::format("adversarial{{gap={},noise={},burn={},smoulder={},trust={}}}", kGap,
                           kNoise, kBurn, kSmoulder, kTrust),
               kRounds, kExperts, 3);
  Aggregator reference = make_aggregator("fixed-share{eta=4,rho=0.01}", kExperts);
  std::vector<std::size_t> burned_until(kExperts, 0);
  std::size_t burns = 0, smouldering = 0;
  for (std::size_t t = 0; t < kRounds; ++t) {
    const auto trust = reference.weights();
    const std::uint32_t winner = sequence.path[t];
    const std::uint32_t before = t == 0 ? winner : sequence.path[t - 1];
    if (t > 0 && trust[before] >= kTrust) {
      ++burns;
      burned_until[before] = t + kSmoulder;
      const auto less =
          std::count_if(trust.begin(), trust.end(), [&](double w) { return w < trust[winner]; });
      ASSERT_LT(less, static_cast<std::ptrdiff_t>(kExperts / 4)) << "round " << t;
    } else {
      ASSERT_EQ(winner, before) << "round " << t;
    }
    for (std::size_t k = 0; k < kExperts; ++k) {
      const bool burned = k != winner && t < burned_until[k];
      smouldering += burned;
      const double mean = 0.5 - (k == winner ? kGap : 0) + (burned ? kBurn : 0);
      ASSERT_NEAR(sequence.losses.row(t)[k], mean, 6 * kNoise) << "round " << t << ", " << k;
    }
    reference.learn(sequence.losses.row(t));
  }
  EXPECT_GT(burns, 20u);
  EXPECT_GT(smouldering, 20u * kSmoulder / 2);
}

// Over experts of one sequence: the covariance of an expert's losses so many rounds apart.
void expect_covariance(const Sequence& sequence, std::size_t lag, double expected) {
  Sample products;
  for (std::size_t k = 0; k < sequence.losses.columns; ++k) {
    products.add((sequence.losses.row(0)[k] - 0.5) * (sequence.losses.row(lag)[k] - 0.5));
  }
  EXPECT_NEAR(products.mean(), expected, kStandardErrors * products.error()) << "lag " << lag;
}

TEST(SmoothFamilies, LossesAreSmoothFunctionsPlusNoise) {
  for (const auto& [family, noise] : std::initializer_list<std::pair<const char*, double>>{
           {"drift{amplitude=0.1,quietest=0.05,loudest=0.05,fastest=20,slowest=20}", 0.05},
           {"mix{gap=0,amplitude=0.1,length=20,quietest=0.03,loudest=0.03}", 0}}) {
    const Sequence sequence = generate(family, 51, 10'000, 3);
    for (const std::size_t lag : {0u, 1u, 10u, 50u}) {
      if (lag == 0 && noise == 0) continue;  // mix has noise of two kinds
      const auto smooth =
          static_cast<double>(reference::matern_three_halves(0.1, 20, static_cast<double>(lag)));
      expect_covariance(sequence, lag, smooth + (lag == 0 ? noise * noise : 0));
    }
  }
}

// Covariances over experts are means over all lengths between the two.
TEST(Drift, EveryExpertHasItsOwnPaceLogUniformInItsRange) {
  const Sequence sequence = generate(
      "drift{amplitude=0.1,quietest=0.03,loudest=0.03,fastest=4,slowest=100}", 51, 20'000, 3);
  for (const std::size_t lag : {2u, 10u, 50u}) {
    constexpr int kSteps = 2000;
    double expected = 0;
    for (int i = 0; i < kSteps; ++i) {
      const double length = 4 * std::pow(100.0 / 4, (i + 0.5) / kSteps);
      expected += static_cast<double>(
          reference::matern_three_halves(0.1, length, static_cast<double>(lag)));
    }
    expect_covariance(sequence, lag, expected / kSteps);
  }
}

TEST(Drift, EveryExpertHasItsOwnNoiseLogUniformInItsRange) {
  const Sequence sequence =
      generate("drift{amplitude=0.001,quietest=0.03,loudest=0.12}", 1000, 400, 3);
  std::vector<double> noises;
  for (std::size_t k = 0; k < 400; ++k) {
    Sample residual;
    for (std::size_t t = 0; t < 1000; ++t) residual.add(sequence.losses.row(t)[k] - 0.5);
    noises.push_back(std::sqrt(residual.variance()));
  }
  expect_log_uniform(noises, 0.1);
}

TEST(Mix, TheWinnerLosesLessByTheGap) {
  const Sequence sequence =
      generate("mix{gap=0.2,amplitude=0.001,quietest=0.03,loudest=0.03}", 4000, 6, 3);
  Sample winners, others;
  for (std::size_t t = 0; t < 4000; ++t) {
    for (std::size_t k = 0; k < 6; ++k) {
      (k == sequence.path[t] ? winners : others).add(sequence.losses.row(t)[k]);
    }
  }
  EXPECT_NEAR(winners.mean(), 0.3, 0.005);
  EXPECT_NEAR(others.mean(), 0.5, 0.005);
}

TEST(Mix, HalfOfTheExpertsHaveHeavyTails) {
  constexpr std::size_t kExperts = 1000, kRounds = 600;
  const Sequence sequence =
      generate("mix{gap=0,amplitude=0.001,quietest=0.03,loudest=0.03}", kRounds, kExperts, 3);
  Sample heavy;
  for (std::size_t k = 0; k < kExperts; ++k) {
    std::size_t far = 0;  // 0.04 times in 600 rounds for a normal, 17 times for Student-t(3)
    for (std::size_t t = 0; t < kRounds; ++t) {
      far += std::abs(sequence.losses.row(t)[k] - 0.5) > 4 * 0.03;
    }
    heavy.add(far >= 4 ? 1 : 0);
  }
  EXPECT_NEAR(heavy.mean(), 0.5, kStandardErrors * heavy.error());
}

// Where a family's law has no hidden part, its limit must be the best player by enumeration.
void expect_best_player(const std::string& family, std::size_t experts,
                        const reference::Winners& winners, const reference::WinLoseLaws& law) {
  constexpr std::size_t kRounds = 7;
  std::size_t compared = 0, not_the_first = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const Sequence sequence = generate(family, kRounds, experts, seed);
    const auto limit = sequence.limit();
    for (std::size_t t = 0; t < kRounds; ++t) {
      const auto expected = reference::expected_losses_by_enumeration(
          winners, experts,
          [&](std::size_t, std::size_t) -> const reference::WinLoseLaws& { return law; },
          {sequence.losses.values.data(), t, experts});
      const auto best = std::min_element(expected.begin(), expected.end());
      const std::size_t played = test::played_expert(limit->weights());
      ASSERT_LT(expected[played] - *best, 1e-9L) << family << " seed " << seed << " round " << t;
      compared += std::count_if(expected.begin(), expected.end(),
                                [&](long double x) { return x - *best < 1e-9L; }) == 1;
      not_the_first += played != 0;
      limit->learn(sequence.losses.row(t));
    }
  }
  EXPECT_GT(compared, 100u) << family;
  EXPECT_GT(not_the_first, 50u) << family;
}

TEST(Limits, AreTheBestPlayersByEnumeration) {
  const auto any3 = reference::any_other_follows(3);
  const reference::WinLoseLaws normal = {{0.4, 0.2, kNormal, 0, 0}, {0.5, 0.2, kNormal, 0, 0}};
  expect_best_player("switch{gap=0.1,quietest=0.2,loudest=0.2,least=2,hazard=0.3}", 3,
                     {{0, 1, 2}, reference::lasts_geometrically(2, 0.3), any3}, normal);
  expect_best_player("hetero{gap=0.1,quietest=0.2,loudest=0.2,swing=1,least=1,hazard=0.2}", 3,
                     {{0, 1, 2}, reference::lasts_geometrically(1, 0.2), any3}, normal);
  expect_best_player(
      "heavy-tail{gap=0.15,noise=0.1,df=2,jump_probability=0.2,jump=0.5,least=3,hazard=0.5}", 3,
      {{0, 1, 2}, reference::lasts_geometrically(3, 0.5), any3},
      {{0.35, 0.1, 2, 0.2, 0.5}, {0.5, 0.1, 2, 0.2, 0.5}});
  expect_best_player("predictive{gap=0.1,noise=0.2,members=2,least=1,most=3}", 2,
                     {{0, 1}, reference::lasts_between(1, 3), reference::any_other_follows(2)},
                     normal);
  // At this order a ring of three has no direction.
  expect_best_player("predictive{gap=0.1,noise=0.2,members=3,order=0.5,least=2,most=4}", 3,
                     {{0, 1, 2}, reference::lasts_between(2, 4), any3}, normal);
}

struct PaceAndNoise {
  double length, noise;
};

// What make_drift() drew for each expert: its first numbers, drawn again.
std::vector<PaceAndNoise> drawn_by_drift(std::uint64_t seed, std::size_t experts, double amplitude,
                                         const PaceAndNoise& low, const PaceAndNoise& high) {
  Random random("drift", seed);
  std::vector<PaceAndNoise> out;
  for (std::size_t k = 0; k < experts; ++k) {
    const double length = random.log_uniform(low.length, high.length);
    out.push_back({length, random.log_uniform(low.noise, high.noise)});
    SmoothPath({amplitude, length}, random);  // takes numbers too
  }
  return out;
}

// Small amplitude and noise, so that nothing is clipped and the limit is exact.
TEST(Limits, OfDriftIsGaussianConditioningOnEveryExpertsOwnPaceAndNoise) {
  constexpr double kAmplitude = 0.04;
  constexpr std::size_t kRounds = 12;
  const std::pair<PaceAndNoise, PaceAndNoise> ranges[] = {
      {{2, 0.03}, {2, 0.03}}, {{6, 0.03}, {6, 0.03}},  {{40, 0.03}, {40, 0.03}},
      {{6, 0.03}, {6, 0.09}}, {{2, 0.03}, {40, 0.03}}, {{2, 0.03}, {40, 0.09}}};
  for (const auto& [low, high] : ranges) {
    const auto spec =
        fmt::format("drift{{amplitude={},quietest={},loudest={},fastest={},slowest={}}}",
                    kAmplitude, low.noise, high.noise, low.length, high.length);
    const bool all_alike = low.length == high.length && low.noise == high.noise;
    std::size_t compared = 0, not_the_first = 0, told_apart = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const std::size_t experts = 1 + seed % 3;
      const Sequence sequence = generate(spec, kRounds, experts, seed);
      const auto drawn = drawn_by_drift(seed, experts, kAmplitude, low, high);
      const auto limit = sequence.limit();
      std::vector<std::vector<double>> seen(experts);
      for (std::size_t t = 0; t < kRounds; ++t) {
        std::vector<long double> predicted, if_alike;
        for (std::size_t k = 0; k < experts; ++k) {
          const auto under = [&](double length, double noise) {
            return reference::predicted_next(
                [&](double lag) { return reference::matern_three_halves(kAmplitude, length, lag); },
                noise, seen[k]);
          };
          predicted.push_back(under(drawn[k].length, drawn[k].noise));
          if_alike.push_back(
              under(std::sqrt(low.length * high.length), std::sqrt(low.noise * high.noise)));
        }
        const auto best = std::min_element(predicted.begin(), predicted.end());
        const std::size_t played = test::played_expert(limit->weights());
        ASSERT_LT(predicted[played] - *best, 1e-9L) << spec << ", seed " << seed << ", round " << t;
        compared += experts > 1 && t > 0;
        not_the_first += played != 0;
        told_apart +=
            if_alike[played] > *std::min_element(if_alike.begin(), if_alike.end()) + 1e-9L;
        const auto row = sequence.losses.row(t);
        for (std::size_t k = 0; k < experts; ++k) {
          ASSERT_TRUE(row[k] > 0 && row[k] < 1);
          seen[k].push_back(row[k] - 0.5);
        }
        limit->learn(row);
      }
    }
    EXPECT_GT(compared, 1000u);
    EXPECT_GT(not_the_first, 500u);
    // A filter that thinks all experts alike would often have played another one.
    EXPECT_TRUE(all_alike ? told_apart == 0 : told_apart > 50) << spec << " " << told_apart;
  }
}

}  // namespace
}  // namespace pcgs::suite
