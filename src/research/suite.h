// Seven families of made-up loss sequences, each with its own way of changing the best expert.
//
// A sequence is a function of (family and its parameters, rounds, experts, seed), the same on every
// machine up to the last bits of its arithmetic. docs/internals/families.md defines them.
#pragma once

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/student_t_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "data/checksums.h"
#include "pcgs/matrix.h"
#include "pcgs/option.h"

namespace pcgs::suite {

// The best possible player of one sequence: knows the law that made it and every parameter of that
// law, sees the same losses as everybody else, and plays the expert with the lowest expected loss.
// Nobody has a lower loss in expectation (of drift's, which ignores clipping: nearly nobody).
class Limit {
 public:
  virtual ~Limit() = default;
  virtual std::span<const double> weights() const = 0;     // [K] what it plays next
  virtual void learn(std::span<const double> losses) = 0;  // [K]
};

struct Sequence {
  Matrix losses;  // [T x K] in [0,1]
  // [T] the expert with the lowest mean, before clipping, in each round
  std::vector<std::uint32_t> path;
  // Makes the limit; empty for families whose law is intractable.
  std::function<std::unique_ptr<Limit>()> limit = {};
  Matrix unclipped = {};  // [T x K] what was clipped to make the losses; empty where unknown

  // Expert k's loss in round t, before it is clipped.
  void put(std::size_t t, std::size_t k, double loss) {
    unclipped.row(t)[k] = loss;
    losses.row(t)[k] = std::clamp(loss, 0.0, 1.0);
  }
};

using SequenceMaker = Sequence (*)(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                                   std::span<const double> parameters);

struct FamilyInfo {
  std::string_view name;
  std::string_view summary;
  std::vector<Option> parameters;
  SequenceMaker make;  // given one value for each parameter, in that order
};

// In the order of tables.
std::span<const FamilyInfo> families();

// `family` is a name, with parameters if wanted: "heavy-tail{df=2,jump_probability=0.06}". Throws
// Error with what would be accepted.
Sequence generate(std::string_view family, std::size_t rounds, std::size_t experts,
                  std::uint64_t seed);

// The seed of a study's i-th sequence. Evaluation and training seeds never meet: they differ in
// their highest bit.
std::uint64_t evaluation_seed(std::uint64_t study_seed, std::uint64_t index);
std::uint64_t training_seed(std::uint64_t run_seed, std::uint64_t index);

// Random numbers that are the same on every machine (the standard library's distributions are not).
class Random {
 public:
  // The purpose keeps families that share a seed from sharing their numbers.
  Random(std::string_view purpose, std::uint64_t seed) {
    boost::random::seed_seq mixed{static_cast<std::uint32_t>(seed),
                                  static_cast<std::uint32_t>(seed >> 32),
                                  fnv1a<std::uint32_t>(purpose)};
    bits_.seed(mixed);
  }

  double unit() { return unit_(bits_); }  // [0,1)
  double normal() { return normal_(bits_); }
  double student_t(double df) { return boost::random::student_t_distribution<double>(df)(bits_); }
  bool chance(double probability) { return unit() < probability; }
  double log_uniform(double low, double high) {
    return low * std::exp(unit() * std::log(high / low));
  }
  std::size_t below(std::size_t n) {  // n >= 1
    return boost::random::uniform_int_distribution<std::size_t>(0, n - 1)(bits_);
  }

 private:
  boost::random::mt19937_64 bits_;
  boost::random::uniform_01<double> unit_;
  boost::random::normal_distribution<double> normal_;
};

}  // namespace pcgs::suite
