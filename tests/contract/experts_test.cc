// Experts that come and go: what every registered method promises, checked for each of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "contract/specs.h"
#include "pcgs/aggregator.h"
#include "pcgs/certificates.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::copy;
using test::on_simplex;
using test::Random;
using test::same_bits;

bool is_share(const std::string& spec) { return method_info(spec).traits.share_form; }
bool is_certified(const std::string& spec) {
  return is_share(spec) || method_info(spec).traits.certifies_forecasts;
}

std::vector<std::string> specs_that(bool (*hold)(const std::string&)) {
  std::vector<std::string> specs = test::all_specs();
  std::erase_if(specs, [&](const std::string& spec) { return !hold(spec); });
  return specs;
}

std::vector<std::string> names_of(std::size_t experts) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < experts; ++k) names.push_back(fmt::format("first {}", k));
  return names;
}

Aggregator named(const std::string& spec, std::size_t experts, bool certify = false) {
  Aggregator::Options options;
  options.names = names_of(experts);
  options.certify = certify;
  return make_aggregator(spec, experts, std::move(options));
}

// Forecasts in [0,1] and outcomes, for whoever is there: each name has a bias of its own.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  double next_outcome() { return y_ = random_.uniform(0.3, 0.7); }
  std::vector<double> forecasts(const std::vector<std::string>& names, double asleep = 0.15) {
    std::vector<double> out;
    for (const std::string& name : names) {
      const double size = 0.02 + 0.2 * static_cast<double>(std::hash<std::string>{}(name) % 7) / 7;
      const double x = std::clamp(y_ + size * random_.uniform(-1, 1), 0.0, 1.0);
      out.push_back(random_.chance(asleep) ? std::nan("") : x);
    }
    return out;
  }
  Random& random() { return random_; }

 private:
  Random random_;
  double y_ = 0.5;
};

// Some leave, some come; sometimes nobody, sometimes everybody.
std::vector<std::string> some_change(std::vector<std::string> names, std::size_t& count,
                                     Random& random) {
  const double leaves = random.chance(0.1) ? 1 : 0.25;
  std::erase_if(names, [&](const std::string&) { return random.chance(leaves); });
  std::size_t come = random.below(3);
  if (names.empty() && come == 0) come = 1;
  if (names.size() + come > 9) come = 0;
  for (std::size_t i = 0; i < come; ++i) names.push_back(fmt::format("later {}", count++));
  return names;
}

