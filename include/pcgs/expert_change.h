// Experts that come and go.
//
// A newcomer gets a part of the weight, taken from all in proportion; what leavers had returns in
// proportion to those that stay (Mourtada and Maillard, Efficient tracking of a growing number of
// experts, 2017). As a step of the share recursion's paths that is
//
//     A(i -> newcomer j) = entry(j)        A(i -> i) = 1 - sum of entries, for those that stay
//
// so a path that goes over to a newcomer when it comes has a code that is -ln entry longer, and
// certificates go on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pcgs {

class ExpertChange {
 public:
  static constexpr std::size_t kNew = static_cast<std::size_t>(-1);

  // Of so many experts; `from` says of each expert that will be there which of them it was, kNew for
  // newcomers. Those that stay keep their order. Every newcomer gets 1/n of n, or its `entry` [n]
  // (zero for the others, sum at most 1).
  ExpertChange(std::size_t before, std::vector<std::size_t> from, std::vector<double> entry = {});

  std::size_t before() const { return before_; }
  std::size_t after() const { return from_.size(); }
  std::size_t from(std::size_t expert) const { return from_[expert]; }
  bool is_new(std::size_t expert) const { return from_[expert] == kNew; }
  double entry(std::size_t expert) const { return entry_[expert]; }
  // What those that stay have together: exactly 0 if there are none.
  double staying() const { return staying_; }
  bool anybody_leaves() const { return stayers_ < before_; }
  std::size_t stayers() const { return stayers_; }
  // Where an expert that was there will be; kNew if it leaves.
  std::size_t place_of(std::size_t expert) const;

  // Rows of a number for each expert, [rows x before] to [rows x after]; `fresh` for newcomers.
  template <class T>
  std::vector<T> moved(std::span<const T> values, T fresh) const {
    std::vector<T> out;
    for (std::size_t row = 0; row * before_ < values.size(); ++row) {
      for (const std::size_t k : from_) {
        out.push_back(k == kNew ? fresh : values[row * before_ + k]);
      }
    }
    return out;
  }
  // Rows of weights: each keeps its sum. Those that stay share evenly where they have nothing.
  template <class T>
  std::vector<T> shared_out(std::span<const T> weights) const;

 private:
  std::size_t before_, stayers_ = 0;
  std::vector<std::size_t> from_;
  std::vector<double> entry_;
  double staying_ = 1;
};

}  // namespace pcgs
