#include "run/errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "run/made_up.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

using test::kAsleep;
using test::Random;
using Kind = ForecastError::Kind;
using Numbers = std::vector<double>;

// As somebody would write it who has all forecasts and outcomes in two columns.
struct Direct {
  int rounds = 0;
  double rmse = 0, mae = 0, bias = 0, loss = 0, mape = 0, smallest = INFINITY, size = 0;
};
Direct direct(const TaskLoss& task, const Numbers& forecasts, const Numbers& outcomes) {
  Direct out;
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    const double f = forecasts[t], y = outcomes[t];
    if (std::isnan(f) || std::isnan(y)) continue;
    ++out.rounds;
    out.rmse += (f - y) * (f - y);
    out.mae += std::abs(f - y);
    out.bias += f - y;
    out.loss += task(f, y);
    out.mape += std::abs((f - y) / y);
    out.size += std::abs(y);
    out.smallest = std::min(out.smallest, std::abs(y));
  }
  const double n = out.rounds;
  out.rmse = std::sqrt(out.rmse / n);
  for (double* mean : {&out.mae, &out.bias, &out.loss, &out.mape, &out.size}) *mean /= n;
  return out;
}

void expect_same(const ErrorSums& sums, const Direct& expected, const std::string& who) {
  ASSERT_EQ(sums.rounds(), static_cast<std::size_t>(expected.rounds)) << who;
  if (expected.rounds == 0) {
    EXPECT_TRUE(std::isnan(sums.rmse()) && std::isnan(sums.mae()) && std::isnan(sums.bias()))
        << who;
    EXPECT_FALSE(sums.mape()) << who;
    return;
  }
  EXPECT_NEAR(sums.rmse(), expected.rmse, 1e-12) << who;
  EXPECT_NEAR(sums.mae(), expected.mae, 1e-12) << who;
  EXPECT_NEAR(sums.bias(), expected.bias, 1e-12) << who;
  EXPECT_NEAR(sums.loss(), expected.loss, 1e-12) << who;
  const bool has_mape = expected.smallest > 0 && expected.smallest >= 0.05 * expected.size;
  ASSERT_EQ(sums.mape().has_value(), has_mape) << who;
  if (has_mape) {
    EXPECT_NEAR(*sums.mape(), expected.mape, 1e-12) << who;
  }
}

Numbers column(const Problem& problem, std::size_t k) {
  Numbers out;
  for (std::size_t t = 0; t < problem.rounds(); ++t) out.push_back(problem.values.row(t)[k]);
  return out;
}

Numbers mean_of_awake(const Problem& problem) {
  Numbers out;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    double sum = 0, awake = 0;
    for (const double f : problem.values.row(t)) {
      if (std::isnan(f)) continue;
      sum += f;
      ++awake;
    }
    out.push_back(sum / awake);  // NaN if nobody is
  }
  return out;
}

// Two methods: the first says what the first expert says, the last a mean of two, and nothing where
// nobody is awake.
Comparison played(const Problem& problem, double wobble = 0.1) {
  Comparison comparison;
  comparison.methods.resize(2);
  comparison.methods[0].name = "follower";
  comparison.methods[1].name = "combination";
  const Numbers equal = mean_of_awake(problem);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    comparison.methods[0].forecasts.push_back(problem.values.row(t)[0]);
    comparison.methods[1].forecasts.push_back(equal[t] + wobble * std::sin(static_cast<double>(t)));
  }
  return comparison;
}

const ForecastError& find(const Errors& errors, const std::string& name) {
  return *std::find_if(errors.all.begin(), errors.all.end(),
                       [&](const auto& one) { return one.name == name; });
}

// Sleepers, outcomes that are not known, and rounds with nobody awake.
Problem with_holes(std::size_t rounds, std::size_t experts, const char* loss, Random& random) {
  Problem problem = test::made_up_problem(rounds, experts, loss, random);
  for (std::size_t t = 0; t < rounds; ++t) {
    if (random.chance(0.1)) problem.outcomes[t] = kAsleep;
    const bool nobody = random.chance(0.05);
    for (double& f : problem.values.row(t)) {
      if (nobody || random.chance(0.1)) f = kAsleep;
    }
  }
  return problem;
}

