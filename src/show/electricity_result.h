// What pcgs electricity found: methods on the test part of one series.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/keyed_values.h"

namespace pcgs::results {

struct ElectricityResult {
  static constexpr const char* kKind = "electricity";

  struct BestExpert {
    std::string name;
    double mean_loss = 0;
    bool operator==(const BestExpert&) const = default;
  };
  struct Method {
    std::string name;
    // The rates of a tuned method; at most one of them is not empty.
    std::string chosen_in_hindsight, chosen_on_training_part;
    double mean_loss = 0;
    ByBudget<double> regret_per_round;
    double ns_per_round = 0;
    // Of the same weights on squared errors as they are, neither divided nor clipped; none in
    // results of earlier versions.
    std::optional<double> unclipped_mean_loss{};
    std::optional<ByBudget<double>> unclipped_regret_per_round{};
    bool operator==(const Method&) const = default;
  };

  std::string file, column;
  std::vector<std::size_t> seasons;
  std::size_t observations = 0;
  std::size_t burn_in = 0;
  std::size_t training_rounds = 0;
  std::size_t rounds = 0;  // of the test part
  double scale = 1;        // what squared errors were divided by
  std::vector<std::string> experts;
  BestExpert best_expert;
  std::vector<std::size_t> switches;  // budgets, at least one
  ByBudget<double> oracle_mean_loss;
  std::vector<Method> methods;  // at least one
  std::string bound{};          // how squared errors were bounded, if they were not clipped
  std::optional<ByBudget<double>> unclipped_oracle_mean_loss{};  // of squared errors as they are

  bool operator==(const ElectricityResult&) const = default;
};

}  // namespace pcgs::results
