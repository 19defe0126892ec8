// Every certificate holds on every method of the share form, on every kind of loss sequence.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "contract/specs.h"
#include "pcgs/registry.h"
#include "proof/loss_kinds.h"
#include "proof/path_certificates.h"
#include "reference/paths.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::Random;
using Path = std::vector<std::uint32_t>;

// The contract's specs, and around the values that are used in practice.
std::vector<std::string> share_specs() {
  std::vector<std::string> specs = test::contract_specs();
  for (const MethodInfo& method : registered_methods()) {
    const bool takes_eta = std::any_of(
        method.options.begin(), method.options.end(),
        [](const Option& option) { return option.name == "eta" && option.standard > 0; });
    if (!takes_eta) continue;
    for (const char* options : {"eta=0.1", "eta=1", "eta=30"}) {
      specs.push_back(std::string(method.name) + "{" + options + "}");
    }
  }
  std::erase_if(specs, [](const std::string& s) { return !method_info(s).traits.share_form; });
  return specs;
}

// The paths that are tried: the best one, each expert for ever, the best of each round, and two at
// random, one of them with few switches.
std::vector<Path> paths_for(const ShareRecord& record, Random& random) {
  const std::size_t rounds = record.rounds();
  const auto experts = static_cast<std::uint32_t>(record.experts());
  std::vector<Path> paths{best_path(record).experts};
  for (std::uint32_t k = 0; k < experts; ++k) paths.emplace_back(rounds, k);
  Path greedy(rounds), wild(rounds), calm(rounds);
  for (std::size_t t = 0; t < rounds; ++t) {
    const auto losses = record.losses().row(t);
    greedy[t] =
        static_cast<std::uint32_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
    wild[t] = static_cast<std::uint32_t>(random.below(experts));
    calm[t] = t == 0 || random.chance(0.05) ? wild[t] : calm[t - 1];
  }
  paths.insert(paths.end(), {greedy, wild, calm});
  return paths;
}

void expect_all_hold(const ShareRecord& record, std::uint64_t seed) {
  Random random(seed);
  double highest_rho = 0, lowest_q = 1.0 / static_cast<double>(record.experts());
  for (std::size_t t = 0; t < record.rounds(); ++t) {
    highest_rho = std::max(highest_rho, record.controls(t).rho);
    for (const double q : record.controls(t).q) lowest_q = std::min(lowest_q, q);
  }
  ASSERT_LE(record.realised_gaps(), record.worst_gaps());

  const BestPath best = best_path(record);
  for (const Path& path : paths_for(record, random)) {
    const Certificate plain = weighted_certificate(record, path);
    const Certificate sharp = sharp_certificate(record, path);
    ASSERT_TRUE(plain.holds()) << plain.regret << " > " << plain.bound;
    ASSERT_TRUE(sharp.holds()) << sharp.regret << " > " << sharp.bound;
    ASSERT_LE(sharp.bound, plain.bound);
    // No path promises less loss than the best one.
    const double weighted_loss = record.weighted_paid() - sharp.regret;
    ASSERT_LE(best.cost.penalised(), weighted_loss + code_length(record, path) + sharp.rounding);
    if (record.constant_eta() > 0) {
      ASSERT_TRUE(unweighted(record, plain).holds());
      if (highest_rho <= 0.5) {
        const Certificate trained = training_aligned_certificate(record, path, 0.5);
        ASSERT_TRUE(trained.holds());
        ASSERT_LE(unweighted(record, plain).bound, trained.bound + trained.rounding);
      }
    }
    if (lowest_q > 0) {
      const CrossEntropy entropy = cross_entropy(
          record, path, std::min(1.0, lowest_q * static_cast<double>(record.experts())));
      ASSERT_LE(entropy.effective, entropy.all_rounds + 1e-12);
      ASSERT_LE(entropy.effective, entropy.by_floor * (1 + 1e-12));
    }
  }

  const auto frontier = switching_certificates(record, record.rounds() - 1);
  const double unit = record.constant_eta() > 0 ? record.constant_eta() : 1;
  double before = std::numeric_limits<double>::infinity();
  for (const SwitchingCertificate& s : frontier) {
    ASSERT_TRUE(s.sharp.holds()) << s.sharp.regret << " > " << s.sharp.bound;
    ASSERT_TRUE(s.plain.holds());
    ASSERT_LE(s.sharp.bound, s.plain.bound);
    ASSERT_LE(s.penalised, before);
    before = s.penalised;
    // The allowance is for rounding and nothing else.
    ASSERT_LE(s.sharp.rounding * unit,
              1e-12 * (static_cast<double>(record.rounds()) + record.total_eta() + s.penalised));
  }
  ASSERT_NEAR(frontier.back().penalised, best.cost.penalised(), 1e-12 * best.cost.penalised());
}

