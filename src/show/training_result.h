// What pcgs-train did: how the training loss and the held-out scores went, and what was kept.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/json.h"

namespace pcgs::results {

struct Kind;

// Sequences of one kind that were not trained on, with the weights of one moment.
struct HeldOutResult {
  std::string name;
  // What training is judged by; less is better. None where weights have run wild.
  std::optional<double> score{};
  double won = 0;  // share of sequences on which it is better than what it is compared with
  // Mean dynamic regret of the controller, of the Fixed Share that is best for all of them, and of
  // the limit; none where forecasts are combined.
  std::optional<double> regret{}, tuned_fixed_share{}, limit{};
  // Where forecasts are combined: the error relative to that of the best candidate.
  std::optional<double> error_to_best_candidate{};

  bool operator==(const HeldOutResult&) const = default;
};

// The course of a training: all of it, if it was stopped and gone on with.
struct TrainingCourse {
  // Means over stretches of steps, of which there are a few hundred at most.
  struct Losses {
    std::vector<std::size_t> steps;           // the last of each stretch
    std::vector<std::optional<double>> loss;  // none where every step of it was skipped
    std::vector<double> rate;                 // learning rate
    bool operator==(const Losses&) const = default;
  };
  struct Check {
    std::size_t step = 0;                 // 0: the weights as they were given
    std::optional<double> score{};        // mean of those below
    std::vector<HeldOutResult> held_out;  // at least one, and the same kinds at every check
    bool operator==(const Check&) const = default;
  };

  Losses losses;
  std::vector<Check> checks;  // at least one; steps grow

  bool operator==(const TrainingCourse&) const = default;
};

// JSON, for checkpoints; read_course throws Error, with `origin`, for any other text.
std::string course_text(const TrainingCourse& course);
TrainingCourse read_course(std::string_view text, std::string_view origin);

struct TrainingResult {
  static constexpr const char* kKind = "training";
  static const Kind& kind();

  std::string recipe;
  std::size_t steps = 0;
  std::size_t best_step = 0;  // one of the checks, whose weights were kept
  std::size_t skipped_steps = 0;
  double seconds = 0;
  TrainingCourse course;
  ByName<std::string> options;  // what it was asked for, as --name has it

  bool operator==(const TrainingResult&) const = default;
};

// The check after which the weights were kept.
const TrainingCourse::Check& best_check(const TrainingResult& training);

}  // namespace pcgs::results
