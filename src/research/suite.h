// Seven families of made-up loss sequences, each with its own way of changing the best expert.
//
// A sequence is a function of (family and its parameters, rounds, experts, seed), the same on every
// machine up to the last bits of its arithmetic. docs/internals/families.md defines them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

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

}  // namespace pcgs::suite
