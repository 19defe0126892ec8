#include "made_sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <span>

#include "data/checksums.h"
#include "error_matrices.h"
#include "error_pool.h"
#include "forecast_losses.h"
#include "prior.h"
#include "research/suite.h"
#include "research/tournament.h"

namespace pcgs::train {

namespace {

enum class Kind {
  kMixed,           // families and prior
  kPrior,           // prior.h
  kForecasts,       // forecast_losses.h
  kSquares,         // error_matrices.h
  kErrors,          // error_matrices.h
  kForecastErrors,  // forecast_losses.h
};

// Shapes, and what part of the sequences and of the steps each takes.
struct PoolPlan {
  std::size_t rounds, experts;
  double sequences, steps;
  Kind kind;
};

// Forecasters are much alike, and outcomes are what their losses are made of: the differences that
// a controller can make are small beside the unit of a sequence, and count for more.
double weight_of(Kind kind) { return kind == Kind::kForecasts || kind == Kind::kSquares ? 4 : 1; }

constexpr PoolPlan kPlans[] = {
    {600, 32, 0.440, 0.38, Kind::kMixed},      {600, 16, 0.080, 0.06, Kind::kMixed},
    {600, 8, 0.050, 0.04, Kind::kMixed},       {600, 48, 0.070, 0.06, Kind::kMixed},
    {600, 128, 0.020, 0.04, Kind::kMixed},     {250, 64, 0.030, 0.03, Kind::kPrior},
    {2400, 20, 0.050, 0.06, Kind::kPrior},     {6000, 16, 0.015, 0.03, Kind::kPrior},
    {2000, 21, 0.070, 0.08, Kind::kForecasts}, {6000, 21, 0.035, 0.07, Kind::kForecasts},
    {2000, 8, 0.040, 0.05, Kind::kForecasts},  {300, 66, 0.040, 0.04, Kind::kSquares},
    {1000, 10, 0.030, 0.03, Kind::kSquares},   {600, 24, 0.030, 0.03, Kind::kSquares},
};

constexpr PoolPlan kErrorPlans[] = {
    {600, 20, 0.32, 0.28, Kind::kErrors},          {600, 8, 0.12, 0.08, Kind::kErrors},
    {600, 40, 0.12, 0.12, Kind::kErrors},          {400, 66, 0.08, 0.10, Kind::kErrors},
    {2000, 20, 0.08, 0.12, Kind::kErrors},         {600, 4, 0.06, 0.04, Kind::kErrors},
    {2000, 21, 0.12, 0.16, Kind::kForecastErrors}, {2000, 10, 0.10, 0.10, Kind::kForecastErrors},
};

std::span<const PoolPlan> plans(bool errors) {
  return errors ? std::span<const PoolPlan>(kErrorPlans) : std::span<const PoolPlan>(kPlans);
}

Matrix made_up(const PoolPlan& plan, double families, std::uint64_t seed) {
  if (plan.kind == Kind::kForecasts) return make_forecast_losses(plan.rounds, plan.experts, seed);
  if (plan.kind == Kind::kSquares) return make_squared_errors(plan.rounds, plan.experts, seed);
  if (plan.kind == Kind::kErrors) return make_error_matrix(plan.rounds, plan.experts, seed);
  if (plan.kind == Kind::kForecastErrors) {
    return make_forecast_errors(plan.rounds, plan.experts, seed);
  }
  // A lot that is as good as random: seeds are mixed already.
  const double lot = static_cast<double>(seed % 1000) / 1000;
  return plan.kind == Kind::kMixed && lot < families
             ? make_varied_family(plan.rounds, plan.experts, seed)
             : make_prior_losses(plan.rounds, plan.experts, seed);
}

}  // namespace

std::string plan_of_pools(bool errors) {
  std::string all;
  for (const PoolPlan& plan : plans(errors)) {
    all += fmt::format("{} {} {} {} {}|", plan.rounds, plan.experts, plan.sequences, plan.steps,
                       static_cast<int>(plan.kind));
  }
  all += fmt::format("{}", weight_of(Kind::kForecasts));
  return fmt::format("{:08x}", fnv1a<std::uint32_t>(all));
}

TrainingPools made_pools(const MadeSequences& made, std::int64_t set, torch::Device device,
                         const std::function<void()>& finished_one) {
  TrainingPools out;
  // Sets never meet: none has so many sequences.
  std::size_t first = static_cast<std::size_t>(set) * 1'000'000'000;
  const auto part_of_all = [&](double share) {
    return std::max<std::size_t>(1,
                                 static_cast<std::size_t>(share * static_cast<double>(made.count)));
  };
  const auto add_family = [&](const Favoured& favoured) {
    const std::size_t count = part_of_all(favoured.share);
    out.pools.push_back(make_pool(
        count,
        [&, first](std::size_t i) {
          return suite::generate(favoured.family, 600, 32,
                                 suite::training_seed(made.seed, first + i))
              .losses;
        },
        made.switches, made.threads, device, finished_one));
    out.shares.push_back(favoured.share);
    first += count;
  };
  if (!made.family.empty()) {
    add_family({made.family, 1});
    return out;
  }
  double others = 1;
  for (const Favoured& favoured : made.favoured) {
    add_family(favoured);
    others -= favoured.share;
  }
  for (const PoolPlan& plan : plans(made.errors)) {
    const std::size_t count = part_of_all(others * plan.sequences);
    const auto make = [&, first](std::size_t i) {
      return made_up(plan, made.families, suite::training_seed(made.seed, first + i));
    };
    out.pools.push_back(
        made.errors ? make_error_pool(count, make, made.threads, device, finished_one)
                    : make_pool(count, make, made.switches, made.threads, device, finished_one));
    out.pools.back().unit /= weight_of(plan.kind);
    out.shares.push_back(others * plan.steps);
    first += count;
  }
  return out;
}

namespace {

struct HeldOutPlan {
  const char* name;
  PoolPlan plan;
};
constexpr HeldOutPlan kHeldOutLosses[] = {
    {"prior", PoolPlan{2400, 20, 0, 0, Kind::kPrior}},
    {"forecasts", PoolPlan{6000, 21, 0, 0, Kind::kForecasts}},
    {"squares", PoolPlan{300, 66, 0, 0, Kind::kSquares}},
};
constexpr HeldOutPlan kHeldOutErrors[] = {
    {"errors", PoolPlan{600, 20, 0, 0, Kind::kErrors}},
    {"few experts", PoolPlan{600, 5, 0, 0, Kind::kErrors}},
    {"many rounds", PoolPlan{2000, 20, 0, 0, Kind::kErrors}},
    {"forecasts", PoolPlan{2000, 21, 0, 0, Kind::kForecastErrors}},
};

// Training seeds of another run's seed.
std::uint64_t held_out_seed(const MadeSequences& made, std::size_t i) {
  return suite::training_seed(made.seed + 1'000'003, i);
}

HeldOut held_out_errors(const MadeSequences& made, const HeldOutPlan& one, torch::Device device,
                        const std::function<void()>& finished_one) {
  return {one.name, make_error_pool(
                        made.held_out,
                        [&](std::size_t i) { return made_up(one.plan, 0, held_out_seed(made, i)); },
                        made.threads, device, finished_one)};
}

HeldOut held_out_losses(const MadeSequences& made, const HeldOutPlan& one, torch::Device device,
                        const std::function<void()>& finished_one) {
  HeldOut out{one.name, make_pool(
                            made.held_out,
                            [&](std::size_t i) {
                              return made_up(one.plan, 0, held_out_seed(made, 100000 + i));
                            },
                            made.switches, made.threads, device, finished_one)};
  out.pool.unit /= weight_of(one.plan.kind);
  return out;
}

HeldOut held_out_family(const MadeSequences& made, std::string_view name, torch::Device device,
                        const std::function<void()>& finished_one) {
  std::vector<double> limit(made.held_out);
  std::atomic<bool> has_limit = false;
  Pool pool = make_pool(
      made.held_out,
      [&](std::size_t i) {
        auto sequence = suite::generate(name, 600, 32, held_out_seed(made, i));
        if (sequence.limit) {
          has_limit = true;
          limit[i] = suite::play(*sequence.limit(), sequence.losses);
        }
        return std::move(sequence.losses);
      },
      made.switches, made.threads, device, finished_one);
  if (!has_limit) limit.clear();
  return {std::string(name), std::move(pool), std::move(limit)};
}

}  // namespace

std::vector<HeldOut> made_held_out(const MadeSequences& made, torch::Device device,
                                   const io::Monitor& monitor) {
  std::vector<std::string> families;
  if (!made.family.empty()) {
    families.push_back(made.family);
  } else if (!made.errors) {
    for (const auto& family : suite::families()) families.emplace_back(family.name);
  }
  std::span<const HeldOutPlan> others;
  if (made.errors) {
    others = kHeldOutErrors;
  } else if (made.family.empty()) {
    others = kHeldOutLosses;
  }
  const io::Advance advance =
      monitor("held-out sequences", (families.size() + others.size()) * made.held_out);
  const auto finished_one = [&] { advance(1); };
  std::vector<HeldOut> all;
  for (const auto& family : families) {
    all.push_back(held_out_family(made, family, device, finished_one));
  }
  for (const HeldOutPlan& one : others) {
    all.push_back(made.errors ? held_out_errors(made, one, device, finished_one)
                              : held_out_losses(made, one, device, finished_one));
  }
  return all;
}

}  // namespace pcgs::train
