// Who has led before, for how long, and who came next: what makes returning winners recognisable.
//
// A filter's weights say who leads: whoever carries more than kTakesOver of them. A leader stays
// one until another takes over. Counts of rounds are told apart up to kLongestMemory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pcgs/state.h"

namespace pcgs::tokens {

class Leadership {
 public:
  explicit Leadership(std::size_t experts);

  void observe(std::span<const float> weights);  // [K]

  // Five numbers of expert k: does it lead; ln(1 + K times its share of the rounds); ln(1 + times
  // it took over); ln(1 + rounds since it led); and, where it followed the present leader the last
  // time, ln(1 + times it did so in a row), else 0.
  void describe(std::size_t k, float* out) const;

  // Of the whole: ln(1 + age of this reign), ln(1 + mean length of the past ones), their
  // difference, ln(1 + number of reigns).
  void describe_reign(float* out) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  static_assert(kNobody == ExpertChange::kNew, "a leader that leaves makes nobody the leader");

  std::size_t leader_ = kNobody;
  double rounds_ = 0, age_ = 0, reigns_ = 0, past_rounds_ = 0;  // counts; past: of ended reigns
  std::vector<double> led_, took_over_, last_led_;              // [K]
  std::vector<double> successor_, in_a_row_;                    // [K] who followed k, how often so
};

}  // namespace pcgs::tokens
