// The learning rate of AdaHedge: it falls with the mixability gap that has been paid.
//
//     Delta += max(0, <w,l> - rise of the soft minimum of the cumulative losses)
//     eta    = ln M / Delta        over M experts or members; infinite while Delta = 0
//
// De Rooij, van Erven, Grunwald and Koolen, Follow the leader if you can, hedge if you must, 2014. AdaHedge
// over experts is in adahedge.cc; over the members of a mixture, with a prior, it is MemberHedge.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "pcgs/state.h"

namespace pcgs {

class MixabilityGap {
 public:
  explicit MixabilityGap(std::size_t members, double least = 0)
      : log_members_(std::log(static_cast<double>(members))), least_(least), sum_(least) {}

  double sum() const { return sum_; }  // Delta
  double log_members() const { return log_members_; }
  // Infinite also where the division overflows.
  double learning_rate() const { return log_members_ / sum_; }

  void pay(double loss, double rise) { sum_ += std::max(0.0, loss - rise); }
  void save(StateWriter& out) const { out.f64(sum_); }
  void load(StateReader& in) { sum_ = in.f64_within(least_, 1e15, "the sum of mixability gaps"); }

 private:
  double log_members_, least_, sum_;
};

// AdaHedge with a prior, over the members of a mixture.
//
//     C(m)     cumulative loss of member m, of M        p(m) ~ prior(m) exp(-eta C(m))
//     eta    = ln M / Delta,  Delta = 1e-9 at the start
//     Delta += <p,l> - ( soft(C + l) - soft(C) )
//     soft(C) = -(1/eta) ln sum_m prior(m) exp(-eta C(m))
//
// What it has lost is at most Delta + soft(C), with eta as it is now: each round costs the increase
// of soft and its part of Delta, and soft does not fall when eta does (it is a power mean). Hence
//
//     loss <= C(m) + Delta (1 + ln(1/prior(m)) / ln M)        for every member m
//
// and Delta <= sqrt(T ln M) / 2 + (2/3) ln M + 1, far less where one member is clearly ahead.
// The argument of the same paper holds for any prior.
class MemberHedge {
 public:
  // `prior` is positive and sums to 1; at least two members.
  explicit MemberHedge(std::vector<double> prior);

  std::size_t members() const { return log_prior_.size(); }
  std::span<const double> shares() const { return shares_; }  // [M] p

  // One round; losses may all be shifted by the same amount. Does not allocate.
  void learn(std::span<const double> losses);

  // If C(m) <= c + excess[m] for some c and every member m (infinite where nothing is known), then
  // what it has lost is at most c plus this.
  double bound(std::span<const double> excess) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double soft_minimum(double eta, std::span<double> shares);

  std::vector<double> log_prior_;  // [M] ln(1/prior)
  MixabilityGap gap_;
  std::vector<double> behind_;    // [M] C less the least C
  std::vector<double> shares_;    // [M] p
  double soft_;                   // soft(C) less the least C, as it was when p was made
  std::vector<double> handicap_;  // [M] scratch
  std::vector<double> scratch_;   // [M]
};

}  // namespace pcgs
