// AdaHedge over experts and over the members of a mixture, and guard, which is such a mixture.
#include "methods/guard.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels.h"

namespace pcgs {

namespace {

// Members' losses are sums that round; with a larger eta that rounding would decide whom to follow.
constexpr double kLeastGap = 1e-9;

// AdaHedge: exponential weights whose learning rate falls with the mixability gap it has paid.
//
//     L(k)    cumulative loss        w(k) ~ exp(-eta L(k))        eta = ln K / Delta
//     Delta  += <w,l> - ( M(L + l) - M(L) )        M(L) = -(1/eta) ln( (1/K) sum_k exp(-eta L(k)) )
//
// While Delta = 0 eta is infinite: the leaders share evenly, and M is the least cumulative loss.
// Regret to the best single expert <= 2 Delta <= sqrt(T ln K) + (4/3) ln K + 2, and far less where
// the losses are easy. De Rooij, van Erven, Grunwald and Koolen, Follow the leader if you can,
// hedge if you must, 2014, Theorem 8. No bound against switching paths.
class AdaHedge final : public Method {
 public:
  explicit AdaHedge(std::size_t experts)
      : gap_(experts),
        losses_(experts, 0.0),
        weights_(experts, 1.0 / static_cast<double>(experts)),
        scratch_(experts) {}

  std::string name() const override { return "adahedge"; }
  std::span<const double> weights() const override { return weights_; }

  void learn(const Round& round) override {
    if (losses_.size() == 1) return;
    const double hedge_loss = kernels::dot(weights_, round.losses);
    // Relative to the leader before the round, so that the difference of the two M loses no digits.
    const double leader = *std::min_element(losses_.begin(), losses_.end());
    const double before = soft_minimum(leader);
    for (std::size_t k = 0; k < losses_.size(); ++k) losses_[k] += round.losses[k];
    const double after = soft_minimum(leader);
    gap_.pay(hedge_loss, after - before);
    play();
  }

  void save(StateWriter& out) const override {
    gap_.save(out);
    out.experts(losses_, out.change() != nullptr ? loss_of_newcomers(*out.change()) : 0);
    out.weights(weights_);
  }
  void load(StateReader& in) override {
    gap_.load(in);
    load_finite(in, losses_, 0, "a cumulative loss");
    load_weights(in, weights_);
  }

 private:
  // M(L) of those that stay: so a newcomer gets the mean of their weights.
  double loss_of_newcomers(const ExpertChange& change) const {
    std::vector<double> left, shares(losses_.size());
    for (std::size_t k = 0; k < losses_.size(); ++k) {
      if (change.place_of(k) != ExpertChange::kNew) left.push_back(losses_[k]);
    }
    if (left.empty()) return 0;
    const double eta = gap_.learning_rate();
    if (!(eta > 0 && std::isfinite(eta))) return *std::min_element(left.begin(), left.end());
    const auto [least, log_sum] = kernels::softmin(left, eta, std::span(shares).first(left.size()));
    return std::max(0.0, least - (log_sum - std::log(static_cast<double>(left.size()))) / eta);
  }

  // M(L) - base, at the current eta.
  double soft_minimum(double base) {
    const double eta = gap_.learning_rate();
    if (std::isinf(eta)) return *std::min_element(losses_.begin(), losses_.end()) - base;
    const auto [least, log_sum] = kernels::softmin(losses_, eta, scratch_);
    return (least - base) - (log_sum - gap_.log_members()) / eta;
  }

  void play() {
    const double eta = gap_.learning_rate();
    if (!std::isinf(eta)) {
      kernels::softmin(losses_, eta, weights_);
      return;
    }
    const double least = *std::min_element(losses_.begin(), losses_.end());
    const auto leaders = std::count(losses_.begin(), losses_.end(), least);
    for (std::size_t k = 0; k < losses_.size(); ++k) {
      weights_[k] = losses_[k] == least ? 1 / static_cast<double>(leaders) : 0;
    }
  }

