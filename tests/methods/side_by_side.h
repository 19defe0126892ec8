// Runs a method and its slow reference next to each other and compares the weights of every round.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/shares.h"

namespace pcgs::test {

// Makes references of this kind with these options.
template <class Reference, class... Options>
auto reference_of(Options... options) {
  return [=](std::size_t experts) { return std::make_unique<Reference>(experts, options...); };
}

struct Comparison {
  std::string spec;
  std::function<std::unique_ptr<reference::Learner>(std::size_t experts)> reference;
  std::size_t rounds = 100;
  double tolerance = 1e-12;  // on every weight
};

// Three kinds of run, each for several numbers of experts from 1 to 33:
void compare_with_losses(const Comparison& comparison);     // learn(losses)
void compare_with_sleepers(const Comparison& comparison);   // open(awake), learn(round, losses)
void compare_with_forecasts(const Comparison& comparison);  // predict(NaN sleeps), learn(outcome)

// All of them.
void compare(const Comparison& comparison);

// learn(losses), for this many experts and with these losses.
void compare_on(const Comparison& comparison, std::size_t experts,
                const std::function<std::vector<double>()>& next_losses);

}  // namespace pcgs::test
