// What every derived expert promises (blend.h), checked for each of them.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "combine/blend.h"
#include "methods/methods.h"
#include "support/random.h"

namespace pcgs::blend {
namespace {

using test::Random;

constexpr std::size_t kExperts = 5;
constexpr std::size_t kErrors = 5;

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Derived>()> make;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

std::vector<Kind> kinds() {
  const Setting setting = {kExperts, {4, 12}};
  std::vector<Kind> all = {
      {"mean", [] { return make_mean(); }},
      {"median", [=] { return make_median(setting); }},
      {"inverse_error", [=] { return make_inverse_error(setting, 1, 0.99); }},
      {"inverse_error_cubed", [=] { return make_inverse_error(setting, 3, 0.9); }},
      {"filter", [=] { return make_filter(setting, 0.3, 0.05); }},
      {"ml_poly", [=] { return make_linear(setting, make_ml_poly); }},
      {"ml_prod", [=] { return make_linear(setting, make_ml_prod); }},
      {"ml_ewa", [=] { return make_linear(setting, make_ml_ewa); }},
      {"boa", [=] { return make_linear(setting, make_boa); }},
      {"stack",
       [=] {
         return make_stack(setting, {0.998, 10});
       }},
      {"stack_from_mean",
       [=] {
         return make_stack(setting, {0.98, 1, false, false});
       }},
      {"corrected", [=] { return make_corrected(setting, kMeanIndex, true); }},
      {"corrected_without_season", [=] { return make_corrected(setting, kCentreIndex, false); }},
  };
  // Each also with a state for every phase.
  const std::size_t plain = all.size();
  for (std::size_t i = 0; i < plain; ++i) {
    const auto make = all[i].make;
    all.push_back({all[i].name + "_by_phase", [make] { return make_seasonal(4, make); }});
  }
  return all;
}

// A round with everything that a pool would say about it.
struct Scene {
  std::int64_t number = 0;
  std::vector<double> forecasts, errors, made, kept;
  std::vector<std::uint8_t> awake;
  double mean = 0, centre = 0, outcome = 0, forecast = 0;
  TaskLoss task;

