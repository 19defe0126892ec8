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
#include "methods/grid.h"
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
