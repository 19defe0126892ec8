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
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels.h"
#include "methods/methods.h"
#include "pcgs/state.h"

namespace pcgs {

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
