// Derived experts that average: the mean, the median, weights by inverse error, the weights of a method;
// and those that have a state of their own for every phase of a season.
#include <algorithm>
#include <cmath>

#include "combine/blend.h"
#include "methods/methods.h"
#include "network/transformer.h"

namespace pcgs::blend {

namespace {

// Adds the share to the awake in proportion to weights that sum to `total`.
Derived::Rest share_out(const Seen& seen, double share, std::span<const double> w, double total,
                        std::span<double> weights) {
  for (std::size_t k = 0; k < w.size(); ++k) {
    if (seen.awake[k] != 0) weights[k] += share * w[k] / total;
  }
  return {};
}

// Derived experts that learn nothing.
class Memoryless : public Derived {
 public:
  void observe(const Seen&, std::span<const double>, double, double) override {}
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}
};

// Equal weights: the mean of the awake. Hard to beat where the experts are about equally good.
class Mean final : public Memoryless {
 public:
  double forecast(const Seen& seen, std::span<double>) const override { return seen.mean; }
  Rest add_weights(const Seen& seen, double share, std::span<double> weights) const override {
    std::size_t awake = 0;
    for (const auto a : seen.awake) awake += a;
    const double each = share / static_cast<double>(awake);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (seen.awake[k] != 0) weights[k] += each;
    }
    return {};
  }
};

// The median of the awake: the mean of the middle two where there is no middle one. Nothing that a
// minority says moves it far.
class Median final : public Memoryless {
 public:
  explicit Median(std::size_t experts) : order_(experts) {}

  double forecast(const Seen& seen, std::span<double>) const override {
    const auto middle = find_middle(seen);
    double sum = 0;
    for (const std::size_t k : middle)
      sum += seen.forecasts[k] / static_cast<double>(middle.size());
    return seen.range.hold(sum);
  }
  Rest add_weights(const Seen& seen, double share, std::span<double> weights) const override {
    const auto middle = find_middle(seen);
    for (const std::size_t k : middle) weights[k] += share / static_cast<double>(middle.size());
    return {};
  }

 private:
  // The middle one, or both.
  std::span<const std::size_t> find_middle(const Seen& seen) const {
    std::size_t n = 0;
    for (std::size_t k = 0; k < seen.awake.size(); ++k) {
      if (seen.awake[k] != 0) order_[n++] = k;
    }
    const std::size_t cut = (n - 1) / 2;
    const auto lower = [&](std::size_t a, std::size_t b) {
      return seen.forecasts[a] != seen.forecasts[b] ? seen.forecasts[a] < seen.forecasts[b] : a < b;
    };
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(n);
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(cut);
    const auto last = end - static_cast<std::ptrdiff_t>(cut + 1);
    std::nth_element(order_.begin(), first, end, lower);
    if (first < last) std::nth_element(first + 1, last, end, lower);
    return std::span<const std::size_t>(order_).subspan(cut, n - 2 * cut);
  }

  mutable std::vector<std::size_t> order_;  // [K] scratch
};

// Weights that fall with what an expert has lost lately:
//
//     m(k)  = mean of its losses, each counted with decay^(its age in rounds)
//     w(k)  ~ ( m(k) + best / 100 )^(-power)         best = min_j m(j)
//
// Bates and Granger, The combination of forecasts, 1969, with forgetting; power 1 is optimal for
// unbiased experts with independent errors, more is closer to selecting.
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
    return share_out(seen, share, scratch_, total, weights);
  }

  void save(StateWriter& out) const override {
    out.experts(mean_, 0);
    out.experts(count_, 0);
  }
  void load(StateReader& in) override {
    in.f64s_within(mean_, 0, kLargestLoss, "a mean of losses");
    in.f64s_within(count_, 0, 1 / (1 - decay_) + 1, "a count of losses");
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

// A method of src/methods: the forecast that its weights make.
//
//     filter   Fixed Share on losses in units, eta and rho as given: follows who is good now
//     linear   ML-Poly, ML-Prod, ML-EWA or BOA on linearised losses: learns which errors cancel
//     learned  the share recursion steered by a network that sees errors with their sign
//
// A loss above fifty usual ones counts as fifty. Sources: the methods' own files.
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
    return share_out(seen, share, w, total, weights);
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

// A state of its own for every phase of a season: round t belongs to phase t mod season. Who is
// good at three in the morning is not who is good at six in the evening.
class Seasonal final : public Derived {
 public:
  explicit Seasonal(std::vector<std::unique_ptr<Derived>> phases) : phases_(std::move(phases)) {}

  std::size_t kept() const override { return phases_.front()->kept(); }
  double forecast(const Seen& seen, std::span<double> kept) const override {
    return phases_[phase(seen)]->forecast(seen, kept);
  }
  void observe(const Seen& seen, std::span<const double> kept, double made,
               double outcome) override {
    phases_[phase(seen)]->observe(seen, kept, made, outcome);
  }
  Rest add_weights(const Seen& seen, double share, std::span<double> weights) const override {
    return phases_[phase(seen)]->add_weights(seen, share, weights);
  }
  void save(StateWriter& out) const override {
    for (const auto& phase : phases_) phase->save(out);
  }
  void load(StateReader& in) override {
    for (const auto& phase : phases_) phase->load(in);
  }

 private:
  std::size_t phase(const Seen& seen) const {
    return static_cast<std::size_t>(seen.number) % phases_.size();
  }

  std::vector<std::unique_ptr<Derived>> phases_;
};

}  // namespace

std::unique_ptr<Derived> make_mean() { return std::make_unique<Mean>(); }

std::unique_ptr<Derived> make_median(const Setting& setting) {
  return std::make_unique<Median>(setting.experts);
}

std::unique_ptr<Derived> make_inverse_error(const Setting& setting, int power, double decay) {
  return std::make_unique<InverseError>(setting.experts, power, decay);
}

std::unique_ptr<Derived> make_seasonal(std::size_t phases,
                                       const std::function<std::unique_ptr<Derived>()>& make) {
  std::vector<std::unique_ptr<Derived>> all;
  for (std::size_t i = 0; i < phases; ++i) all.push_back(make());
  return std::make_unique<Seasonal>(std::move(all));
}

std::unique_ptr<Derived> make_filter(const Setting& setting, double eta, double rho) {
  return std::make_unique<Weighted>(
      std::make_unique<ShareMethod>(setting.experts, make_fixed_share(eta, rho)),
      Weighted::Learns::kFromLosses);
}

std::unique_ptr<Derived> make_linear(const Setting& setting,
                                     std::unique_ptr<Method> (*make)(std::size_t experts)) {
  return std::make_unique<Weighted>(make(setting.experts), Weighted::Learns::kFromLinearised);
}

std::unique_ptr<Derived> make_learned(const Setting& setting) {
  return std::make_unique<Weighted>(
      std::make_unique<ShareMethod>(setting.experts,
                                    make_transformer(setting.network, "pcgs-tf:combine")),
      Weighted::Learns::kFromErrors);
}

}  // namespace pcgs::blend
