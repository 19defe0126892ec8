// One function per family; families.cc lists them with their parameters.
#pragma once

#include "research/suite.h"

namespace pcgs::suite {

using Parameters = std::span<const double>;

Sequence make_switch(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p);
Sequence make_drift(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p);
Sequence make_hetero(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p);
Sequence make_heavy_tail(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p);
Sequence make_mix(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p);
Sequence make_predictive(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p);
Sequence make_adversarial(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                          Parameters p);

}  // namespace pcgs::suite
