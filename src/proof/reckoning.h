// What a certificate says about one run, computed again from the rounds of its trace.
//
// Written from docs/certificates.md with plain loops over a stream of rounds; nothing here is shared
// with the code that writes certificates.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pcgs/trace.h"
#include "proof/bound_parts.h"
#include "proof/bounded.h"
#include "proof/certificate_file.h"
#include "proof/replay.h"

namespace pcgs::verify {

class Reckoning {
 public:
  // What is claimed, and the names of the experts in the order of the trace. Both must outlive this.
  // Throws Error, as half a sentence, if the path of the claim is none.
  Reckoning(const results::CertificateFile::Method& claimed, std::span<const std::string> experts,
            bool squared);

  // The rounds, in the order in which they were learned.
  void next(const TraceRow& row, const Replay::Paid& paid);

  // After the last round: throws Error, as half a sentence ("best_path/bound is ..."), unless every
  // field of the claim is what the rounds give.
  void check() const;
  // After check(): what the bound against the best path is made of.
  BoundParts made_of() const;

 private:
  // The losses of a sequence of experts, and what it costs to describe.
  struct Path {
    Bounded loss, weighted_loss, code;
  };
  // Of all paths with at most as many switches, for each expert that they may end at.
  struct Cheapest {
    std::vector<double> oracle, penalised;  // [K] lowest loss; lowest weighted loss and code
  };

  void add_parts(std::size_t from, std::size_t to);
  void walk(Path& path, const TraceRow& row, std::size_t from, std::size_t to) const;
  void sweep(const TraceRow& row);
  double step_cost(std::size_t from, std::size_t to) const;
  void check_forecasts() const;
  void check_switching() const;
  void check_claim(const std::string& at, const results::CertificateFile::Claim& claim,
                   const Path& path) const;
  double least(std::vector<double> Cheapest::*of, std::size_t switches) const;
  Bounded in_sum(double value) const;

  const results::CertificateFile::Method& claimed_;
  std::span<const std::string> names_;
  bool squared_;
  std::vector<std::pair<std::size_t, std::size_t>> stretches_;  // first round (from 0), expert
  std::size_t stretch_ = 0;

  std::size_t rounds_ = 0, forecasts_ = 0;
  double first_eta_ = 0, rho_ = 0;  // rho and q: of the round before
  std::vector<double> q_;
  bool same_eta_ = true;
  Bounded total_paid_, weighted_paid_, realised_gaps_, worst_gaps_;
  Bounded total_rate_, weighted_combined_, combined_gaps_;
  Path path_;
  BoundParts parts_;  // of the code of path_, so far
  double cross_entropy_ = 0;
  double aligned_stays_ = 0;  // what Theorem 2 charges for them; infinite where it does not apply
  std::vector<Path> stays_;   // [K] with one expert all the time
  std::vector<double> any_;   // [K] as Cheapest::penalised, with any number of switches
  std::vector<Cheapest> fewer_;  // [S + 1] with at most s switches; none if no budget is claimed
  std::size_t most_switches_ = 0;
};

}  // namespace pcgs::verify
