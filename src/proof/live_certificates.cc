// best_path() and its sharp certificate, one round at a time:
//
//     sum_t eta_t (paid_t - l_t(p_t)) <= code(p) + sum_t eta_t (paid_t - m_t)
//
// where m_t = -ln(Z_t) / eta_t is the mix loss; paid_t - m_t is the mixability gap where the losses
// came in time, and the gap plus what lateness cost where they did not.
#include "proof/live_certificates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/invariant.h"
#include "pcgs/certificates.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr double kMostUnits = 1e15;
constexpr double kMost = 1e300;  // of a saved number: nothing in it can overflow soon

// Charges paths for a round: weighted_loss with the raw losses, loss with those the recursion saw.
void charge(std::span<PathCost> ways, std::span<const double> raw, std::span<const double> seen,
            double scale, double eta) {
  for (std::size_t k = 0; k < ways.size(); ++k) {
    ways[k].weighted_loss += eta * std::min(raw[k] / scale, kMostUnits);
    ways[k].loss += eta * seen[k];
  }
}

// The path that has lost least, the first among equals.
std::size_t least_lost(std::span<const PathCost> ways) {
  const auto loses_less = [](const PathCost& a, const PathCost& b) {
    return a.weighted_loss < b.weighted_loss;
  };
  return static_cast<std::size_t>(std::ranges::min_element(ways, loses_less) - ways.begin());
}

void save_costs(std::span<const PathCost> costs, StateWriter& out) {
  for (const PathCost& cost : costs) {
    out.f64(cost.loss);
    out.f64(cost.weighted_loss);
    out.f64(cost.code);
    out.u64(cost.switches);
  }
}

void load_costs(std::span<PathCost> costs, std::uint64_t rounds, double most_code,
                StateReader& in) {
  for (PathCost& cost : costs) {
    cost.loss = in.f64_within(0, kMost, "the loss of a path");
    cost.weighted_loss = in.f64_within(0, kMost, "the weighted loss of a path");
    cost.code = in.f64_within(0, most_code, "the code length of a path");
    cost.switches = in.u64();
    if (cost.switches > rounds) in.fail("a path in it has more switches than rounds");
  }
}

}  // namespace

LiveCertificate::LiveCertificate(std::size_t experts, std::span<const double> initial)
    : ways_(experts) {
  invariant(experts > 0, "a LiveCertificate has at least one expert");
  invariant(initial.empty() || initial.size() == experts, "one initial weight per expert");
  for (std::size_t k = 0; k < experts; ++k) {
    ways_[k].code = certify::start_cost(initial, experts, k);
  }
}

void LiveCertificate::observe(std::span<const double> losses, const ShareStep& step,
                              const Paid& paid) {
  invariant(losses.size() == ways_.size(), "one loss per expert");
  const double eta = step.controls.eta;
  const std::size_t best = certify::charge(ways_, losses, eta);
  best_ = ways_[best];
  // The price of the step to the next round is known now; best_ does not contain it yet.
  certify::move_on(ways_, best, step.controls, [](std::size_t) {});

  const double rate = eta / paid.scale;
  constant_eta_ = rounds_ == 0 || constant_eta_ == eta ? eta : 0;
  ++rounds_;
  total_eta_ += eta;
  total_rate_ += rate;
  weighted_paid_ += eta * paid.mixture;
  realised_gaps_ += eta * (paid.mixture - step.mix_loss);
  weighted_combined_ += eta * paid.combined;
  combined_gaps_ += eta * (paid.combined - step.mix_loss);
}

Certificate LiveCertificate::weighted() const {
  return {weighted_paid_ - best_.weighted_loss, best_.code + realised_gaps_,
          certify::rounding_of(rounds_, ways_.size(), total_eta_, best_.code)};
}

Certificate LiveCertificate::certificate() const {
  if (constant_eta_ == 0 && rounds_ > 0) {
    throw Error(ErrorKind::kCall, {.field = "eta"},
                "eta was not the same in every round; only the weighted regret is bounded");
  }
  const double unit = rounds_ == 0 ? 1 : constant_eta_;
  const Certificate w = weighted();
  return {w.regret / unit, w.bound / unit, w.rounding / unit};
}

Certificate LiveCertificate::combined() const {
  if (rounds_ == 0) return {};
  const double rounding = certify::rounding_of(
      rounds_, ways_.size(), std::max(total_eta_, weighted_combined_), best_.code);
  return {(weighted_combined_ - best_.weighted_loss) / total_rate_,
          (best_.code + combined_gaps_) / total_rate_, rounding / total_rate_};
}

