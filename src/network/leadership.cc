#include "network/leadership.h"

#include <algorithm>
#include <cmath>

#include "network/token_schema.h"

namespace pcgs::tokens {

namespace {

constexpr double kNever = -1;

float log1p_of(double x) {
  return static_cast<float>(std::log1p(std::min(x, double{kLongestMemory})));
}

}  // namespace

Leadership::Leadership(std::size_t experts)
    : led_(experts, 0.0),
      took_over_(experts, 0.0),
      last_led_(experts, 0.0),
      successor_(experts, kNever),
      in_a_row_(experts, 0.0) {}

void Leadership::observe(std::span<const float> weights) {
  rounds_ += 1;
  age_ += 1;
  const auto top =
      static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  if (weights[top] > kTakesOver && top != leader_) {
    if (leader_ != kNobody) {
      const auto next = static_cast<double>(top);
      in_a_row_[leader_] = successor_[leader_] == next ? in_a_row_[leader_] + 1 : 1;
      successor_[leader_] = next;
      past_rounds_ += age_;
    }
    leader_ = top;
    took_over_[top] += 1;
    reigns_ += 1;
    age_ = 0;
  }
  if (leader_ == kNobody) return;
  led_[leader_] += 1;
  last_led_[leader_] = rounds_;
}

void Leadership::describe(std::size_t k, float* out) const {
  const bool leads = k == leader_;
  const auto experts = static_cast<double>(led_.size());
  out[0] = leads ? 1.0f : 0.0f;
  out[1] = log1p_of(experts * led_[k] / std::max(rounds_, 1.0));
  out[2] = log1p_of(took_over_[k]);
  out[3] = log1p_of(rounds_ - last_led_[k]);
  const bool follows = leader_ != kNobody && successor_[leader_] == static_cast<double>(k);
  out[4] = follows ? log1p_of(in_a_row_[leader_]) : 0.0f;
}

void Leadership::describe_reign(float* out) const {
  const double past = reigns_ - 1;  // that have ended
  out[0] = log1p_of(age_);
  out[1] = past > 0 ? log1p_of(past_rounds_ / past) : out[0];
  out[2] = out[0] - out[1];
  out[3] = log1p_of(reigns_);
}

void Leadership::save(StateWriter& out) const {
  std::size_t leader = leader_;
  std::vector<double> successor = successor_;
  if (const ExpertChange* change = out.change()) {
    if (leader != kNobody) leader = change->place_of(leader);
    for (double& k : successor) {
      const std::size_t place =
          k == kNever ? ExpertChange::kNew : change->place_of(static_cast<std::size_t>(k));
      k = place == ExpertChange::kNew ? kNever : static_cast<double>(place);
    }
  }
  out.u64(leader);
  for (const double x : {rounds_, age_, reigns_, past_rounds_}) out.f64(x);
  for (const auto* x : {&led_, &took_over_, &last_led_}) out.experts(*x, 0);
  out.experts(successor, kNever);
  out.experts(in_a_row_, 0);
}

void Leadership::load(StateReader& in) {
  const auto experts = static_cast<double>(led_.size());
  leader_ = static_cast<std::size_t>(in.u64());
  if (leader_ != kNobody && leader_ >= led_.size()) in.fail("a leader in it is no expert");
  for (double* x : {&rounds_, &age_, &reigns_, &past_rounds_}) {
    *x = in.f64_within(0, 1e18, "a count of rounds");
  }
  for (auto* x : {&led_, &took_over_, &last_led_, &successor_, &in_a_row_}) {
    in.f64s(*x);
    const bool names = x == &successor_;
    for (const double y : *x) {
      if (names ? !(y == kNever || (y >= 0 && y < experts)) : !(y >= 0 && y <= 1e18)) {
        in.fail("a count of leading rounds in it makes no sense");
      }
    }
  }
  for (const double y : last_led_) {
    if (y > rounds_) in.fail("an expert in it has led in a round to come");
  }
}

}  // namespace pcgs::tokens
