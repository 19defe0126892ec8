// What guard is made of: AdaHedge over the members of a mixture, and a bank of share filters.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels.h"
#include "methods/methods.h"
#include "pcgs/state.h"

namespace pcgs {

// The learning rate of AdaHedge: it falls with the mixability gap that has been paid.
//
//     Delta += max(0, <w,l> - rise of the soft minimum of the cumulative losses)
//     eta    = ln M / Delta        over M experts or members; infinite while Delta = 0
//
// De Rooij, van Erven, Grunwald and Koolen, Follow the leader if you can, hedge if you must, 2014. AdaHedge
// over experts is in guard.cc; over the members of a mixture, with a prior, it is MemberHedge.
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

// A bank of share filters side by side, so that no rate has to be chosen. For each eta of the grid:
//
//     seven that restart uniformly      w' = (1 - rho) v + rho / K            rho of the grid
//     three that restart to their past  w' = (1 - rho_t) v + rho_t q_t        rho_t = c / (t + 1)
//
// where v is the posterior of the round and q_t the mean of 1/K and of the posteriors of rounds 1
// to t: an expert that was good before returns at little cost, one that never was gets next to
// nothing (Bousquet and Warmuth, Tracking a small set of experts by mixing past posteriors, 2002).
// c is 0.1, 0.3 or 1.
//
// With rho = 0 the weights are made from cumulative losses. All others are at least
// c / (K (t + 1)^2), or 1e-16 / K where experts come and go, so that plain products of weights and exponentials never underflow: eta is at
// most 256 and losses are at most 1.
class FilterBank {
 public:
  static constexpr std::array kPast = {0.1, 0.3, 1.0};  // c
  // Filter i * kStyles + j has eta i of the grid; j < 7: rho j of the grid; else c j - 7.
  static constexpr std::size_t kStyles = kRhoGrid.size() + kPast.size();
  static constexpr std::size_t kFilters = kEtaGrid.size() * kStyles;

  // `table` holds the weights: [kFilters x padded K], aligned and padded with zeros. Fills it.
  FilterBank(std::size_t experts, double* table);

  // One round. `losses` [padded K] are relative to the least, `mixtures` [kFilters] are what the
  // filters lost, relative to the same. Writes the new weights. Does not allocate.
  void learn(const double* losses, std::span<const double> mixtures, double* table);

  // [kFilters] by how much each may have lost more than a path of experts with so many switches:
  //     G + (1/eta) [ ln K + S ln(K/rho) - (T-1-S) ln(1 - rho + rho/K) ]
  // with G the sum of its mixability gaps; infinite for restarts to the past, and where rho = 0 and
  // S > 0.
  void excess(std::size_t switches, std::span<double> out) const;

  // Where experts come and go: a newcomer's cumulative loss is the soft minimum, at rate 1, of those
  // that stay, and what Hedge gives it beyond 1/K counts as a gap. Where one leaves, nothing is known
  // about paths from then on.
  void save(StateWriter& out, const double* table) const;
  void load(StateReader& in, double* table);

 private:
  static constexpr std::size_t kEtas = kEtaGrid.size();
  static constexpr std::size_t kUniform = kRhoGrid.size() - 1;  // with rho > 0

  double* row(double* table, std::size_t i, std::size_t style) const {
    return table + (i * kStyles + style) * stride_;
  }
  void hedge(std::size_t i, double* table);
  struct Sums {
    std::vector<double> behind;
    std::array<double, kGridSize> gap_sum;
  };
  Sums sums_after(const ExpertChange& change) const;
  void save_row(StateWriter& out, std::span<const double> row) const;

  std::size_t experts_, stride_;
  std::uint64_t rounds_ = 0;
  std::vector<double> behind_;             // [K] cumulative loss less the least
  std::array<double, kEtas> log_sum_;      // of exp(-eta behind)
  std::array<double, kGridSize> gap_sum_;  // G, of the filters with rates of the grid
  AlignedVector means_;                    // [kEtas x kPast x stride] q
  AlignedVector flat_;                     // [stride] 1/K
  AlignedVector factors_;                  // [stride] scratch
};

}  // namespace pcgs

// Vector arithmetic over a table of weights, one row for each member of a mixture, compiled for
// each instruction set and chosen at run time.
//
// Rows are aligned to a cache line and padded with zeros to `stride`, a whole number of lines; so
// are the other arrays over experts. Every loop runs over whole registers, padding included.
namespace pcgs::kernels {

// out[m] = <row m, losses>. Rows of the same bits give the same bits.
void row_losses(const double* table, std::size_t rows, std::size_t stride, const double* losses,
                double* out);

// out(k) = sum_m shares[m] table(m, k).
void mix_rows(const double* table, std::size_t rows, std::size_t stride, const double* shares,
              double* out);

// Filters of one learning rate. They differ in where and how often they restart.
struct FilterRows {
  std::size_t stride;
  double* uniform;  // [uniform_rows x stride] weights of filters that restart uniformly
  std::size_t uniform_rows;
  const double* rho;  // [uniform_rows]
  double* past;       // [past_rows x stride] weights of filters that restart to their own past
  double* means;      // [past_rows x stride] the means of their posteriors
  std::size_t past_rows;
  const double* past_rho;  // [past_rows]
  double step;             // how much the posterior of this round counts in the mean
  const double* flat;      // [stride] 1/K, zeros in the padding
};

// One round of the share recursion for each row. `losses` are relative to the least of the round,
// so that an expert with all of its weight left exists and no sum is 0. Overwrites `factors`.
// z[i] = sum_k w(k) exp(-eta l(k)), for the uniform rows.
void step_filters(const FilterRows& rows, const double* losses, double eta, double* factors,
                  double* z);

}  // namespace pcgs::kernels
