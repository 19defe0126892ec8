// Blend: two levels. Derived experts (derived_pool.cc) make forecasts from the forecasts of the raw
// ones: averages, filters that follow whoever is good, methods on linearised losses, stacking, error
// correction, and copies of them for every phase of a known season. The second level
// (second_level.h) combines raw and derived forecasts.
//
// Everything is in units of the best expert's usual error, so that nothing depends on the scale of
// the data, and nothing has to be tuned. Outcomes may come late and in any order: a round is learned
// with what was known when it was opened.
//
// Source: this project; the parts have theirs.
#include "combine/blend.h"

#include <algorithm>
#include <cmath>

#include "combine/derived_pool.h"
#include "combine/second_level.h"
#include "methods/methods.h"

namespace pcgs {

namespace {

class Blend final : public Method, public Combiner {
 public:
  Blend(std::size_t experts, std::vector<std::size_t> seasons,
        std::shared_ptr<const TransformerModel> network, std::string name)
      : name_(std::move(name)),
        pool_({experts, std::move(seasons), std::move(network)}),
        second_(experts, pool_.trust()),
        forecasts_(experts + pool_.size()),
        shares_(pool_.size()),
        weights_(experts, 1 / static_cast<double>(experts)),
        all_awake_(experts, 1),
        everybody_(pool_.kept()) {}

  std::string name() const override { return name_; }
  // The share that each expert has in the next forecast, if all of them are awake.
  std::span<const double> weights() const override { return weights_; }
  bool needs_forecasts() const override { return true; }
  Combiner* combiner() override { return this; }
  ForecastCertificate* certify_forecasts() override { return &second_.certify(); }

  std::size_t kept() const override { return pool_.kept() + second_.kept(); }

  double combine(const OpenedRound& round, std::span<double> kept,
                 std::span<double> weights) override {
    const auto of_pool = kept.first(pool_.kept());
    pool_.forecast(round, of_pool);
    gather(of_pool);
    std::copy(weights_.begin(), weights_.end(), weights.begin());
    over_awake(round.awake, weights);
    return second_.forecast(forecasts_, kept.subspan(pool_.kept()));
  }

  bool could_have_kept(std::span<const double> kept) const override {
    return pool_.could_have_kept(kept.first(pool_.kept())) &&
           std::all_of(kept.begin(), kept.end(), [](double x) { return std::isfinite(x); });
  }

  void learn(const Round& round) override {
    const RoundForecasts& given = round.forecasts;
    const OpenedRound opened = {round.number, given.given,
                                round.awake.empty() ? all_awake_ : round.awake, *given.task};
    const auto of_pool = given.kept.first(pool_.kept());
    pool_.observe(opened, of_pool, given.outcome, round.late);
    gather(of_pool);
    second_.observe(forecasts_, given.kept.subspan(pool_.kept()),
                    {*given.task, given.outcome, pool_.loss_unit(of_pool),
                     1 / std::sqrt(1 + static_cast<double>(round.late)), given.combined});
    std::copy(of_pool.begin(), of_pool.end(), everybody_.begin());
    pool_.hear_all(everybody_);
    share_out({round.number + 1, pool_.filled(), all_awake_, *given.task}, everybody_);
  }

  std::uint64_t signature(std::size_t experts) const override {
    const std::string derived =
        experts == weights_.size() ? pool_.description() : pool_.fresh_for(experts).description();
    return architecture_hash(derived + blend::SecondLevel::description(), experts);
  }

  std::vector<double> kept_after(const ExpertChange& change, std::span<const double> kept,
                                 std::span<const std::uint8_t> awake) const override {
    std::vector<double> out = pool_.kept_after(change, kept.first(pool_.kept()), awake);
    const auto of_second = kept.subspan(pool_.kept());
    out.insert(out.end(), of_second.begin(), of_second.end());
    return out;
  }

  ExpertChange change_of_forecasts(const ExpertChange& experts) const override {
    const blend::DerivedPool after = pool_.fresh_for(experts.after());
    return second_.change_to({experts.after(), after.trust()}, experts, pool_.change_to(after));
  }

  void save(StateWriter& out) const override {
    pool_.save(out);
    if (const ExpertChange* change = out.change()) {
      const ExpertChange all = change_of_forecasts(*change);
      const ExpertChange derived = pool_.change_to(pool_.fresh_for(change->after()));
      second_.save(out, &all, &derived);
    } else {
      second_.save(out, nullptr, nullptr);
    }
    out.weights(weights_);
  }
  void load(StateReader& in) override {
    pool_.load(in);
    second_.load(in);
    load_weights(in, weights_);
  }

 private:
  void gather(std::span<const double> of_pool) {
    const auto raw = pool_.filled();
    const auto derived = pool_.made(of_pool);
    std::copy(raw.begin(), raw.end(), forecasts_.begin());
    std::copy(derived.begin(), derived.end(),
              forecasts_.begin() + static_cast<std::ptrdiff_t>(raw.size()));
  }

  // A stack may weigh an expert negatively; what is shown is the positive part.
  void share_out(const OpenedRound& next, std::span<const double> of_pool) {
    const auto shares = second_.shares();
    const auto raw = static_cast<std::ptrdiff_t>(weights_.size());
    std::copy(shares.begin(), shares.begin() + raw, weights_.begin());
    std::copy(shares.begin() + raw, shares.end(), shares_.begin());
    pool_.add_weights(next, of_pool, shares_, weights_);
    for (double& w : weights_) w = std::max(w, 0.0);
    over_awake(all_awake_, weights_);
  }

  static void over_awake(std::span<const std::uint8_t> awake, std::span<double> weights) {
    double total = 0, n = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (awake[k] == 0) weights[k] = 0;
      total += weights[k];
      n += awake[k];
    }
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] = total > 1e-100 ? weights[k] / total : awake[k] / n;
    }
  }

  std::string name_;
  blend::DerivedPool pool_;
  blend::SecondLevel second_;
  std::vector<double> forecasts_;        // [N] scratch
  std::vector<double> shares_;           // [M] scratch
  std::vector<double> weights_;          // [K] the share of each raw expert in the next forecast
  std::vector<std::uint8_t> all_awake_;  // [K] ones
  std::vector<double> everybody_;        // [kept] scratch
};

}  // namespace

std::unique_ptr<Method> make_blend(std::size_t experts, std::vector<std::size_t> seasons,
                                   std::shared_ptr<const TransformerModel> network,
                                   std::string name) {
  return std::make_unique<Blend>(experts, std::move(seasons), std::move(network), std::move(name));
}

}  // namespace pcgs