TEST(Errors, AreDirectSumsOverRoundsWithAForecastAndAnOutcome) {
  for (const char* loss : {"squared", "absolute", "pinball"}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      const Problem problem = with_holes(5 + random.below(100), 1 + random.below(5), loss, random);
      const Comparison comparison = played(problem);
      const Errors errors = errors_of(problem, comparison);
      const Numbers& combined = comparison.methods[1].forecasts;
      const auto check = [&](const std::string& name, const Numbers& forecasts) {
        const ForecastError& error = find(errors, name);
        expect_same(error.own, direct(problem.task, forecasts, problem.outcomes), name);
        Numbers same_rounds = combined;
        for (std::size_t t = 0; t < forecasts.size(); ++t) {
          if (std::isnan(forecasts[t])) same_rounds[t] = kAsleep;
        }
        expect_same(error.combined, direct(problem.task, same_rounds, problem.outcomes), name);
      };
      check("combination", combined);
      check("follower", comparison.methods[0].forecasts);
      check("equal weights", mean_of_awake(problem));
      for (std::size_t k = 0; k < problem.experts.size(); ++k) {
        check(problem.experts[k], column(problem, k));
      }
      const auto weights = best_mix(problem);
      ASSERT_EQ(weights.has_value(),
                errors.all.end() !=
                    std::find_if(errors.all.begin(), errors.all.end(),
                                 [](const auto& one) { return one.name == "best convex mix"; }));
      if (!weights) continue;
      Numbers mix;
      for (std::size_t t = 0; t < problem.rounds(); ++t) {
        double sum = 0;
        for (std::size_t k = 0; k < weights->size(); ++k) {
          sum += (*weights)[k] * problem.values.row(t)[k];
        }
        mix.push_back(sum);  // NaN unless everybody is awake
      }
      check("best convex mix", mix);
    }
  }
}

TEST(Errors, StandInOrder) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const Problem problem = with_holes(60, 6, "squared", random);
    const Errors errors = errors_of(problem, played(problem));
    ASSERT_EQ(errors.all.size(), 2 + 2 + 6u);
    EXPECT_EQ(errors.all[0].name, "combination");
    EXPECT_EQ(errors.all[1].name, "follower");
    EXPECT_EQ(errors.all[2].name, "equal weights");
    EXPECT_EQ(errors.all[3].name, "best convex mix");
    for (std::size_t i = 0; i < errors.all.size(); ++i) {
      EXPECT_EQ(errors.all[i].kind, i < 2   ? Kind::kMethod
                                    : i < 4 ? Kind::kReference
                                            : Kind::kExpert);
    }
    EXPECT_EQ(errors.best_expert, 4u);
    const auto relative = [](const ForecastError& one) {
      return one.own.rmse() / one.combined.rmse();
    };
    for (std::size_t i = 5; i < errors.all.size(); ++i) {
      EXPECT_LE(relative(errors.all[i - 1]), relative(errors.all[i])) << "seed " << seed;
    }
  }
}

// "easy" forecast rounds that were easy for everybody, "rare" a few only; "steady" is the best.
TEST(Errors, TheBestExpertIsBestOnTheSameRoundsAndForecastsAtLeastHalfOfTheTime) {
  Problem problem = test::empty_problem(100, 4);
  problem.experts = {"easy", "rare", "steady", "never"};
  Comparison comparison;
  comparison.methods.resize(1);
  comparison.methods[0].name = "combination";
  for (std::size_t t = 0; t < 100; ++t) {
    const double hard = t % 2 == 0 ? 1 : 10;
    problem.outcomes[t] = 50;
    problem.values.row(t)[0] = t % 2 == 0 ? 50 + 2 * hard : kAsleep;  // twice the combination's
    problem.values.row(t)[1] = t < 49 ? 50 : kAsleep;                 // perfect
    problem.values.row(t)[2] = 50 - 1.5 * hard;
    problem.values.row(t)[3] = kAsleep;
    comparison.methods[0].forecasts.push_back(50 + hard);
  }
  const auto order = [&] {
    std::vector<std::string> names;
    for (const auto& one : errors_of(problem, comparison).all) {
      if (one.kind == Kind::kExpert) names.push_back(one.name);
    }
    return names;
  };
  EXPECT_EQ(order(), (std::vector<std::string>{"steady", "easy", "rare", "never"}));
  EXPECT_LT(find(errors_of(problem, comparison), "easy").own.rmse(),
            find(errors_of(problem, comparison), "steady").own.rmse());
  problem.values.row(99)[1] = 50;  // now it forecasts half of the time
  EXPECT_EQ(order(), (std::vector<std::string>{"rare", "steady", "easy", "never"}));
}

