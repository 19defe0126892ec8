// A controller with constant controls that writes down every round it is shown.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/controller.h"
#include "pcgs/method.h"

namespace pcgs::test {

struct SeenRound {
  std::int64_t number = 0;
  std::vector<double> losses, weights, side;
  std::vector<std::uint8_t> awake;
  double mixture_loss = 0, learner_loss = 0, scale = 1;
};
using SeenRounds = std::vector<SeenRound>;

class RecordingController final : public Controller {
 public:
  RecordingController(double eta, double rho, std::shared_ptr<SeenRounds> seen = nullptr)
      : eta_(eta), rho_(rho), seen_(std::move(seen)) {}

  std::string name() const override { return "recording"; }
  void reset(std::size_t) override {}
  Controls after(const Round& round) override {
    if (seen_ != nullptr) {
      seen_->push_back({round.number,
                        {round.losses.begin(), round.losses.end()},
                        {round.weights.begin(), round.weights.end()},
                        {round.side.begin(), round.side.end()},
                        {round.awake.begin(), round.awake.end()},
                        round.mixture_loss,
                        round.learner_loss,
                        round.scale});
    }
    return {eta_, rho_, {}};
  }
  void save(StateWriter& out) const override {
    out.f64(eta_);
    out.f64(rho_);
  }
  void load(StateReader& in) override {
    eta_ = in.f64();
    rho_ = in.f64();
  }

 private:
  double eta_, rho_;
  std::shared_ptr<SeenRounds> seen_;
};

inline std::unique_ptr<Method> recording_method(std::size_t experts, double eta, double rho,
                                                std::shared_ptr<SeenRounds> seen = nullptr) {
  return std::make_unique<ShareMethod>(
      experts, std::make_unique<RecordingController>(eta, rho, std::move(seen)));
}

// Hedge or Fixed Share with these constants, for tests that need some aggregator.
inline Aggregator share_aggregator(std::size_t experts, double eta, double rho,
                                   Aggregator::Options options = {}) {
  return Aggregator(recording_method(experts, eta, rho), options);
}

// Loads what share_aggregator() saved.
inline std::unique_ptr<Method> recording_factory(std::string_view, std::size_t experts) {
  return recording_method(experts, 1, 0);
}

}  // namespace pcgs::test
