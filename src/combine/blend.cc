// Blend: two levels. Derived experts (derived_pool.cc) make forecasts from the forecasts of the raw
// ones: averages, filters that follow whoever is good, methods on linearised losses, stacking, error
// correction, and copies of them for every phase of a known season. The second level
// (SecondLevel) combines raw and derived forecasts.
//
// Everything is in units of the best expert's usual error, so that nothing depends on the scale of
// the data, and nothing has to be tuned. Outcomes may come late and in any order: a round is learned
// with what was known when it was opened.
//
// Source: this project; the parts have theirs.
#include "combine/blend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.h"
#include "methods/methods.h"

namespace pcgs::blend {

namespace {

struct Rates {
  double eta, rho;
};
constexpr Rates kRates[] = {{0.005, 0.001}, {0.02, 0.003}, {0.02, 0.03}, {0.05, 0.01},
                            {0.1, 0.01},    {0.1, 0.03},   {0.3, 0.01},  {0.3, 0.03}};
constexpr std::size_t kFilters = std::size(kRates);
constexpr double kPriorOfRaw = 0.05;
constexpr double kSpan = 300;  // rounds over which a filter's own losses are averaged
constexpr double kLeastOfUnit =
    0.01;  // a filter's usual loss is at least this much of the best expert's

}  // namespace

SecondLevel::SecondLevel(std::size_t raw, std::span<const double> trust)
    : raw_(raw),
      usual_(kFilters, 0.0),
      rounds_(kFilters, 0.0),
      raw_losses_(raw + trust.size()),
      losses_(raw + trust.size()),
      shares_(raw + trust.size()) {
  const double total = std::accumulate(trust.begin(), trust.end(), 0.0);
  prior_.assign(raw, kPriorOfRaw / static_cast<double>(raw));
  for (const double one : trust) prior_.push_back((1 - kPriorOfRaw) * one / total);
  for (std::size_t i = 0; i < kFilters; ++i) filters_.emplace_back(prior_.size(), prior_);
  regrets_.push_back(make_ml_poly(trust.size()));
  regrets_.push_back(make_boa(trust.size()));
  members_ = filters_.size() + regrets_.size();
  final_.push_back(make_ml_poly(members_));
  final_.push_back(make_boa(members_));
  linear_losses_.resize(std::max(trust.size(), members_));
}

std::string SecondLevel::description() {
  std::string all;
  for (const auto& [eta, rho] : kRates) all += fmt::format("filter {} {}; ", eta, rho);
  return all + "ml-poly; boa; over them ml-poly; boa";
}

double SecondLevel::forecast(std::span<const double> forecasts, std::span<double> kept) {
  const auto made = forecasts.subspan(raw_);
  const ForecastRange range(forecasts), range_of_made(made);
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    kept[i] = range.hold(kernels::dot(filters_[i].weights(), forecasts));
  }
  for (std::size_t i = 0; i < regrets_.size(); ++i) {
    kept[filters_.size() + i] = range_of_made.hold(kernels::dot(regrets_[i]->weights(), made));
  }
  const std::span<const double> members = kept.first(members_);
  const ForecastRange range_of_members(members);
  double mean = 0;
  for (const double f : members) mean += f / static_cast<double>(members_);
  const double part = 1 / static_cast<double>(1 + final_.size());
  double published = part * mean;
  for (std::size_t i = 0; i < final_.size(); ++i) {
    kept[members_ + i] = range_of_members.hold(kernels::dot(final_[i]->weights(), members));
    published += part * kept[members_ + i];
  }
  return range_of_members.hold(published);
}

void SecondLevel::observe(std::span<const double> forecasts, std::span<const double> kept,
                          const Outcome& outcome) {
  outcome.task.each(forecasts, outcome.value, raw_losses_);
  for (std::size_t i = 0; i < filters_.size(); ++i) learn_filter(i, kept[i], outcome);
  for (std::size_t i = 0; i < regrets_.size(); ++i) {
    learn_regrets(*regrets_[i], forecasts.subspan(raw_), kept[filters_.size() + i], outcome);
  }
  for (std::size_t i = 0; i < final_.size(); ++i) {
    learn_regrets(*final_[i], kept.first(members_), kept[members_ + i], outcome);
  }
}