void LiveCertificate::save(StateWriter& out) const {
  out.u64(rounds_);
  for (const double x : {constant_eta_, total_eta_, weighted_paid_, realised_gaps_, total_rate_,
                         weighted_combined_, combined_gaps_}) {
    out.f64(x);
  }
  save_costs({&best_, 1}, out);
  const auto ways = out.change() == nullptr
                        ? ways_
                        : certify::changed(ways_, certify::cheapest(ways_), *out.change(),
                                           out.change()->after(), rounds_);
  save_costs(ways, out);
}

void LiveCertificate::load(StateReader& in) {
  rounds_ = in.u64();
  if (rounds_ >= std::uint64_t{1} << 62) in.fail("a count of rounds in it is out of range");
  constant_eta_ = in.f64_within(0, kMost, "eta");
  total_eta_ = in.f64_within(0, kMost, "the sum of eta");
  weighted_paid_ = in.f64_within(0, kMost, "the weighted loss");
  realised_gaps_ = in.f64_within(-kMost, kMost, "the sum of gaps");
  total_rate_ = in.f64_within(0, kMost, "the sum of rates");
  weighted_combined_ = in.f64_within(0, kMost, "the weighted loss of forecasts");
  combined_gaps_ = in.f64_within(-kMost, kMost, "the sum of gaps of forecasts");
  load_costs({&best_, 1}, rounds_, kMost, in);
  load_costs(ways_, rounds_, std::numeric_limits<double>::infinity(), in);
  if (std::ranges::none_of(ways_, [](const PathCost& way) { return std::isfinite(way.code); })) {
    in.fail("its certificate rules out every path");
  }
}

ForecastCertificate::ForecastCertificate(std::size_t raw, std::span<const double> initial,
                                         std::size_t recursions)
    : proofs_(recursions) {
  invariant(raw > 0 && raw <= initial.size() && recursions > 0, "there is something to prove");
  for (Proof& proof : proofs_) {
    for (std::size_t k = 0; k < initial.size(); ++k) {
      proof.any.ways.emplace_back().code = certify::start_cost(initial, initial.size(), k);
    }
    const auto end = proof.any.ways.begin() + static_cast<std::ptrdiff_t>(raw);
    proof.raw.ways.assign(proof.any.ways.begin(), end);
    proof.stays.ways = proof.raw.ways;
  }
}

void ForecastCertificate::observe(std::size_t recursion, const Lost& lost,
                                  std::span<const double> losses, double scale,
                                  const ShareStep& step) {
  Proof& proof = proofs_[recursion];
  const auto& [eta, rho, q] = step.controls;
  invariant(losses.size() == proof.any.ways.size() && q.size() == losses.size(),
            "a loss and a restart probability for each forecast");
  // A path over the raw experts pays the same prices; only fewer of them are looked at.
  for (Comparators* over : {&proof.any, &proof.raw}) {
    charge(over->ways, lost.forecasts, losses, scale, eta);
    const auto best = static_cast<std::size_t>(&certify::cheapest(over->ways) - over->ways.data());
    over->best = over->ways[best];
    certify::move_on(over->ways, best, {eta, rho, q.first(over->ways.size())}, [](std::size_t) {});
  }
  auto& [stays, best_stay] = proof.stays;
  charge(stays, lost.forecasts, losses, scale, eta);
  proof.expert = least_lost(stays);
  best_stay = stays[proof.expert];
  for (std::size_t k = 0; k < stays.size(); ++k) stays[k].code += certify::stay_cost(rho, q[k]);
  const double published = std::min(lost.published / scale, kMostUnits);
  ++proof.rounds;
  proof.total_eta += eta;
  proof.total_rate += eta / scale;
  proof.paid += eta * published;
  proof.gaps += eta * (published - step.mix_loss);
}

ForecastClaim ForecastCertificate::claim(const Proof& proof, const PathCost& path) const {
  if (proof.rounds == 0) return {};
  const double rate = proof.total_rate;
  const double excess = path.weighted_loss - path.loss;
  const double largest = std::max({proof.total_eta, proof.paid, path.weighted_loss});
  ForecastClaim out;
  out.loss = proof.paid / rate;
  out.certificate = {
      (proof.paid - path.weighted_loss) / rate, (path.code + proof.gaps - excess) / rate,
      certify::rounding_of(proof.rounds, proof.any.ways.size(), largest, path.code) / rate};
  out.switches = path.switches;
  return out;
}

// Of all recursions, the one whose bound is the lowest.
template <class Claim>
ForecastClaim ForecastCertificate::strongest(const Claim& claim) const {
  ForecastClaim best;
  double least = std::numeric_limits<double>::infinity();
  for (const Proof& proof : proofs_) {
    const ForecastClaim one = claim(proof);
    if (one.certificate.bound < least) {
      least = one.certificate.bound;
      best = one;
    }
  }
  return best;
}

ForecastClaim ForecastCertificate::against_path() const {
  return strongest([&](const Proof& proof) { return claim(proof, proof.any.best); });
}

