// Bias and error correction: another derived expert's forecast p, plus what its own earlier errors
// say about the next one:
//
//     y - p = phi . ( e of the latest rounds, of the same phase, their slow mean in this phase, 1 )
//
// by least squares with forgetting 0.999 and a ridge of 5, in units, robust (robust_row.h). Only
// errors that were known when the round was opened are used, so a delay costs what it costs in real
// life. At most three units are added. An autoregression of the errors: Cochrane and Orcutt, 1949.
#include <algorithm>

#include "combine/averages.h"
#include "combine/error_memory.h"
#include "combine/ridge_regression.h"
#include "combine/robust_row.h"

namespace pcgs::blend {

namespace {

constexpr double kSlow = 0.1;     // rate of the mean error of a phase
constexpr double kMostAdded = 3;  // units
constexpr double kConstantColumn = 0.3;

class Corrected final : public Derived {
 public:
  Corrected(const Setting& setting, std::size_t index)
      : index_(index),
        features_(ErrorMemory::features(setting)),
        memory_(setting),
        slow_(setting.seasons.empty() ? 1 : setting.seasons.front(), 0.0),
        regression_(std::vector<double>(features_ + 2, 5.0), 0.999) {}

  std::size_t kept() const override { return regression_.size(); }

  double forecast(const Seen& seen, std::span<double> kept) const override {
    memory_.recall(seen.number, kept.first(features_));
    kept[features_] = slow_[phase(seen)];
    for (double& e : kept.first(features_ + 1)) {
      e = std::clamp(e / seen.unit, -kLargestError, kLargestError);
    }
    kept[features_ + 1] = kConstantColumn;
    const double added = std::clamp(regression_.predict(kept), -kMostAdded, kMostAdded);
    const double f = seen.made[index_] + seen.unit * added;
    return seen.task.kind() == TaskLoss::Kind::kLog ? std::clamp(f, 0.0, 1.0) : f;
  }

  void observe(const Seen& seen, std::span<const double> kept, double, double outcome) override {
    const double most = kLargestError * seen.unit;
    const double error = std::clamp(outcome - seen.made[index_], -most, most);
    const auto [target, scale] =
        robust_row(kept, regression_.predict(kept), error / seen.unit, seen.task);
    regression_.learn(kept, target, scale);
    memory_.put(seen.number, error);
    double& slow = slow_[phase(seen)];
    slow += kSlow * (error - slow);
  }

  Rest add_weights(const Seen&, double share, std::span<double>) const override {
    return {share, index_};
  }

  void save(StateWriter& out) const override {
    memory_.save(out);
    out.f64s(slow_);
    regression_.save(out);
  }
  void load(StateReader& in) override {
    memory_.load(in);
    in.f64s(slow_);
    for (const double e : slow_) {
      if (!(e - e == 0)) in.fail("a mean error in it is not finite");
    }
    regression_.load(in);
  }

 private:
  std::size_t phase(const Seen& seen) const {
    return static_cast<std::size_t>(seen.number) % slow_.size();
  }

  std::size_t index_;
  std::size_t features_;
  ErrorMemory memory_;
  std::vector<double> slow_;  // [phases]
  RidgeRegression regression_;
};

}  // namespace

std::unique_ptr<Derived> make_corrected(const Setting& setting, std::size_t index, bool seasonal) {
  Setting own = setting;
  if (!seasonal) own.seasons.clear();
  return std::make_unique<Corrected>(own, index);
}

}  // namespace pcgs::blend
