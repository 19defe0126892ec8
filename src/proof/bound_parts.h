// What a bound is made of: the code length of its path, by what it is paid for, and the gaps.
//
// A certificate holds the path and the sum. These follow from the path and the rounds of the trace, so
// that no file has to hold them, and nobody has to be believed (reckoning.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "data/json_fields.h"

namespace pcgs::verify {

struct BoundParts {
  std::string name;  // of the method
  std::size_t switches = 0;

  // In nats: code(p) = start + stays + restarts + where_to.
  double start = 0;             // -ln w_1(p_1)
  double stays = 0;             // rounds in which the path stays
  double restarts = 0;          // its switches: -ln rho_t, for there is a restart
  double where_to = 0;          // its switches: -ln q_t(p_{t+1}), for it goes there; C_eff
  double uniform_stays = 0;     // the same stays with uniform q
  double uniform_where_to = 0;  // switches ln K
  // -ln q_t(p_{t+1}) of all rounds, which Lemma 1 of the paper puts above C_eff; none if infinite.
  std::optional<double> cross_entropy;
  double gaps = 0;  // sum_t eta_t d_t, and what lateness cost

  // In units of loss, or weighted by eta where it changed.
  bool weighted = false;
  double regret = 0;
  double sharp_bound = 0;  // code(p) and the gaps
  double plain_bound = 0;  // with eta_t / 8 for d_t: Theorem 1 of the paper
  // Theorem 2 with rho_max = 1/2, for constant eta and no rho above that; none if infinite.
  std::optional<double> training_aligned_bound;

  double code() const { return start + stays + restarts + where_to; }
};

void fields(results::Fields& f, BoundParts& parts);

// Two tables for people: what the bounds are made of, and other bounds on the same regret.
std::string tables(std::span<const BoundParts> methods);

}  // namespace pcgs::verify