class Certificates : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Certificates, ::testing::ValuesIn(share_specs()),
                         test::name_of_spec);

TEST(CertificateSpecs, HaveTheLearnedControllers) {
  const auto specs = share_specs();
  for (const char* name : {"pcgs-tf", "pcgs-tf:oracle"}) {
    EXPECT_EQ(std::count(specs.begin(), specs.end(), name), 1) << name;
  }
}

constexpr std::uint64_t kSeeds = 40;  // for each method and kind: thousands in all

TEST_P(Certificates, HoldOnEveryKindOfSequence) {
  test::on_every_kind(kSeeds, 8, 80, [&](test::LossCase& one) {
    auto& [seed, random, experts, rounds, losses] = one;
    Aggregator aggregator = make_aggregator(GetParam(), experts);
    Trace trace;
    aggregator.trace(&trace);
    for (std::size_t t = 0; t < rounds; ++t) {
      aggregator.learn(losses.next(t, aggregator.weights()));
    }
    const ShareRecord record = ShareRecord::of(trace.rows());
    ASSERT_NEAR(record.total_paid(), aggregator.total_loss(), 1e-12 * 80);
    ASSERT_NO_FATAL_FAILURE(expect_all_hold(record, seed));
  });
}

// Most controllers of the registry keep eta; these change everything, q included, in every round.
TEST(CertificatesOfAnyController, HoldOnEveryKindOfSequence) {
  test::on_every_kind(200, 8, 80, [](test::LossCase& one) {
    auto& [seed, random, experts, rounds, losses] = one;
    ShareRecord record(experts,
                       random.chance(0.5) ? std::vector<double>() : random.simplex(experts));
    for (std::size_t t = 0; t < rounds; ++t) {
      const double rho = random.chance(0.3) ? 0 : random.log_uniform(1e-9, 0.99);
      const double eta = random.log_uniform(1e-3, 1e3);
      const std::vector<double> q = random.simplex(experts);
      record.add(losses.next(t, record.weights()), {eta, rho, q});
    }
    ASSERT_NO_FATAL_FAILURE(expect_all_hold(record, seed));
  });
}

TEST(FixedShareBound, HoldsForEveryNumberOfSwitches) {
  test::on_every_kind(200, 8, 80, [](test::LossCase& one) {
    auto& [seed, random, experts, rounds, losses] = one;
    const double eta = random.log_uniform(0.01, 30);
    const double rho = random.chance(0.2) ? 0 : random.log_uniform(1e-5, 0.9);
    ShareRecord record(experts);
    for (std::size_t t = 0; t < rounds; ++t) {
      record.add(losses.next(t, record.weights()), {eta, rho, {}});
    }
    const auto frontier = switching_certificates(record, rounds - 1);
    for (std::size_t s = 0; s < rounds; ++s) {
      const double bound = reference::fixed_share_bound(experts, s, rounds, eta, rho);
      ASSERT_LE(frontier[s].plain.regret, bound + frontier[s].plain.rounding) << s << " switches";
    }
  });
}

TEST(Certificates, HoldOverAHundredThousandRounds) {
  for (const char* spec : {"hedge{eta=0.05}", "fixed-share", "genshare{eta=20}"}) {
    const std::size_t rounds = 100000, experts = 10;
    const auto sequence = suite::generate("switch", rounds, experts, 3);
    Aggregator aggregator = make_aggregator(spec, experts);
    Trace trace;
    aggregator.trace(&trace);
    for (std::size_t t = 0; t < rounds; ++t) aggregator.learn(sequence.losses.row(t));
    const ShareRecord record = ShareRecord::of(trace.rows());
    const Certificate sharp = sharp_certificate(record, best_path(record).experts);
    EXPECT_TRUE(sharp.holds());
    EXPECT_LT(sharp.rounding, 1e-4 * sharp.bound);
    const SwitchingCertificate s = switching_certificates(record, 20).back();
    EXPECT_TRUE(s.sharp.holds() && s.plain.holds()) << spec;
  }
}

}  // namespace
}  // namespace pcgs
