#include "combine/second_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "combine/blend.h"
#include "combine/derived_pool.h"
#include "core/kernels.h"
#include "methods/methods.h"

namespace pcgs::blend {

namespace {

struct Rates {
  double eta, rho;
};
constexpr std::array<Rates, 8> kRates = {{{0.005, 0.001},
                                          {0.02, 0.003},
                                          {0.02, 0.03},
                                          {0.05, 0.01},
                                          {0.1, 0.01},
                                          {0.1, 0.03},
                                          {0.3, 0.01},
                                          {0.3, 0.03}}};
constexpr double kPriorOfRaw = 0.05;
constexpr double kSpan = 300;  // rounds over which a filter's own losses are averaged
constexpr double kLeastOfUnit =
    0.01;  // a filter's usual loss is at least this much of the best expert's

// Forecasts that several recursions weigh.
struct Ranged {
  explicit Ranged(std::span<const double> all) : forecasts(all), range(all) {}
  double weighed(std::span<const double> weights) const {
    return range.hold(kernels::dot(weights, forecasts));
  }

  std::span<const double> forecasts;
  ForecastRange range;
};

}  // namespace

SecondLevel::SecondLevel(std::size_t raw, std::span<const double> trust)
    : raw_(raw),
      usual_(kRates.size(), 0.0),
      rounds_(kRates.size(), 0.0),
      raw_losses_(raw + trust.size()),
      losses_(raw + trust.size()),
      shares_(raw + trust.size()) {
  const double total = std::accumulate(trust.begin(), trust.end(), 0.0);
  prior_.assign(raw, kPriorOfRaw / static_cast<double>(raw));
  for (const double one : trust) prior_.push_back((1 - kPriorOfRaw) * one / total);
  for (std::size_t i = 0; i < kRates.size(); ++i) filters_.emplace_back(prior_.size(), prior_);
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
  const Ranged all(forecasts), derived(forecasts.subspan(raw_));
  for (std::size_t i = 0; i < filters_.size(); ++i) kept[i] = all.weighed(filters_[i].weights());
  for (std::size_t i = 0; i < regrets_.size(); ++i) {
    kept[filters_.size() + i] = derived.weighed(regrets_[i]->weights());
  }
  const Ranged members(kept.first(members_));
  double mean = 0;
  for (const double f : members.forecasts) mean += f / static_cast<double>(members_);
  const double part = 1 / static_cast<double>(1 + final_.size());
  double published = part * mean;
  for (std::size_t i = 0; i < final_.size(); ++i) {
    kept[members_ + i] = members.weighed(final_[i]->weights());
    published += part * kept[members_ + i];
  }
  return members.range.hold(published);
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
  in.f64s(usual_);
  in.f64s(rounds_);
  for (std::size_t i = 0; i < usual_.size(); ++i) {
    if (!(usual_[i] >= 0 && usual_[i] <= 1e200 && rounds_[i] >= 0 && rounds_[i] <= kSpan)) {
      in.fail("the usual loss of a filter in it is damaged");
    }
  }
  for (const auto& method : regrets_) method->load(in);
  for (const auto& method : final_) method->load(in);
}

}  // namespace pcgs::blend
