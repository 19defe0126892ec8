// What every family promises, whatever its law.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>

#include "research/played.h"
#include "research/suite.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::suite {
namespace {

std::string with(const FamilyInfo& family, std::string_view parameter, double value) {
  return fmt::format("{}{{{}={}}}", family.name, parameter, value);
}

void expect_sound(const Sequence& sequence, std::size_t rounds, std::size_t experts) {
  ASSERT_EQ(sequence.losses.rows, rounds);
  ASSERT_EQ(sequence.losses.columns, experts);
  ASSERT_EQ(sequence.losses.values.size(), rounds * experts);
  for (const double loss : sequence.losses.values) ASSERT_TRUE(loss >= 0 && loss <= 1) << loss;
  ASSERT_EQ(sequence.path.size(), rounds);
  for (const std::uint32_t k : sequence.path) ASSERT_LT(k, experts);
  ASSERT_EQ(sequence.unclipped.values.size(), rounds * experts);
  for (std::size_t i = 0; i < rounds * experts; ++i) {
    ASSERT_EQ(sequence.losses.values[i], std::clamp(sequence.unclipped.values[i], 0.0, 1.0));
  }
  if (!sequence.limit) return;
  const auto limit = sequence.limit();
  for (std::size_t t = 0; t < rounds; ++t) {
    ASSERT_EQ(limit->weights().size(), experts);
    ASSERT_LT(test::played_expert(limit->weights()), experts);
    limit->learn(sequence.losses.row(t));
  }
  test::played_expert(limit->weights());
}

TEST(Families, AreTheSevenInTheOrderOfTables) {
  std::vector<std::string_view> names;
  for (const FamilyInfo& family : families()) {
    names.push_back(family.name);
    EXPECT_FALSE(family.summary.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"switch", "drift", "hetero", "heavy-tail", "mix",
                                                  "predictive", "adversarial"}));
}

TEST(Families, LossesLieInTheUnitIntervalAndLimitsPlayOneExpert) {
  for (const FamilyInfo& family : families()) {
    for (const auto& [rounds, experts] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 1}, {1, 2}, {200, 1}, {200, 2}, {1, 40}, {300, 5}, {120, 33}}) {
      for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
        SCOPED_TRACE(fmt::format("{} {} {} {}", family.name, rounds, experts, seed));
        expect_sound(generate(family.name, rounds, experts, seed), rounds, experts);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Families, AllButMixAndAdversarialHaveALimit) {
  for (const FamilyInfo& family : families()) {
    const bool has = static_cast<bool>(generate(family.name, 5, 3, 1).limit);
    EXPECT_EQ(has, family.name != "mix" && family.name != "adversarial") << family.name;
  }
}

TEST(Families, DifferentSeedsGiveDifferentLosses) {
  for (const FamilyInfo& family : families()) {
    std::set<std::vector<double>> sequences;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      sequences.insert(generate(family.name, 3, 4, seed).losses.values);
      sequences.insert(generate(family.name, 3, 4, (seed + 1) << 32).losses.values);
    }
    EXPECT_EQ(sequences.size(), 40u) << family.name;
  }
}

TEST(Families, ShareNoNumbersWhenTheyShareASeed) {
  std::set<double> losses;
  std::size_t all = 0;
  for (const FamilyInfo& family : families()) {
    for (const double loss : generate(family.name, 100, 5, 42).losses.values) {
      if (loss == 0 || loss == 1) continue;
      losses.insert(loss);
      ++all;
    }
  }
  EXPECT_GT(all, 3000u);
  EXPECT_EQ(losses.size(), all);
}

TEST(Families, StandardParametersLieInTheirRanges) {
  for (const FamilyInfo& family : families()) {
    std::set<std::string_view> names;
    for (const Option& parameter : family.parameters) {
      SCOPED_TRACE(fmt::format("{} {}", family.name, parameter.name));
      EXPECT_LT(parameter.low, parameter.high);
      EXPECT_LE(parameter.low, parameter.standard);
      EXPECT_LE(parameter.standard, parameter.high);
      EXPECT_FALSE(parameter.meaning.empty());
      names.insert(parameter.name);
    }
    EXPECT_EQ(names.size(), family.parameters.size()) << family.name;
  }
}