class Experts : public ::testing::TestWithParam<std::string> {
 protected:
  static Aggregator make(std::size_t experts, bool certify = false) {
    return named(GetParam(), experts, certify);
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, Experts, ::testing::ValuesIn(test::all_specs()),
                         test::name_of_spec);

Aggregator reloaded(const Aggregator& aggregator) {
  return Aggregator::load_bytes(aggregator.save_bytes(), "test", make_method);
}

// Late outcomes and sleepers, while experts come and go: one that is saved and loaded before every
// change, and now and then after it, plays the same bits as one that lives on; both stay feasible.
TEST_P(Experts, ComeAndGoInASavedStateAsInALivingOne) {
  for (const std::size_t experts : {1u, 4u}) {
    const bool certify = is_certified(GetParam());
    Aggregator living = make(experts, certify), saved = make(experts, certify);
    World world(experts);
    Random& random = world.random();
    std::deque<std::pair<std::int64_t, double>> open;
    std::size_t count = 0;
    for (int t = 0; t < 90; ++t) {
      if (t % 7 == 3) {
        saved = reloaded(saved);
        const auto names = some_change(living.names(), count, random);
        living.set_experts(names, make_method);
        saved.set_experts(names, make_method);
        ASSERT_EQ(living.names(), names);
        ASSERT_EQ(living.experts(), names.size());
        ASSERT_TRUE(on_simplex(living.weights())) << "round " << t;
        if (t % 2 == 0) saved = reloaded(saved);
        ASSERT_EQ(saved.save_bytes(), living.save_bytes()) << "round " << t;
        for (const auto& [round, y] : open) ASSERT_EQ(living.played(round).size(), names.size());
      }
      const double y = world.next_outcome();
      const auto forecasts = world.forecasts(living.names());
      const double f = living.predict(forecasts);
      ASSERT_TRUE(same_bits(saved.predict(forecasts), f)) << "round " << t;
      const bool heard =
          std::any_of(forecasts.begin(), forecasts.end(), [](double x) { return !std::isnan(x); });
      ASSERT_EQ(std::isfinite(f), heard) << "round " << t;
      open.emplace_back(living.last_opened(), y);
      while (open.size() > 3 || (!open.empty() && random.chance(0.4))) {
        const auto at = static_cast<std::ptrdiff_t>(random.below(open.size()));
        const auto [round, outcome] = open[static_cast<std::size_t>(at)];
        open.erase(open.begin() + at);
        living.learn(round, outcome);
        saved.learn(round, outcome);
        ASSERT_TRUE(on_simplex(living.weights())) << "round " << t;
        ASSERT_TRUE(same_bits(saved.weights(), living.weights())) << "round " << t;
      }
    }
    EXPECT_EQ(saved.save_bytes(), living.save_bytes());
  }
}

// What was published is what is paid for, whoever has left since.
TEST_P(Experts, LeaveWhatWasPublishedAsItWas) {
  Aggregator aggregator = make(3);
  World world(5);
  for (int t = 0; t < 30; ++t) {
    const double y = world.next_outcome();
    aggregator.predict(world.forecasts(aggregator.names(), 0));
    aggregator.learn(y);
  }
  const double published = aggregator.predict(std::vector<double>{0.2, 0.9, 0.5});
  const double before = aggregator.total_forecast_loss();
  const std::int64_t round = aggregator.last_opened();
  aggregator.remove_expert("first 1", make_method);
  aggregator.add_expert("new", make_method);
  aggregator = reloaded(aggregator);
  EXPECT_EQ(aggregator.played(round)[2], 0) << "a newcomer sleeps in rounds that are open";
  EXPECT_TRUE(on_simplex(aggregator.played(round)));
  aggregator.learn(round, 0.4);
  EXPECT_NEAR(aggregator.total_forecast_loss() - before, (published - 0.4) * (published - 0.4),
              1e-12);
}

// Everybody who was awake has left: the round is closed, and nothing is learned from it.
TEST_P(Experts, ThatHaveAllLeftLeaveAnEmptyRound) {
  Aggregator aggregator = make(3);
  aggregator.predict(std::vector<double>{0.2, std::nan(""), 0.4});
  aggregator.set_experts(std::vector<std::string>{"first 1", "new"}, make_method);
  aggregator.learn(0.3);
  EXPECT_EQ(aggregator.rounds(), 0);
  EXPECT_EQ(aggregator.skipped(), 1);
  EXPECT_TRUE(std::isfinite(aggregator.predict(std::vector<double>{0.2, 0.4})));
}

// Those that stay keep their relative weights, and newcomers get 1/K, where the recursion is all
// there is.
class ExpertsOfAShare : public Experts {};

INSTANTIATE_TEST_SUITE_P(Methods, ExpertsOfAShare, ::testing::ValuesIn(specs_that(is_share)),
                         test::name_of_spec);

TEST_P(ExpertsOfAShare, GetTheWeightThatTheyShould) {
  Aggregator aggregator = make(5);
  World world(6);
  for (int t = 0; t < 40; ++t) {
    const double y = world.next_outcome();
    aggregator.predict(world.forecasts(aggregator.names(), 0.2));
    aggregator.learn(y);
  }
  const auto before = copy(aggregator.weights());
  aggregator.set_experts(std::vector<std::string>{"first 0", "first 2", "first 3", "a", "b"},
                         make_method);
  const double left = before[0] + before[2] + before[3];
  const auto after = aggregator.weights();
  if (left > 1e-100) {
    const std::vector<double> expected = {0.6 * before[0] / left, 0.6 * before[2] / left,
                                          0.6 * before[3] / left};
    EXPECT_TRUE(test::all_near(after.first(3), expected, 1e-12));
  }
  EXPECT_NEAR(after[3], 0.2, 1e-12);
  EXPECT_NEAR(after[4], 0.2, 1e-12);
}

class CertifiedExperts : public Experts {};

INSTANTIATE_TEST_SUITE_P(Methods, CertifiedExperts, ::testing::ValuesIn(specs_that(is_certified)),
                         test::name_of_spec);

TEST_P(CertifiedExperts, MayComeAndGo) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Aggregator aggregator = make(3, true);
    World world(seed);
    std::size_t count = 0;
    for (int t = 0; t < 80; ++t) {
      if (t % 9 == 4) {
        aggregator.set_experts(some_change(aggregator.names(), count, world.random()), make_method);
      }
      const double y = world.next_outcome();
      aggregator.predict(world.forecasts(aggregator.names()));
      aggregator.learn(y);
      if (const LiveCertificate* live = aggregator.certificate()) {
        ASSERT_TRUE(live->weighted().holds()) << "round " << t;
        ASSERT_TRUE(live->combined().holds()) << "round " << t;
      } else {
        const ForecastCertificate& claims = *aggregator.forecast_certificate();
        ASSERT_TRUE(claims.against_path().certificate.holds()) << "round " << t;
        ASSERT_TRUE(claims.against_raw_path().certificate.holds()) << "round " << t;
        const ForecastClaim best = claims.against_expert();
        ASSERT_TRUE(best.certificate.holds()) << "round " << t;
        ASSERT_LT(best.expert, aggregator.experts()) << "round " << t;
      }
    }
  }
}