void SecondLevel::learn_filter(std::size_t i, double made, const Outcome& outcome) {
  const double own = std::min(outcome.task(made, outcome.value), 1e150);
  if (rounds_[i] == 0) usual_[i] = own;
  const double usual = std::max(usual_[i], kLeastOfUnit * outcome.loss_unit);
  const double most = outcome.together * kLargestLoss;
  for (std::size_t k = 0; k < losses_.size(); ++k) {
    losses_[k] = in_units(raw_losses_[k], usual, most);
  }
  const double eta = outcome.together * kRates[i].eta;
  const ShareStep& step = filters_[i].step(losses_, {eta, kRates[i].rho, prior_});
  if (proved_) {
    const double published = outcome.task(outcome.published, outcome.value);
    proved_->observe(i, {raw_losses_, published}, losses_, usual, step);
  }
  rounds_[i] = std::min(rounds_[i] + 1, kSpan);
  usual_[i] += (capped(own, usual, kOutlierOwnLoss) - usual_[i]) / rounds_[i];
}

void SecondLevel::learn_regrets(Method& method, std::span<const double> forecasts, double made,
                                const Outcome& outcome) {
  Round round;
  round.weights = method.weights();
  round.scale = outcome.loss_unit;
  round.forecasts = {&outcome.task, forecasts, made, outcome.value, {}};
  const auto losses = std::span(linear_losses_).first(forecasts.size());
  linearise(round, outcome.together * kLargestLoss, losses, round.learner_loss);
  round.mixture_loss = round.learner_loss;
  round.losses = losses;
  method.learn(round);
}

ForecastCertificate& SecondLevel::certify() {
  if (!proved_) proved_.emplace(raw_, prior_, filters_.size());
  return *proved_;
}

std::span<const double> SecondLevel::shares() {
  std::fill(shares_.begin(), shares_.end(), 0.0);
  const auto share_of = [&](std::size_t member) {
    double share = 1 / static_cast<double>(members_);
    for (const auto& method : final_) share += method->weights()[member];
    return share / static_cast<double>(1 + final_.size());
  };
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const double share = share_of(i);
    const auto w = filters_[i].weights();
    for (std::size_t k = 0; k < w.size(); ++k) shares_[k] += share * w[k];
  }
  for (std::size_t i = 0; i < regrets_.size(); ++i) {
    const double share = share_of(filters_.size() + i);
    const auto w = regrets_[i]->weights();
    for (std::size_t k = 0; k < w.size(); ++k) shares_[raw_ + k] += share * w[k];
  }
  return shares_;
}

ExpertChange SecondLevel::change_to(const SecondLevel& after, const ExpertChange& raw,
                                    const ExpertChange& derived) const {
  std::vector<std::size_t> from;
  for (std::size_t k = 0; k < raw.after(); ++k) from.push_back(raw.from(k));
  for (std::size_t i = 0; i < derived.after(); ++i) {
    from.push_back(derived.is_new(i) ? ExpertChange::kNew : raw_ + derived.from(i));
  }
  std::vector<double> entry;
  for (std::size_t n = 0; n < from.size(); ++n) {
    entry.push_back(from[n] == ExpertChange::kNew ? after.prior_[n] : 0);
  }
  return {prior_.size(), std::move(from), std::move(entry)};
}

void SecondLevel::save(StateWriter& out, const ExpertChange* all,
                       const ExpertChange* derived) const {
  const auto save_with = [&](const ExpertChange* change, const auto& saved) {
    const StateWriter::Changing changing(out, change);
    saved.save(out);
  };
  for (const Share& filter : filters_) save_with(all, filter);
  out.f64s(usual_);
  out.f64s(rounds_);
  for (const auto& method : regrets_) save_with(derived, *method);
  for (const auto& method : final_) save_with(nullptr, *method);
}

void SecondLevel::load(StateReader& in) {
  for (Share& filter : filters_) filter.load(in);
  in.f64s_within(usual_, 0, 1e200, "the usual loss of a filter");
  in.f64s_within(rounds_, 0, kSpan, "a count of rounds");
  for (const auto& method : regrets_) method->load(in);
  for (const auto& method : final_) method->load(in);
}

}  // namespace pcgs::blend

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
