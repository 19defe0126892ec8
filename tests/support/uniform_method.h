#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pcgs/method.h"

namespace pcgs::test {

// Plays uniform for ever: a method that is not of the share form.
class Uniform final : public Method {
 public:
  explicit Uniform(std::size_t experts) : weights_(experts, 1.0 / static_cast<double>(experts)) {}
  std::string name() const override { return "uniform"; }
  std::span<const double> weights() const override { return weights_; }
  void learn(const Round&) override {}
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  std::vector<double> weights_;
};

}  // namespace pcgs::test