class DefaultExperts : public Experts {};

std::vector<std::string> defaults() {
  std::vector<std::string> specs = test::default_specs();
  specs.emplace_back("blend");
  return specs;
}

INSTANTIATE_TEST_SUITE_P(Methods, DefaultExperts, ::testing::ValuesIn(defaults()),
                         test::name_of_spec);

// Four that are about as good as each other for three hundred rounds; then one that is always right
// comes, or one that is far off.
struct Entry {
  double early = 0, weight = 0;  // of the newcomer, after twenty rounds and after sixty
  double lost = 0, alone = 0;    // over them, with it and without it
};
Entry enter(const std::string& spec, double error) {
  Aggregator with = named(spec, 4), without = named(spec, 4);
  Random random(8);
  Entry entry;
  for (int t = 0; t < 360; ++t) {
    if (t == 300) with.add_expert("newcomer", make_method);
    const double y = random.uniform(-10, 10);
    std::vector<double> forecasts;
    for (int k = 0; k < 4; ++k) forecasts.push_back(y + random.uniform(-3, 3));
    const double alone = without.predict(forecasts);
    if (t >= 300) forecasts.push_back(y + error * random.uniform(0.5, 1));
    const double together = with.predict(forecasts);
    with.learn(y);
    without.learn(y);
    if (t == 319) entry.early = with.weights().back();
    if (t < 300) continue;
    entry.lost += (together - y) * (together - y);
    entry.alone += (alone - y) * (alone - y);
  }
  entry.weight = with.weights().back();
  fmt::print(
      "{:16} error {:2}: weight {:.3f} after 20 rounds, {:.3f} after 60; squared error {:.2f} "
      "of that without it\n",
      spec, error, entry.early, entry.weight, entry.lost / entry.alone);
  return entry;
}

TEST_P(DefaultExperts, ThatAreGoodGetWeightWithinTensOfRounds) {
  const Entry entry = enter(GetParam(), 0);
  EXPECT_GT(entry.weight, 0.4);
  EXPECT_LT(entry.lost, 0.6 * entry.alone);
}

TEST_P(DefaultExperts, ThatAreBadCostLittle) {
  const Entry entry = enter(GetParam(), 30);
  EXPECT_LT(entry.weight, 0.05);
  // The first round alone costs its fifth of the weight: ten times a usual round.
  // Squint forgives slowly: its weights fall like one over the regret.
  EXPECT_LT(entry.lost, (GetParam() == "squint" ? 20 : 6) * entry.alone);
}

// Against paths over experts that exist: one who is not there yet costs more than anything.
TEST(GuardAmongNewcomers, IsAsCloseToEveryPathAsItProves) {
  constexpr std::size_t kRounds = 200, kMostExperts = 8;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Aggregator guard = named("guard{learned=0}", 2);
    Random random(seed);
    std::vector<double> table(kRounds * kMostExperts, 1e6);
    for (std::size_t t = 0; t < kRounds; ++t) {
      if (t % 30 == 17 && guard.experts() < kMostExperts) {
        guard.add_expert(fmt::format("later {}", t), make_method);
      }
      std::vector<double> losses = random.losses(guard.experts());
      losses[t / 40 % losses.size()] *= 0.1;
      if (t % 60 > 30) losses.back() *= 0.05;
      std::copy(losses.begin(), losses.end(),
                table.begin() + static_cast<std::ptrdiff_t>(t * kMostExperts));
      guard.learn(losses);
      if (t % 20 != 19) continue;
      const auto best = switching_oracle(MatrixView(table.data(), t + 1, kMostExperts), 6);
      for (std::size_t s = 0; s <= 6; ++s) {
        const double proved = guard.method().switching_bound(s);
        ASSERT_TRUE(std::isfinite(proved));
        ASSERT_LE(guard.total_loss() - best[s], proved + 1e-9) << "round " << t << ", S = " << s;
      }
    }
    guard.remove_expert("first 0", make_method);
    EXPECT_TRUE(std::isinf(guard.method().switching_bound(3))) << "nothing is known any more";
  }
}