TEST(Families, ParametersAreGivenByNameInAnyOrder) {
  for (const FamilyInfo& family : families()) {
    SCOPED_TRACE(family.name);
    const auto standard = generate(family.name, 200, 4, 3).losses.values;
    std::string forwards, backwards;
    for (const Option& parameter : family.parameters) {
      const std::string one = fmt::format("{}={}", parameter.name, parameter.standard);
      forwards = forwards.empty() ? one : forwards + "," + one;
      backwards = backwards.empty() ? one : one + "," + backwards;
    }
    for (const auto& spec :
         {fmt::format("{}{{{}}}", family.name, forwards),
          fmt::format("{}{{{}}}", family.name, backwards), fmt::format("{}{{}}", family.name)}) {
      EXPECT_TRUE(test::same_bits(generate(spec, 200, 4, 3).losses.values, standard)) << spec;
    }
  }
}

TEST(Families, EveryParameterMatters) {
  for (const FamilyInfo& family : families()) {
    const auto standard = generate(family.name, 600, 8, 3).losses.values;
    for (const Option& parameter : family.parameters) {
      const double other = parameter.standard == parameter.low ? parameter.high : parameter.low;
      const std::string spec = with(family, parameter.name, other);
      EXPECT_FALSE(test::same_bits(generate(spec, 600, 8, 3).losses.values, standard)) << spec;
    }
  }
}

