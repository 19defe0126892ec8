// Random numbers that are the same on every machine (the standard library's distributions are not).
#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/student_t_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "data/checksums.h"

namespace pcgs::suite {

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
