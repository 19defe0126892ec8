#include "methods/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/kernels.h"

namespace pcgs {

void load_weights(StateReader& in, std::span<double> weights) {
  in.f64s(weights);
  if (!on_simplex(weights)) in.fail("its weights are not on the simplex");
}

void load_finite(StateReader& in, std::span<double> values, double low, const char* what) {
  // No sum of regrets or of their squares gets this far, and sums of it are still finite.
  constexpr double kMost = 1e200;
  in.f64s(values);
  for (const double x : values) {
    if (!(x >= low && x <= kMost)) in.fail(fmt::format("{} in it is {}", what, x));
  }
}

void linearise(const Round& round, double most, std::span<double> losses, double& learner) {
  // A regret of this size drowns everything else, and a sum of squares of them is still a number.
  most = std::min(most, 1e90);
  const RoundForecasts& forecasts = round.forecasts;
  constexpr double kHuge = 1e150;  // so that no product is infinite, or infinity times 0
  const double g = std::clamp(
      forecasts.task->slope(forecasts.combined, forecasts.outcome) / round.scale, -kHuge, kHuge);
  double least = 0;  // p itself has 0
  for (std::size_t k = 0; k < losses.size(); ++k) {
    if (!round.is_awake(k)) continue;
    const double d = std::clamp(forecasts.given[k] - forecasts.combined, -kHuge, kHuge);
    losses[k] = std::clamp(g * d, -most, most);
    least = std::min(least, losses[k]);
  }
  learner = -least;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    losses[k] = round.is_awake(k) ? losses[k] - least : learner;
  }
}

namespace {

class Linearised final : public Method {
 public:
  Linearised(std::unique_ptr<Method> method, Linear linear, std::string name)
      : method_(std::move(method)),
        linear_(linear),
        name_(std::move(name)),
        losses_(method_->weights().size()) {}

  std::string name() const override { return name_; }
  std::span<const double> weights() const override { return method_->weights(); }
  std::size_t side_needed() const override { return method_->side_needed(); }
  const Share* share() const override { return method_->share(); }
  const Round* as_learned() const override {
    return method_->share() != nullptr && latest_ ? &*latest_ : nullptr;
  }

  void learn(const Round& round) override {
    if (linear_ == Linear::kNever || round.forecasts.task == nullptr) {
      latest_.reset();
      method_->learn(round);
      return;
    }
    Round& own = latest_.emplace(round);
    constexpr double kFree = std::numeric_limits<double>::infinity();
    linearise(round, linear_ == Linear::kCapped ? 0.5 : kFree, losses_, own.learner_loss);
    own.mixture_loss = own.learner_loss;
    own.losses = losses_;
    method_->learn(own);
  }

  void save(StateWriter& out) const override { method_->save(out); }
  void load(StateReader& in) override { method_->load(in); }

 private:
  std::unique_ptr<Method> method_;
  Linear linear_;
  std::string name_;
  std::vector<double> losses_;   // [K]
  std::optional<Round> latest_;  // if it was linearised
};

}  // namespace

std::unique_ptr<Method> make_linearised(std::unique_ptr<Method> method, Linear linear,
                                        std::string name) {
  return std::make_unique<Linearised>(std::move(method), linear, std::move(name));
}

}  // namespace pcgs
