// Certificates against mixtures of experts, and what they say of linearised losses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pcgs/certify.h"
#include "pcgs/registry.h"
#include "reference/paths.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using reference::PathRound;
using test::Random;

// Stretches of random length, each with a mixture of its own.
Matrix random_mixtures(Random& random, std::size_t rounds, std::size_t experts, double change) {
  Matrix mixtures(rounds, experts);
  std::vector<double> u = random.simplex(experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    if (random.chance(change)) u = random.simplex(experts);
    std::copy(u.begin(), u.end(), mixtures.row(t).begin());
  }
  return mixtures;
}

TEST(MixtureCertificate, HasTheExpectedCodeOfTheDraws) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    Random random(seed);
    const std::size_t experts = 1 + random.below(3), rounds = 1 + random.below(6);
    std::vector<double> initial(experts, 1.0 / static_cast<double>(experts));
    ShareRecord record(experts);
    std::vector<PathRound> played;
    for (std::size_t t = 0; t < rounds; ++t) {
      std::vector<double> q = random.simplex(experts);
      for (double& x : q) x = 0.9 * x + 0.1 / static_cast<double>(experts);
      played.push_back({random.losses(experts), 2, random.log_uniform(1e-3, 0.5), q});
      record.add(played.back().losses, {2, played.back().rho, played.back().q});
    }
    const Matrix mixtures = random_mixtures(random, rounds, experts, 0.4);
    const Certificate claimed = mixture_certificate(record, mixtures);
    std::vector<std::vector<double>> rows;
    for (std::size_t t = 0; t < rounds; ++t) {
      rows.emplace_back(mixtures.row(t).begin(), mixtures.row(t).end());
    }
    const double code = reference::expected_code(initial, played, rows);
    EXPECT_NEAR(claimed.bound, code + record.realised_gaps(), 1e-9 * (1 + code)) << seed;
    EXPECT_TRUE(claimed.holds()) << seed;
  }
}

// A mixture that is one expert is that expert.
TEST(MixtureCertificate, OfSingleExpertsIsThatOfThePath) {
  Random random(2);
  ShareRecord record(3);
  std::vector<std::uint32_t> path;
  Matrix mixtures(40, 3);
  for (std::size_t t = 0; t < 40; ++t) {
    record.add(random.losses(3), {1.5, 0.1, {}});
    path.push_back(static_cast<std::uint32_t>(t / 9 % 3));
    mixtures.row(t)[path.back()] = 1;
  }
  const Certificate mixture = mixture_certificate(record, mixtures);
  const Certificate one = sharp_certificate(record, path);
  EXPECT_NEAR(mixture.bound, one.bound, 1e-10);
  EXPECT_NEAR(mixture.regret, one.regret, 1e-10);
}

TEST(MixtureCertificate, RefusesWhatIsNoMixture) {
  ShareRecord record(2);
  record.add(std::vector<double>{0.1, 0.2}, {1, 0.1, {}});
  Matrix wrong(1, 2);
  wrong.row(0)[0] = 0.4;
  EXPECT_TRUE(test::mentions(test::error_of([&] { mixture_certificate(record, wrong); }), "sum"));
  EXPECT_TRUE(
      test::mentions(test::error_of([&] { mixture_certificate(record, Matrix(2, 2)); }), "rounds"));
}

double noise(Random& random) { return 2 * random.uniform() + 2 * random.uniform() - 2; }

struct Played {
  std::vector<std::vector<double>> forecasts;  // [T][K]
  std::vector<double> published, outcomes;     // [T]
  Trace trace;
};

// Experts with biases of their own, which mixtures cancel; another pair is good after a while.
void play(Aggregator& aggregator, Random& random, bool wild, Played& run) {
  aggregator.trace(&run.trace);
  const std::size_t experts = aggregator.experts();
  for (std::size_t t = 0; t < 120; ++t) {
    const double level = 10 * noise(random);
    std::vector<double> x;
    for (std::size_t k = 0; k < experts; ++k) {
      const double bias = (k + t / 40) % 2 == 0 ? 1 : -1;
      x.push_back(level + bias + 0.3 * noise(random));
    }
    run.published.push_back(aggregator.predict(x));
    run.forecasts.push_back(x);
    run.outcomes.push_back(level + 0.3 * noise(random) + (wild && t % 30 == 29 ? 200 : 0));
    aggregator.learn(run.outcomes.back());
  }
  aggregator.trace(nullptr);
}

// What the cap took off a round: the loss that was to be paid, less the one in the trace.
double excess(const TaskLoss& task, const Played& run, std::size_t t, double paid) {
  const double slope = task.slope(run.published[t], run.outcomes[t]) / run.trace.rows()[t].scale;
  double least = 0;
  for (const double x : run.forecasts[t]) least = std::min(least, slope * (x - run.published[t]));
  return -least - paid;
}

TEST(MixtureCertificate, BoundsTheRegretOfForecastsToSequencesOfMixtures) {
  double highest = -1e300;  // of all regrets
  std::size_t runs_without_a_cap = 0;
  for (const char* method :
       {"hedge{gradient=1}", "fixed-share{gradient=1}", "fixed-share{eta=2,rho=0.05,gradient=1}"}) {
    for (const char* loss : {"squared", "absolute", "pinball"}) {
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE(std::string(method) + ", " + loss + ", seed " + std::to_string(seed));
        Random random(seed);
        const TaskLoss task(loss, 0.3);
        Aggregator aggregator = make_aggregator(method, 2 + random.below(4), {task});
        Played run;
        play(aggregator, random, seed % 5 == 4, run);
        const ShareRecord record = ShareRecord::of(run.trace);
        double capped = 0;
        for (std::size_t t = 0; t < record.rounds(); ++t) {
          capped += record.controls(t).eta * excess(task, run, t, record.paid(t));
        }
        if (std::abs(capped) < 1e-9) ++runs_without_a_cap;
        for (int i = 0; i < 40; ++i) {
          // Hedge never restarts: only one mixture for all rounds has a finite code.
          const double change = method[0] == 'h' ? 0 : i % 2 == 0 ? 0.0 : 0.02;
          Matrix u = random_mixtures(random, record.rounds(), record.experts(), change);
          if (i == 0)
            std::fill(u.values.begin(), u.values.end(), 1.0 / static_cast<double>(u.columns));
          double regret = 0;
          for (std::size_t t = 0; t < u.rows; ++t) {
            double mixed = 0;
            for (std::size_t k = 0; k < u.columns; ++k) mixed += u.row(t)[k] * run.forecasts[t][k];
            const double rate = record.controls(t).eta / run.trace.rows()[t].scale;
            regret +=
                rate * (task(run.published[t], run.outcomes[t]) - task(mixed, run.outcomes[t]));
          }
          const Certificate proved = mixture_certificate(record, u);
          const double rounding = 1e-9 * (1 + std::abs(proved.bound));
          ASSERT_LE(regret, proved.regret + capped + rounding);
          ASSERT_LE(regret, proved.bound + capped + rounding);
          highest = std::max(highest, regret);
        }
      }
    }
  }
  EXPECT_GT(highest, 0) << "some mixture was better";
  EXPECT_GT(runs_without_a_cap, 20u);
}

}  // namespace
}  // namespace pcgs