TEST(Errors, OfWhomNobodyForecastOftenTheBestIsStillNamed) {
  Problem problem = test::empty_problem(90, 3);
  Comparison comparison;
  comparison.methods.resize(1);
  for (std::size_t t = 0; t < 90; ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      problem.values.row(t)[k] = t % 3 == k ? 1.0 + static_cast<double>(k) : kAsleep;
    }
    comparison.methods[0].forecasts.push_back(0.5);
  }
  const Errors errors = errors_of(problem, comparison);
  ASSERT_TRUE(errors.best_expert);
  EXPECT_EQ(errors.all[*errors.best_expert].name, "e1");
}

TEST(Errors, OfNoOutcomeThereIsNoBestExpertAndNothingToBeComparedWith) {
  Random random(1);
  Problem problem = test::made_up_problem(10, 3, "squared", random);
  const Comparison comparison = played(problem);
  std::fill(problem.outcomes.begin(), problem.outcomes.end(), kAsleep);
  const Errors errors = errors_of(problem, comparison);
  EXPECT_FALSE(errors.best_expert || errors.beside_best || errors.beside_equal);
  for (const auto& one : errors.all) EXPECT_EQ(one.own.rounds(), 0u) << one.name;
}

TEST(Errors, MapeIsLeftOutWhereAnOutcomeIsNearZero) {
  const auto mape = [](const Numbers& outcomes) {
    ErrorSums sums;
    for (const double y : outcomes) sums.add(TaskLoss(), y + 1, y);
    return sums.mape();
  };
  EXPECT_NEAR(*mape({10, -20}), (0.1 + 0.05) / 2, 1e-15);
  EXPECT_FALSE(mape({10, 20, 0}));
  EXPECT_FALSE(mape({0}));
  EXPECT_FALSE(mape({}));
  // The mean size is (39 * 10 + 0.5) / 40: a twentieth of it is 0.488.
  Numbers outcomes(39, 10.0);
  outcomes.push_back(0.5);
  EXPECT_TRUE(mape(outcomes));
  outcomes.back() = -0.48;
  EXPECT_FALSE(mape(outcomes));
}

TEST(Errors, OfSeveralSeriesAddUp) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ErrorSums all, added;
    Numbers forecasts, outcomes;
    for (int part = 0; part < 4; ++part) {
      ErrorSums sums;
      for (std::size_t n = random.below(20); n > 0; --n) {
        outcomes.push_back(random.uniform(5, 6));
        forecasts.push_back(random.uniform(4, 6));
        sums.add(TaskLoss("pinball", 0.2), forecasts.back(), outcomes.back());
        all.add(TaskLoss("pinball", 0.2), forecasts.back(), outcomes.back());
      }
      added.add(sums);
    }
    expect_same(added, direct(TaskLoss("pinball", 0.2), forecasts, outcomes), "added");
    expect_same(all, direct(TaskLoss("pinball", 0.2), forecasts, outcomes), "all");
  }
}

TEST(Errors, AreMeasuredByWhatTheTaskPaysFor) {
  ErrorSums sums;
  for (const auto& [name, measure, expected] :
       {std::tuple{"squared", "RMSE", std::sqrt(5.0)},
        {"absolute", "MAE", 2.0},
        {"pinball", "pinball loss", (0.75 * 1 + 0.25 * 3) / 2}}) {
    const TaskLoss task(name, 0.75);
    sums = {};
    sums.add(task, 10, 11);
    sums.add(task, 13, 10);
    EXPECT_EQ(std::string(ErrorMeasure(task).name()), measure);
    EXPECT_NEAR(ErrorMeasure(task)(sums), expected, 1e-15) << name;
  }
  const ErrorMeasure log_loss = TaskLoss("log");
  EXPECT_EQ(std::string(log_loss.name()), "log loss");
  sums = {};
  sums.add(TaskLoss("log"), 0.25, 1);
  EXPECT_NEAR(log_loss(sums), std::log(4), 1e-15);
}