  Seen seen(std::int64_t late = 0) const {
    ForecastRange range;
    for (std::size_t k = 0; k < forecasts.size(); ++k) {
      if (awake[k] != 0) range.add(forecasts[k]);
    }
    return {number, forecasts, awake, range, task, mean, centre, 1.5, 2.25, errors, made, late};
  }
};

Scene scene_of(std::int64_t number, Random& random, const TaskLoss& task = {}) {
  Scene scene;
  scene.number = number;
  scene.task = task;
  scene.awake = random.awake(kExperts, 0.8);
  const double level = 50 + random.uniform(-10, 10);
  double n = 0;
  for (std::size_t k = 0; k < kExperts; ++k) {
    scene.forecasts.push_back(level + random.uniform(-1, 1) * static_cast<double>(k + 1));
    if (scene.awake[k] == 0) continue;
    scene.mean += scene.forecasts[k];
    ++n;
  }
  scene.mean /= n;
  scene.centre = scene.mean + random.uniform(-0.3, 0.3);
  for (std::size_t k = 0; k < kExperts; ++k) {
    if (scene.awake[k] == 0) scene.forecasts[k] = scene.centre;
  }
  for (std::size_t i = 0; i < kErrors; ++i) scene.errors.push_back(random.uniform(-2, 2));
  scene.made = {scene.mean, scene.centre};
  scene.outcome = level + random.uniform(-1, 1);
  return scene;
}

class DerivedContract : public ::testing::TestWithParam<Kind> {
 protected:
  static std::unique_ptr<Derived> make() { return GetParam().make(); }
  static double forecast(const Derived& derived, Scene& scene) {
    scene.kept.resize(derived.kept());
    return scene.forecast = derived.forecast(scene.seen(), scene.kept);
  }
  static void observe(Derived& derived, const Scene& scene, std::int64_t late = 0) {
    derived.observe(scene.seen(late), scene.kept, scene.forecast, scene.outcome);
  }
  static std::vector<std::uint8_t> bytes(const Derived& derived) {
    StateWriter out;
    derived.save(out);
    return out.file(0);
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, DerivedContract, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(DerivedContract, ForecastsAreFiniteAndChangeNothing) {
  const auto derived = make();
  Random random(1);
  for (std::int64_t t = 1; t <= 200; ++t) {
    Scene scene = scene_of(t, random);
    const auto before = bytes(*derived);
    const double f = forecast(*derived, scene);
    ASSERT_TRUE(std::isfinite(f));
    ASSERT_NEAR(f, 50, 30) << "near what the experts say";
    ASSERT_EQ(bytes(*derived), before);
    ASSERT_EQ(forecast(*derived, scene), f);
    observe(*derived, scene);
  }
}

TEST_P(DerivedContract, AreFiniteForEveryLoss) {
  for (const TaskLoss& task :
       {TaskLoss("absolute"), TaskLoss("pinball", 0.1), TaskLoss("squared")}) {
    const auto derived = make();
    Random random(2);
    for (std::int64_t t = 1; t <= 100; ++t) {
      Scene scene = scene_of(t, random, task);
      if (t % 30 == 0) scene.outcome = t % 60 == 0 ? 1e200 : -1e200;
      ASSERT_TRUE(std::isfinite(forecast(*derived, scene))) << task.name() << ", round " << t;
      observe(*derived, scene);
    }
  }
}

TEST_P(DerivedContract, KnowOutcomesThatCameAndNoOthers) {
  const auto first = make(), second = make();
  Random random(3);
  std::deque<Scene> open_first, open_second;
  for (std::int64_t t = 1; t <= 120; ++t) {
    Scene one = scene_of(t, random);
    Scene other = one;
    if (t > 100) other.outcome += 5;  // comes ten rounds later
    const double f = forecast(*first, one), g = forecast(*second, other);
    if (t <= 111) {
      ASSERT_EQ(f, g) << "round " << t;
    }
    open_first.push_back(one);
    open_second.push_back(other);
    if (open_first.size() > 10) {
      observe(*first, open_first.front(), 10);
      observe(*second, open_second.front(), 10);
      open_first.pop_front();
      open_second.pop_front();
    }
  }
}

TEST_P(DerivedContract, ResumeToTheBit) {
  const auto whole = make();
  auto parts = make();
  Random random(4);
  std::deque<Scene> open;
  for (std::int64_t t = 1; t <= 150; ++t) {
    Scene scene = scene_of(t, random);
    const double f = forecast(*whole, scene);
    ASSERT_EQ(forecast(*parts, scene), f);
    open.push_back(scene);
    if (t % 3 == 0) {  // late, and the latest first
      while (!open.empty()) {
        observe(*whole, open.back());
        observe(*parts, open.back());
        open.pop_back();
      }
    }
    if (t % 40 == 0) {
      const auto file = bytes(*parts);
      parts = make();
      StateReader in(file, "test");
      parts->load(in);
      in.finish();
      ASSERT_EQ(bytes(*parts), file);
    }
  }
}

TEST_P(DerivedContract, WeightsOfRawExpertsSumToOne) {
  const auto derived = make();
  Random random(5);
  for (std::int64_t t = 1; t <= 60; ++t) {
    Scene scene = scene_of(t, random);
    forecast(*derived, scene);
    std::vector<double> weights(kExperts);
    const auto rest = derived->add_weights(scene.seen(), 0.5, weights);
    EXPECT_LT(rest.base, 2u);
    double sum = rest.share;
    for (std::size_t k = 0; k < kExperts; ++k) {
      sum += weights[k];
      if (scene.awake[k] == 0) {
        EXPECT_EQ(weights[k], 0);
      }
    }
    ASSERT_NEAR(sum, 0.5, 1e-9);
    observe(*derived, scene);
  }
}

// ---- One by one ---------------------------------------------------------------------------------

TEST(Median, LeavesOutTheEnds) {
  Scene scene;
  scene.number = 1;
  scene.forecasts = {1, 1000, 3, 2, -500};
  scene.awake = {1, 1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(make_median({kExperts, {}})->forecast(scene.seen(), {}), 2);
  scene.awake = {1, 1, 1, 1, 0};
  EXPECT_DOUBLE_EQ(make_median({kExperts, {}})->forecast(scene.seen(), {}), 2.5);
}

// Weights that are best in hindsight need one to be negative.
TEST(Stack, FindsWeightsBeyondMixtures) {
  const auto stack = make_stack({2, {}}, {1, 0.1, true, false});
  Random random(7);
  double error = 0, best = 0;
  for (std::int64_t t = 1; t <= 3000; ++t) {
    Scene scene;
    scene.number = t;
    scene.awake = {1, 1};
    const double y = random.uniform(-3, 3), shared = random.uniform(-2, 2);
    scene.forecasts = {y + shared, y + 2 * shared};  // 2 x1 - x2 is y
    scene.mean = scene.centre = y + 1.5 * shared;
    const double f = stack->forecast(scene.seen(), {});
    if (t > 2000) {
      error += std::abs(f - y);
      best += std::abs(shared);
    }
    stack->observe(scene.seen(), {}, f, y);
  }
  EXPECT_LT(error, 0.4 * best) << "what is more than half a unit outside their range is cut off";
}

TEST(Corrected, LearnsAnAutoregressionOfTheErrors) {
  const auto corrected = make_corrected({1, {}}, kMeanIndex, false);
  Random random(8);
  double error = 0, plain = 0, better = 0;
  for (std::int64_t t = 1; t <= 4000; ++t) {
    Scene scene;
    scene.number = t;
    scene.awake = {1};
    scene.forecasts = {10};
    scene.mean = scene.centre = 10;
    scene.made = {10, 10};
    scene.kept.resize(corrected->kept());
    error = 0.9 * error + random.uniform(-0.5, 0.5);
    const double y = 10 + error;
    const double f = corrected->forecast(scene.seen(), scene.kept);
    if (t > 500) {
      plain += error * error;
      better += (f - y) * (f - y);
    }
    corrected->observe(scene.seen(), scene.kept, f, y);
  }
  EXPECT_LT(better, 0.25 * plain) << "1 - 0.81 of it is left at best";
}

}  // namespace
}  // namespace pcgs::blend
