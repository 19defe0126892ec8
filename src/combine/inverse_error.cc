// Weights that fall with what an expert has lost lately:
//
//     m(k)  = mean of its losses, each counted with decay^(its age in rounds)
//     w(k)  ~ ( m(k) + best / 100 )^(-power)         best = min_j m(j)
//
// Bates and Granger, The combination of forecasts, 1969, with forgetting; power 1 is optimal for
// unbiased experts with independent errors, more is closer to selecting.
#include <algorithm>

#include "combine/averages.h"

namespace pcgs::blend {

namespace {

class InverseError final : public Derived {
 public:
  InverseError(std::size_t experts, int power, double decay)
      : power_(power),
        decay_(decay),
        mean_(experts, 0.0),
        count_(experts, 0.0),
        scratch_(experts) {}

  double forecast(const Seen& seen, std::span<double>) const override {
    const double total = fill_weights(seen);
    double f = 0;
    for (std::size_t k = 0; k < mean_.size(); ++k) f += scratch_[k] / total * seen.forecasts[k];
    return seen.range.hold(f);
  }
  void observe(const Seen& seen, std::span<const double>, double, double outcome) override {
    for (std::size_t k = 0; k < mean_.size(); ++k) {
      if (seen.awake[k] == 0) continue;
      count_[k] = decay_ * count_[k] + 1;
      mean_[k] += (usual_loss(seen, seen.forecasts[k], outcome) - mean_[k]) / count_[k];
    }
  }
  Rest add_weights(const Seen& seen, double share, std::span<double> weights) const override {
    const double total = fill_weights(seen);
    for (std::size_t k = 0; k < mean_.size(); ++k) weights[k] += share * scratch_[k] / total;
    return {};
  }

  void save(StateWriter& out) const override {
    out.experts(mean_, 0);
    out.experts(count_, 0);
  }
  void load(StateReader& in) override {
    in.f64s(mean_);
    in.f64s(count_);
    const double most = 1 / (1 - decay_) + 1;
    for (std::size_t k = 0; k < mean_.size(); ++k) {
      if (!(mean_[k] >= 0 && mean_[k] <= kLargestLoss && count_[k] >= 0 && count_[k] <= most)) {
        in.fail("a mean of losses in it is damaged");
      }
    }
  }

 private:
  // Of the awake, into scratch_; returns their sum, at least 1. Whoever has not been judged yet is
  // taken to be as good as the best.
  double fill_weights(const Seen& seen) const {
    double best = kLargestLoss;
    for (std::size_t k = 0; k < mean_.size(); ++k) {
      if (seen.awake[k] != 0 && count_[k] > 0) best = std::min(best, mean_[k]);
    }
    const double floor = best / 100 + 1e-12;
    double total = 0;
    for (std::size_t k = 0; k < mean_.size(); ++k) {
      const double mean = count_[k] > 0 ? mean_[k] : best;
      const double ratio = (best + floor) / (mean + floor);  // at most 1
      scratch_[k] = seen.awake[k] == 0 ? 0 : ratio;
      for (int i = 1; i < power_; ++i) scratch_[k] *= ratio;
      total += scratch_[k];
    }
    return total;
  }

  int power_;
  double decay_;
  std::vector<double> mean_;             // [K] m
  std::vector<double> count_;            // [K] sum of decay^age; 0: never judged
  mutable std::vector<double> scratch_;  // [K]
};

}  // namespace

std::unique_ptr<Derived> make_inverse_error(const Setting& setting, int power, double decay) {
  return std::make_unique<InverseError>(setting.experts, power, decay);
}

}  // namespace pcgs::blend