// Root of the ratio of mean losses for squared loss, the ratio itself for others.
TEST(Errors, TheCombinationIsPutBesideTheBestExpertOnTheRoundsOfBoth) {
  for (const char* loss : {"squared", "absolute", "pinball"}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Random random(seed);
      const Problem problem = with_holes(80, 3, loss, random);
      const Comparison comparison = played(problem);
      const Errors errors = errors_of(problem, comparison);
      ASSERT_TRUE(errors.best_expert && errors.beside_best && errors.beside_equal);
      const ForecastError& best = errors.all[*errors.best_expert];
      EXPECT_EQ(errors.beside_best->name, best.name);
      EXPECT_EQ(errors.beside_best->rounds, best.own.rounds());
      EXPECT_NEAR(errors.beside_best->ratio, errors.measure.ratio(best), 1e-12);
      ASSERT_TRUE(errors.beside_best->interval && errors.beside_best->p);
      EXPECT_LT(errors.beside_best->interval->low, errors.beside_best->ratio);
      EXPECT_GT(errors.beside_best->interval->high, errors.beside_best->ratio);
      const ForecastError& equal = find(errors, "equal weights");
      EXPECT_EQ(errors.beside_equal->name, "equal weights");
      EXPECT_NEAR(errors.beside_equal->ratio, errors.measure.ratio(equal), 1e-12);
    }
  }
}

// An expert that ruled out what happened has lost infinitely much.
TEST(Errors, OfInfiniteLogLossRankLast) {
  Random random(3);
  Problem problem = test::made_up_problem(40, 3, "log", random);
  problem.values.row(7)[1] = problem.outcomes[7] == 1 ? 0 : 1;
  const Errors errors = errors_of(problem, played(problem, 0));
  EXPECT_EQ(errors.all.back().name, "e2");
  EXPECT_TRUE(std::isinf(errors.all.back().own.loss()));
  EXPECT_NE(errors.all[*errors.best_expert].name, "e2");
}

}  // namespace

namespace {

TEST(IntervalScores, CountRoundsWithAnIntervalAndAnOutcome) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    const std::size_t rounds = 1 + random.below(60);
    Problem problem = test::empty_problem(rounds, 1);
    IntervalRecord record(rounds, {0.5, 0.9});
    std::vector<int> judged(2), inside(2);
    std::vector<double> width(2);
    for (std::size_t t = 0; t < rounds; ++t) {
      problem.outcomes[t] = random.chance(0.2) ? test::kAsleep : random.uniform(-1, 1);
      if (random.chance(0.2)) continue;  // nothing was published
      const std::vector<Interval> published = {{0.5, -0.5, random.uniform()},
                                               {0.9, -0.9, random.uniform()}};
      record.put(t, published);
      for (std::size_t i = 0; i < 2; ++i) {
        const double y = problem.outcomes[t];
        if (std::isnan(y)) continue;
        ++judged[i];
        inside[i] += published[i].low <= y && y <= published[i].high ? 1 : 0;
        width[i] += published[i].high - published[i].low;
      }
    }
    const auto scores = interval_scores(problem, record);
    ASSERT_EQ(scores.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(scores[i].level, i == 0 ? 0.5 : 0.9);
      ASSERT_EQ(scores[i].rounds, static_cast<std::size_t>(judged[i]));
      if (judged[i] == 0) {
        EXPECT_TRUE(std::isnan(scores[i].coverage));
        continue;
      }
      EXPECT_NEAR(scores[i].coverage, static_cast<double>(inside[i]) / judged[i], 1e-15);
      EXPECT_NEAR(scores[i].mean_width, width[i] / judged[i], 1e-12);
    }
  }
}

TEST(IntervalScores, AnOutcomeOnTheEdgeIsInside) {
  Problem problem = test::empty_problem(2, 1);
  problem.outcomes = {1, 2};
  IntervalRecord record(2, {0.8});
  record.put(0, std::vector<Interval>{{0.8, 1, 2}});
  record.put(1, std::vector<Interval>{{0.8, 1, 2}});
  EXPECT_EQ(interval_scores(problem, record)[0].coverage, 1);
}

}  // namespace

}  // namespace pcgs::compare
