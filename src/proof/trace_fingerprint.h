// The fingerprint of the rows that a method has in a trace: of every cell, in order.
//
// Its words are the number of experts and then, for each row, the number of the round and the bits of
// each cell, in the order of the columns, an empty cell being kEmpty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "pcgs/trace.h"
#include "proof/fingerprint.h"

namespace pcgs::io {

class TraceFingerprint {
 public:
  explicit TraceFingerprint(std::size_t experts) : experts_(experts) {
    hash_.add(std::uint64_t{experts});
  }

  void add(const TraceRow& row) {
    ++rows_;
    const Round& round = row.round;
    hash_.add(static_cast<std::uint64_t>(round.number));
    hash_.add(round.mixture_loss);
    hash_.add(round.learner_loss);
    if (row.step != nullptr) {
      for (const double x :
           {row.step->controls.eta, row.step->controls.rho, row.step->mix_loss, row.step->gap}) {
        hash_.add(x);
      }
    } else {
      add_empty(4);
    }
    hash_.add(round.scale);
    if (row.has_forecast()) {
      hash_.add(row.forecast_loss);
    } else {
      add_empty(1);
    }
    for (const double w : row.played) hash_.add(w);
    for (std::size_t k = 0; k < experts_; ++k) {
      if (round.is_awake(k)) {
        hash_.add(round.losses[k]);
      } else {
        add_empty(1);
      }
    }
    if (row.step == nullptr) {
      add_empty(experts_);
    } else if (row.step->controls.q.empty()) {
      for (std::size_t k = 0; k < experts_; ++k) hash_.add(1.0 / static_cast<double>(experts_));
    } else {
      for (const double q : row.step->controls.q) hash_.add(q);
    }
  }

  std::size_t rows() const { return rows_; }
  std::string text() const { return hash_.text(); }

 private:
  static constexpr std::uint64_t kEmpty = 0x7ff8000000000000u;  // a NaN, which no cell holds

  void add_empty(std::size_t cells) {
    for (std::size_t i = 0; i < cells; ++i) hash_.add(kEmpty);
  }

  std::size_t experts_;
  std::size_t rows_ = 0;
  Fingerprint hash_;
};

}  // namespace pcgs::io
