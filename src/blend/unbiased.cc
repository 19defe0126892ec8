// Bias correction: another derived expert's forecast, plus the mean of its latest errors,
//
//     b = b + (e - b) / 20
//
// where an error above six units counts as six.
#include <algorithm>

#include "blend/averages.h"
#include "blend/robust_row.h"

namespace pcgs::blend {

namespace {

constexpr double kRate = 0.05;

class Unbiased final : public Derived {
 public:
  explicit Unbiased(std::size_t index) : index_(index) {}

  double forecast(const Seen& seen, std::span<double>) const override {
    const double f = seen.made[index_] + bias_;
    return seen.task.kind() == TaskLoss::Kind::kLog ? std::clamp(f, 0.0, 1.0) : f;
  }
  void observe(const Seen& seen, std::span<const double>, double, double outcome) override {
    const double most = kLargestError * seen.unit;
    bias_ += kRate * (std::clamp(outcome - seen.made[index_], -most, most) - bias_);
  }
  Rest add_weights(const Seen&, double share, std::span<double>) const override {
    return {share, index_};
  }
  void save(StateWriter& out) const override { out.f64(bias_); }
  void load(StateReader& in) override { bias_ = in.f64_within(-1e300, 1e300, "a bias"); }

 private:
  std::size_t index_;
  double bias_ = 0;
};

}  // namespace

std::unique_ptr<Derived> make_unbiased(std::size_t index) {
  return std::make_unique<Unbiased>(index);
}

}  // namespace pcgs::blend
