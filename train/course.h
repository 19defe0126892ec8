// Keeps the course of a training: its losses, in bounded memory, and every check.
#pragma once

#include <cstddef>
#include <cstdint>

#include "show/training_result.h"

namespace pcgs::train {

struct Report;

// One step of training, as those who watch are told.
struct Step {
  std::int64_t step = 0;  // from 1
  double loss = 0;        // not finite where it was skipped
  double rate = 0;        // learning rate
  double done = 0;        // how much of the training was over before it, in [0,1]
};

class CourseKeeper {
 public:
  CourseKeeper() = default;
  // Goes on from here.
  explicit CourseKeeper(results::TrainingCourse course);

  void add(const Step& step);
  void add(const Report& report);
  results::TrainingCourse course() const;

 private:
  // A stretch of steps that is not finished.
  struct Stretch {
    std::size_t last = 0, steps = 0, taken = 0;
    double loss = 0, rate = 0;  // sums
  };
  void merge_pairs();
  static void append(const Stretch& stretch, results::TrainingCourse::Losses& losses);

  results::TrainingCourse course_;  // finished stretches only
  std::size_t length_ = 1;          // steps of a stretch; doubles when there are too many of them
  Stretch here_;
};

}  // namespace pcgs::train