ForecastClaim ForecastCertificate::against_raw_path() const {
  return strongest([&](const Proof& proof) { return claim(proof, proof.raw.best); });
}

ForecastClaim ForecastCertificate::against_expert() const {
  return strongest([&](const Proof& proof) {
    ForecastClaim out = claim(proof, proof.stays.best);
    out.expert = proof.expert;
    return out;
  });
}

void ForecastCertificate::change(const ExpertChange& all, std::size_t raw) {
  for (Proof& proof : proofs_) {
    const auto rounds = static_cast<std::size_t>(proof.rounds);
    const auto over = [&](std::vector<PathCost>& ways, const PathCost& best, std::size_t count) {
      ways = certify::changed(ways, best, all, count, rounds);
    };
    auto& stays = proof.stays.ways;
    over(proof.any.ways, certify::cheapest(proof.any.ways), all.after());
    over(proof.raw.ways, certify::cheapest(proof.raw.ways), raw);
    over(stays, stays[least_lost(stays)], raw);
    proof.expert = all.place_of(proof.expert);
    if (proof.expert != ExpertChange::kNew) continue;
    // It has left. Of those that were there as well, the best; a newcomer has done nothing yet.
    std::size_t stayers = 0;
    while (stayers < raw && !all.is_new(stayers)) ++stayers;
    proof.expert = stayers == 0 ? 0 : least_lost(std::span(stays).first(stayers));
    proof.stays.best = stays[proof.expert];
  }
}

void ForecastCertificate::save(StateWriter& out, std::size_t raw) const {
  ForecastCertificate after = *this;
  if (out.change() != nullptr) after.change(*out.change(), raw);
  for (const Proof& proof : after.proofs_) {
    out.u64(proof.rounds);
    for (const double x : {proof.total_eta, proof.total_rate, proof.paid, proof.gaps}) out.f64(x);
    for (const Comparators* over : {&proof.any, &proof.raw, &proof.stays}) {
      save_costs({&over->best, 1}, out);
      save_costs(over->ways, out);
    }
    out.u64(proof.expert);
  }
}

void ForecastCertificate::load(StateReader& in) {
  for (Proof& proof : proofs_) {
    proof.rounds = in.u64();
    if (proof.rounds >= std::uint64_t{1} << 62 || proof.rounds != rounds()) {
      in.fail("a count of rounds in it is out of range");
    }
    proof.total_eta = in.f64_within(0, kMost, "the sum of eta");
    proof.total_rate = in.f64_within(0, kMost, "the sum of rates");
    proof.paid = in.f64_within(0, kMost, "the weighted loss of forecasts");
    proof.gaps = in.f64_within(-kMost, kMost, "the sum of gaps of forecasts");
    for (Comparators* over : {&proof.any, &proof.raw, &proof.stays}) {
      load_costs({&over->best, 1}, proof.rounds, kMost, in);
      load_costs(over->ways, proof.rounds, kMost, in);
    }
    proof.expert = in.u64();
    if (proof.expert >= proof.stays.ways.size()) {
      in.fail("its certificate names an expert that is not there");
    }
  }
}

}  // namespace pcgs

namespace pcgs::levels {

void ScoreCertificate::make(std::size_t experts) {
  proved_.reset();
  even_.assign(experts, 1 / static_cast<double>(experts));
  if (experts > 0) proved_.emplace(experts, even_, recursions_);
}

void ScoreCertificate::observe(std::size_t recursion, const Scores& scores, const ShareStep& step) {
  ShareStep with = step;
  with.controls.q = even_;
  proved_->observe(recursion, {scores.experts, scores.published}, scores.seen, 1, with);
}

// As a change of the experts: `from` is where each was.
void ScoreCertificate::change(std::vector<std::size_t> from) {
  const std::size_t before = even_.size(), after = from.size();
  if (before == 0 || after == 0) return make(after);
  proved_->change({before, std::move(from)}, after);
  even_.assign(after, 1 / static_cast<double>(after));
}

void ScoreCertificate::add_expert() {
  std::vector<std::size_t> from(even_.size());
  std::iota(from.begin(), from.end(), std::size_t{0});
  from.push_back(ExpertChange::kNew);
  change(std::move(from));
}

void ScoreCertificate::remove_expert(std::size_t expert) {
  std::vector<std::size_t> from(even_.size());
  std::iota(from.begin(), from.end(), std::size_t{0});
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(expert));
  change(std::move(from));
}

void ScoreCertificate::save(StateWriter& out) const {
  if (proved_) proved_->save(out);
}

void ScoreCertificate::load(StateReader& in, std::size_t experts) {
  make(experts);
  if (proved_) proved_->load(in);
}

}  // namespace pcgs::levels
