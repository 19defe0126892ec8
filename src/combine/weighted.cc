// A method of src/methods as a derived expert: the forecast that its weights make.
//
//     filter   Fixed Share on losses in units, eta and rho as given: follows who is good now
//     linear   ML-Poly, ML-Prod, ML-EWA or BOA on linearised losses: learns which errors cancel
//     learned  the share recursion steered by a network that sees errors with their sign
//
// A loss above fifty usual ones counts as fifty. Sources: the methods' own files.
#include <algorithm>
#include <cmath>

#include "combine/blend.h"
#include "methods/methods.h"
#include "network/transformer.h"

namespace pcgs::blend {

namespace {

class Weighted final : public Derived {
 public:
  enum class Learns { kFromLosses, kFromLinearised, kFromErrors };

  Weighted(std::unique_ptr<Method> method, Learns learns)
      : method_(std::move(method)), learns_(learns), losses_(method_->weights().size()) {}

  double forecast(const Seen& seen, std::span<double>) const override {
    const auto w = method_->weights();
    double total = 0, f = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      if (seen.awake[k] == 0) continue;
      total += w[k];
      f += w[k] * seen.forecasts[k];
    }
    return total > kLeastTotal ? seen.range.hold(f / total) : seen.mean;
  }

  void observe(const Seen& seen, std::span<const double>, double made, double outcome) override {
    Round round;
    round.number = seen.number;
    round.weights = method_->weights();
    round.awake = seen.awake;
    round.scale = seen.loss_unit;
    round.forecasts = {&seen.task, seen.forecasts, made, outcome, {}};
    switch (learns_) {
      case Learns::kFromLosses:
        // Outcomes that come together, late, say much the same.
        take_losses(seen, 1 / std::sqrt(1 + static_cast<double>(seen.late)), round);
        break;
      case Learns::kFromLinearised:
        linearise(round, kLargestLoss, losses_, round.learner_loss);
        break;
      case Learns::kFromErrors:
        take_losses(seen, 1 / kLargestLoss, round);  // all in [0,1], as the network knows them
        break;
    }
    round.mixture_loss = round.learner_loss;
    round.losses = losses_;
    method_->learn(round);
  }

  Rest add_weights(const Seen& seen, double share, std::span<double> weights) const override {
    const auto w = method_->weights();
    double total = 0;
    for (std::size_t k = 0; k < w.size(); ++k) total += seen.awake[k] != 0 ? w[k] : 0;
    if (!(total > kLeastTotal)) return {share, kMeanIndex};
    for (std::size_t k = 0; k < w.size(); ++k) {
      if (seen.awake[k] != 0) weights[k] += share * w[k] / total;
    }
    return {};
  }

  void save(StateWriter& out) const override { method_->save(out); }
  void load(StateReader& in) override { method_->load(in); }

 private:
  // Losses in units, each times `counts`.
  void take_losses(const Seen& seen, double counts, Round& round) {
    const auto [task, given, made, outcome, kept] = round.forecasts;
    round.scale /= counts;
    round.learner_loss = counts * usual_loss(seen, made, outcome);
    for (std::size_t k = 0; k < losses_.size(); ++k) {
      losses_[k] =
          seen.awake[k] == 0 ? round.learner_loss : counts * usual_loss(seen, given[k], outcome);
    }
  }

  // Where the awake have next to nothing, they share alike.
  static constexpr double kLeastTotal = 1e-100;

  std::unique_ptr<Method> method_;
  Learns learns_;
  std::vector<double> losses_;  // [K]
};

}  // namespace

std::unique_ptr<Derived> make_filter(const Setting& setting, double eta, double rho) {
  return std::make_unique<Weighted>(
      std::make_unique<ShareMethod>(setting.experts, make_fixed_share(eta, rho)),
      Weighted::Learns::kFromLosses);
}

std::unique_ptr<Derived> make_linear(const Setting& setting, Regrets regrets) {
  constexpr std::unique_ptr<Method> (*kMake[])(std::size_t) = {make_ml_poly, make_ml_prod,
                                                               make_ml_ewa, make_boa};
  return std::make_unique<Weighted>(kMake[static_cast<std::size_t>(regrets)](setting.experts),
                                    Weighted::Learns::kFromLinearised);
}

std::unique_ptr<Derived> make_learned(const Setting& setting) {
  return std::make_unique<Weighted>(
      std::make_unique<ShareMethod>(setting.experts,
                                    make_transformer(setting.network, "pcgs-tf:combine")),
      Weighted::Learns::kFromErrors);
}

}  // namespace pcgs::blend