  MixabilityGap gap_;
  std::vector<double> losses_;   // [K] L
  std::vector<double> weights_;  // [K]
  std::vector<double> scratch_;  // [K]
};

using Members = std::vector<std::unique_ptr<Method>>;

constexpr double kShareOfAMethod = 0.05;  // of the prior, for ml-poly, boa and adahedge
constexpr double kShareOfPast = 0.25;     // relative to Hedge of the same rate

// [members] filters first, then the others, the learned one last.
std::vector<double> prior_of(std::size_t methods, double learned) {
  std::vector<double> prior;
  double filters = 0;
  for (const double eta : kEtaGrid) {
    for (std::size_t j = 0; j < FilterBank::kStyles; ++j) {
      const double style = j < kRhoGrid.size() ? std::exp2(-static_cast<double>(j)) : kShareOfPast;
      prior.push_back(std::sqrt(eta) * style);
      filters += prior.back();
    }
  }
  const double left = 1 - learned - static_cast<double>(methods) * kShareOfAMethod;
  for (double& p : prior) p *= left / filters;
  prior.insert(prior.end(), methods, kShareOfAMethod);
  if (learned > 0) prior.push_back(learned);
  return prior;
}

// Guard: a mixture of filters, methods and the learned controller that stays close to the best of
// them, whichever it turns out to be.
//
//     members  100 share filters (guard.h): Fixed Share and Hedge with every pair of rates of
//              the grid, and filters that restart to their own past; ml-poly, boa and adahedge; and
//              pcgs-tf, unless it is left out
//     p        AdaHedge over what they lose, with a prior (guard.h)
//     w(k)   = sum_m p(m) w_m(k)
//
// The prior gives pcgs-tf its option (0.25), ml-poly, boa and adahedge 0.05 each, and the rest to
// filters in proportion to sqrt(eta), halved from one rho of the grid to the next and a quarter of
// rho = 0's for each restart to the past: where nothing speaks against it, learn fast and restart
// seldom. Most of the grid suits no losses at all, and with a uniform prior the first rounds would
// pay for it.
//
// Guarantee, for all losses: with M members and the sum Delta of AdaHedge's mixability gaps,
//
//     loss <= loss of member m + Delta (1 + ln(1/prior(m)) / ln M)
//
// for every m, and with the certificates of Fixed Share (switching_bound) against every path of
// experts. docs/certificates.md has the argument. Source: this project.

class Guard final : public Method {
 public:
  Guard(std::size_t experts, Members members, double learned, std::string name)
      : name_(std::move(name)),
        experts_(experts),
        stride_(padded(experts)),
        members_(std::move(members)),
        hedge_(prior_of(members_.size() - (learned > 0 ? 1 : 0), learned)),
        table_(hedge_.members() * stride_),
        bank_(experts, table_.data()),
        losses_(stride_),
        weights_(stride_),
        member_losses_(hedge_.members()) {
    for (std::size_t i = 0; i < members_.size(); ++i) copy_weights(i);
    mix();
  }

  std::string name() const override { return name_; }
  std::span<const double> weights() const override { return {weights_.data(), experts_}; }
  std::size_t side_needed() const override {
    std::size_t most = 0;
    for (const auto& member : members_) most = std::max(most, member->side_needed());
    return most;
  }

  void learn(const Round& round) override {
    // Relative to the least, so that no filter's sum of exponentials vanishes.
    const double least = *std::min_element(round.losses.begin(), round.losses.end());
    for (std::size_t k = 0; k < experts_; ++k) losses_[k] = round.losses[k] - least;
    kernels::row_losses(table_.data(), hedge_.members(), stride_, losses_.data(),
                        member_losses_.data());
    double due = least;  // what would have been paid had the outcome come in time
    for (std::size_t m = 0; m < member_losses_.size(); ++m) {
      due += hedge_.shares()[m] * member_losses_[m];
    }
    lateness_ += round.mixture_loss - due;

    hedge_.learn(member_losses_);
    bank_.learn(losses_.data(), std::span(member_losses_).first(FilterBank::kFilters),
                table_.data());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Round own = round;  // as the member would have played it
      own.weights = members_[i]->weights();
      own.mixture_loss = own.learner_loss = least + member_losses_[FilterBank::kFilters + i];
      members_[i]->learn(own);
      copy_weights(i);
    }
    mix();
  }

  // The Fixed Share filters are within excess(m) of the path, and the mixture within its own bound
  // of them all.
  double switching_bound(std::size_t switches) const override {
    std::vector<double> excess(hedge_.members(), std::numeric_limits<double>::infinity());
    bank_.excess(switches, std::span(excess).first(FilterBank::kFilters));
    return hedge_.bound(excess) + lateness_;
  }