// Five hundred are replaced after every round; one that stays was always wrong. What is left of its
// weight stays a number that can be saved.
TEST(GuardAmongNewcomers, RemembersWhoStaysAmongManyThatLeave) {
  constexpr std::size_t kPassing = 500;
  const auto names = [&](int t) {
    std::vector<std::string> out = {"wrong", "right"};
    for (std::size_t k = 0; k < kPassing; ++k) out.push_back(fmt::format("{} in round {}", k, t));
    return out;
  };
  Aggregator::Options options;
  options.names = names(0);
  Aggregator guard = make_aggregator("guard{learned=0}", kPassing + 2, options);
  Random random(2);
  for (int t = 1; t <= 125; ++t) {
    std::vector<double> losses = random.losses(kPassing + 2);
    for (double& l : losses) l = 0.5 + 0.5 * l;
    losses[0] = 1;
    losses[1] = 0;
    guard.learn(losses);
    guard.set_experts(names(t), make_method);
    ASSERT_TRUE(on_simplex(guard.weights())) << "round " << t;
  }
  EXPECT_GT(guard.weights()[1], 100 * guard.weights()[0]);
}

TEST(ExpertNames, AreToldWhereTheyAreWrong) {
  using Names = std::vector<std::string>;
  Aggregator aggregator = named("guard", 2);
  const auto add = [](Aggregator& to, const char* name) {
    return test::error_of([&] { to.add_expert(name, make_method); });
  };
  const auto remove = [&](const char* name) {
    return test::error_of([&] { aggregator.remove_expert(name, make_method); });
  };
  const auto set = [&](const Names& names) {
    return test::error_of([&] { aggregator.set_experts(names, make_method); });
  };
  EXPECT_TRUE(test::mentions(add(aggregator, "first 0"), "there is an expert first 0 already"));
  EXPECT_TRUE(test::mentions(remove("c"), "there is no expert c; there are first 0, first 1"));
  EXPECT_TRUE(test::mentions(set({}), "at least one"));
  EXPECT_TRUE(test::mentions(set({"first 0", "x", "x"}), "two experts x"));
  EXPECT_TRUE(test::mentions(set({"first 0", "first 0"}), "two experts first 0"));
  EXPECT_EQ(aggregator.names(), names_of(2));
  Aggregator nameless = make_aggregator("guard", 2);
  EXPECT_TRUE(test::mentions(add(nameless, "a"), "experts without names"));
  aggregator.remove_expert("first 0", make_method);
  EXPECT_TRUE(test::mentions(remove("first 1"), "nobody would be left"));
}

// Stacks and the network are there for few experts only: they come and go with the number.
TEST(ManyExperts, BringAndTakeDerivedOnes) {
  Aggregator aggregator = named("blend{season=2}", 126, true);
  World world(3);
  std::size_t count = 0;
  for (int t = 0; t < 60; ++t) {
    std::vector<std::string> names = aggregator.names();
    if (t % 12 == 5) {  // 126 to 130, and back
      for (int i = 0; i < 4; ++i) names.push_back(fmt::format("later {}", count++));
    } else if (t % 12 == 11) {
      names.erase(names.begin() + 3, names.begin() + 7);
    }
    const double y = world.next_outcome();
    aggregator.predict(world.forecasts(aggregator.names()));
    aggregator.set_experts(names, make_method);  // while a round is open
    ASSERT_EQ(reloaded(aggregator).save_bytes(), aggregator.save_bytes()) << "round " << t;
    aggregator.learn(y);
    ASSERT_TRUE(on_simplex(aggregator.weights())) << "round " << t;
    ASSERT_TRUE(aggregator.forecast_certificate()->against_path().certificate.holds());
  }
}

}  // namespace
}  // namespace pcgs