TEST(Families, EveryCornerOfTheirParametersWorks) {
  for (const FamilyInfo& family : families()) {
    const std::size_t count = family.parameters.size();
    for (std::size_t corner = 0; corner < std::size_t{1} << count; ++corner) {
      std::vector<double> values;
      for (std::size_t i = 0; i < count; ++i) {
        const Option& parameter = family.parameters[i];
        values.push_back((corner >> i & 1) != 0 ? parameter.high : parameter.low);
      }
      for (const std::size_t experts : {1u, 3u}) {
        SCOPED_TRACE(fmt::format("{}, corner {:b}, {} experts", family.name, corner, experts));
        expect_sound(family.make(15, experts, 5, values), 15, experts);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// In the same rounds, against the average of all others: whoever generates the losses must be
// better, by far more than chance.
TEST(Families, TheGeneratingPathLosesLeast) {
  for (const FamilyInfo& family : families()) {
    SCOPED_TRACE(family.name);
    constexpr std::size_t kExperts = 6, kRounds = 600;
    double sum = 0, squares = 0, count = 0;
    std::vector<double> beyond(kExperts, 0);  // [K] of the expert so many places after the path's
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Sequence sequence = generate(family.name, kRounds, kExperts, seed);
      for (std::size_t t = 0; t < kRounds; ++t) {
        const auto row = sequence.losses.row(t);
        double others = 0;
        for (std::size_t i = 1; i < kExperts; ++i) {
          const double loss = row[(sequence.path[t] + i) % kExperts];
          others += loss / (kExperts - 1);
          beyond[i] += loss - row[sequence.path[t]];
        }
        const double margin = others - row[sequence.path[t]];
        sum += margin;
        squares += margin * margin;
        ++count;
      }
    }
    const double mean = sum / count;
    const double error = std::sqrt((squares / count - mean * mean) / count);
    EXPECT_GT(mean, 10 * error);
    for (std::size_t i = 1; i < kExperts; ++i) EXPECT_GT(beyond[i], 0) << i;
  }
}

TEST(Families, LimitsDoNotSeeTheFuture) {
  test::Random random(17);
  for (const FamilyInfo& family : families()) {
    SCOPED_TRACE(family.name);
    const Sequence sequence = generate(family.name, 120, 5, 8);
    if (!sequence.limit) continue;
    for (const std::size_t changed : {0u, 1u, 40u, 119u}) {
      const auto a = sequence.limit(), b = sequence.limit();
      bool differ = false;
      for (std::size_t t = 0; t < 120; ++t) {
        const std::size_t played = test::played_expert(b->weights());
        if (t <= changed) {
          ASSERT_EQ(test::played_expert(a->weights()), played) << "round " << t;
        }
        differ = differ || test::played_expert(a->weights()) != played;
        a->learn(sequence.losses.row(t));
        std::vector<double> row = test::copy(sequence.losses.row(t));
        if (t >= changed) {
          for (double& loss : row) loss = random.uniform(0.3, 0.6);
        }
        b->learn(row);
      }
      if (changed < 100) {
        EXPECT_TRUE(differ) << "what it saw made no difference";
      }
    }
  }
}

TEST(Families, LimitsOfOneSequenceAreIndependentAndOutliveIt) {
  for (const FamilyInfo& family : families()) {
    std::unique_ptr<Limit> first, second;
    Matrix losses;
    {
      Sequence sequence = generate(family.name, 60, 5, 8);
      if (!sequence.limit) continue;
      first = sequence.limit();
      second = sequence.limit();
      losses = std::move(sequence.losses);
    }
    std::vector<std::size_t> plays;
    for (std::size_t t = 0; t < 60; ++t) {
      plays.push_back(test::played_expert(first->weights()));
      first->learn(losses.row(t));
    }
    for (std::size_t t = 0; t < 60; ++t) {
      ASSERT_EQ(test::played_expert(second->weights()), plays[t]) << family.name << " round " << t;
      second->learn(losses.row(t));
    }
  }
}

void expect_refused(const std::string& spec, const std::vector<std::string_view>& parts,
                    std::size_t rounds = 10, std::size_t experts = 3) {
  const auto message = test::error_of([&] { generate(spec, rounds, experts, 1); });
  for (const auto part : parts) EXPECT_TRUE(test::mentions(message, std::string(part)));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Generate, NamesWhatThereIsWhereItRefuses) {
  std::vector<std::string_view> names;
  for (const FamilyInfo& family : families()) {
    names.push_back(family.name);
    std::vector<std::string_view> parts = {family.name, "colour"};
    for (const Option& parameter : family.parameters) {
      parts.push_back(parameter.name);
      const double beyond = 1e-3 * (parameter.high - parameter.low);
      const std::string low = fmt::format("{}", parameter.low),
                        high = fmt::format("{}", parameter.high);
      for (const std::string& value :
           {fmt::format("{}", parameter.low - beyond), fmt::format("{}", parameter.high + beyond),
            std::string("nan"), std::string("few"), std::string()}) {
        expect_refused(fmt::format("{}{{{}={}}}", family.name, parameter.name, value),
                       {family.name, parameter.name, value, low, high});
      }
    }
    expect_refused(with(family, "colour", 1), parts);
  }
  for (const char* spec : {"swich", "", "Switch", "{gap=0.1}"}) expect_refused(spec, names);
  expect_refused("switch", {"at least one"}, 0, 3);
  expect_refused("switch", {"at least one"}, 3, 0);
}

TEST(Seeds, OfEvaluationAndTrainingDifferInTheirHighestBit) {
  constexpr std::uint64_t kHighest = std::uint64_t{1} << 63;
  test::Random random(5);
  std::set<std::uint64_t> evaluation, training;
  std::size_t asked = 0;
  const auto ask = [&](std::uint64_t seed, std::uint64_t index) {
    evaluation.insert(evaluation_seed(seed, index));
    training.insert(training_seed(seed, index));
    ++asked;
    ASSERT_EQ(evaluation_seed(seed, index), evaluation_seed(seed, index));
    ASSERT_NE(evaluation_seed(seed, index) & kHighest, training_seed(seed, index) & kHighest);
  };
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (std::uint64_t index = 0; index < 200; ++index) ask(seed, index);
  }
  for (int i = 0; i < 5000; ++i) {
    ask(random.below(~std::size_t{0}), random.below(~std::size_t{0}));
  }
  // None twice, not even across studies, and all of each kind on one side.
  EXPECT_EQ(evaluation.size(), asked);
  EXPECT_EQ(training.size(), asked);
  EXPECT_TRUE(*evaluation.rbegin() < *training.begin() || *training.rbegin() < *evaluation.begin());
}

}  // namespace
}  // namespace pcgs::suite