  void save(StateWriter& out) const override {
    out.f64(lateness_);
    hedge_.save(out);
    bank_.save(out, table_.data());
    for (const auto& member : members_) member->save(out);
  }
  void load(StateReader& in) override {
    lateness_ = in.f64_within(-1e15, 1e15, "what lateness cost");
    hedge_.load(in);
    bank_.load(in, table_.data());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      members_[i]->load(in);
      copy_weights(i);
    }
    mix();
  }

 private:
  void copy_weights(std::size_t i) {
    const auto w = members_[i]->weights();
    std::copy(w.begin(), w.end(), table_.data() + (FilterBank::kFilters + i) * stride_);
  }

  void mix() {
    kernels::mix_rows(table_.data(), hedge_.members(), stride_, hedge_.shares().data(),
                      weights_.data());
    // A hundred products round; the sum of the weights must not.
    double total = 0;
    for (const double w : weights_) total += w;
    for (double& w : weights_) w /= total;
  }

  std::string name_;
  std::size_t experts_, stride_;
  Members members_;  // those that are not filters
  MemberHedge hedge_;
  AlignedVector table_;  // [members x stride] what each would play
  FilterBank bank_;
  AlignedVector losses_;               // [stride] of the round, relative to the least
  AlignedVector weights_;              // [stride]
  std::vector<double> member_losses_;  // [members] relative to the least
  double lateness_ = 0;                // what was paid beyond what the weights then would have
};

}  // namespace

MemberHedge::MemberHedge(std::vector<double> prior)
    : log_prior_(prior.size()),
      gap_(prior.size(), kLeastGap),
      behind_(prior.size(), 0.0),
      shares_(std::move(prior)),
      handicap_(shares_.size()),
      scratch_(shares_.size()) {
  for (std::size_t m = 0; m < members(); ++m) log_prior_[m] = -std::log(shares_[m]);
  soft_ = soft_minimum(gap_.learning_rate(), shares_);  // the prior, rounded as it is after load()
}

void MemberHedge::learn(std::span<const double> losses) {
  const double eta = gap_.learning_rate();
  const double least = *std::min_element(losses.begin(), losses.end());
  double hedge_loss = 0;  // relative to the least, as everything here
  for (std::size_t m = 0; m < members(); ++m) hedge_loss += shares_[m] * (losses[m] - least);
  for (std::size_t m = 0; m < members(); ++m) behind_[m] += losses[m] - least;
  const double after = soft_minimum(eta, scratch_);
  gap_.pay(hedge_loss, after - soft_);
  const double leader = *std::min_element(behind_.begin(), behind_.end());
  for (double& c : behind_) c -= leader;
  soft_ = soft_minimum(gap_.learning_rate(), shares_);
}

double MemberHedge::bound(std::span<const double> excess) const {
  const double eta = gap_.learning_rate();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < members(); ++m) {
    least = std::min(least, excess[m] + log_prior_[m] / eta);
  }
  if (std::isinf(least)) return least;
  double sum = 0;
  for (std::size_t m = 0; m < members(); ++m) {
    sum += std::exp(eta * (least - excess[m]) - log_prior_[m]);
  }
  return gap_.sum() + least - std::log(sum) / eta;
}

void MemberHedge::save(StateWriter& out) const {
  gap_.save(out);
  out.f64s(behind_);
}

void MemberHedge::load(StateReader& in) {
  gap_.load(in);
  load_finite(in, behind_, 0, "a member's loss behind the leader");
  soft_ = soft_minimum(gap_.learning_rate(), shares_);
}

// soft(C) less the least C, and the shares at that eta.
double MemberHedge::soft_minimum(double eta, std::span<double> shares) {
  for (std::size_t m = 0; m < members(); ++m) handicap_[m] = behind_[m] + log_prior_[m] / eta;
  const auto [least, log_sum] = kernels::softmin(handicap_, eta, shares);
  return least - log_sum / eta;
}

std::unique_ptr<Method> make_adahedge(std::size_t experts) {
  return std::make_unique<AdaHedge>(experts);
}

std::unique_ptr<Method> make_guard(std::size_t experts, std::unique_ptr<Method> learned,
                                   double share, std::string name) {
  Members members;
  members.push_back(make_ml_poly(experts));
  members.push_back(make_boa(experts));
  members.push_back(make_adahedge(experts));
  if (learned != nullptr) {
    members.push_back(std::move(learned));
  } else {
    share = 0;
  }
  return std::make_unique<Guard>(experts, std::move(members), share, std::move(name));
}

}  // namespace pcgs
