// Training that takes a second: short sequences, few experts, a narrow network.
#pragma once

#include <string>
#include <vector>

#include "controller_net.h"
#include "network/token_stream.h"
#include "pool.h"
#include "research/suite.h"
#include "trainer.h"

namespace pcgs::test {

inline constexpr std::size_t kTinyRounds = 60, kTinyExperts = 8, kTinySwitches = 3;

inline train::Pool tiny_pool(std::size_t count, std::uint64_t seed, std::size_t threads = 1) {
  return train::make_pool(
      count,
      [=](std::size_t i) {
        return suite::generate("switch", kTinyRounds, kTinyExperts, suite::training_seed(seed, i))
            .losses;
      },
      kTinySwitches, threads, torch::kCPU);
}

inline infer::Config tiny_config() {
  return {.features = tokens::kExpertFeatures,
          .shared = tokens::kSharedFeatures,
          .width = 16,
          .layers = 1,
          .heads = 2,
          .hidden = 24,
          .attention = infer::AttentionKind::kInduced,
          .inducing = 4,
          .pool_hidden = 16,
          .controls = {}};
}

inline train::TrainerOptions tiny_options() {
  train::TrainerOptions options;
  options.steps = 20;
  options.tokens_per_step = 8 * kTinyRounds * kTinyExperts;
  options.rate = 1e-2;
  options.warm_up = 3;
  options.check_every = 5;
  return options;
}

// A training and everything it takes.
struct Tiny {
  std::vector<train::Pool> pools;
  std::vector<train::HeldOut> held_out;
  train::TrainerOptions options = tiny_options();
  train::ControllerNet net{tiny_config(), 1, torch::kCPU};

  Tiny() {
    pools.push_back(tiny_pool(16, 1));
    held_out.push_back({"switch", tiny_pool(16, 2)});
  }

  train::TrainingOutcome outcome_of_training(const train::Watcher& watcher = {},
                                             const train::Processes& processes = {}) {
    train::Supply supply(train::TrainingPools{pools, {1.0}});
    return train::train(net, options, supply, held_out, watcher, processes);
  }
  train::Report train(
      const std::function<void(const train::Report&)>& checked = [](const train::Report&) {},
      const std::function<void()>& stepped = [] {}, const train::Processes& processes = {}) {
    train::Watcher watcher;
    watcher.checked = checked;
    watcher.stepped = [&](const train::Step&) { stepped(); };
    return outcome_of_training(watcher, processes).last;
  }
  infer::Model model() const { return net.model("test", {}); }
};

}  // namespace pcgs::test
