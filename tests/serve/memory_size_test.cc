// How many bytes a stream takes, most of which are what it remembers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "serve/stream.h"
#include "support/allocations.h"

namespace pcgs {

using namespace serve;

namespace {

// Held by a stream of three experts that has learned so many rounds.
std::size_t bytes_after(std::size_t rounds, const char* method) {
  const std::size_t before = test::allocations.held;
  Stream stream;
  stream.step(Made{{{"naive", "ets", "weather"}, "squared", 0.5, {}, method}});
  for (std::size_t t = 0; t < rounds; ++t) {
    const std::string id = fmt::format("2026-05-{:02} {:02}:00", t / 24, t % 24);
    const double x = static_cast<double>(t % 7);
    stream.step(RoundOpened{id, {{"ets", x}, {"naive", x + 1}, {"weather", x + 0.5}}});
    stream.step(OutcomeSeen{id, x + 0.25});
  }
  return test::allocations.held - before;
}

}  // namespace

// 77 bytes are numbers, weights and an id of 16 bytes, and 8 help to find it.
TEST(StreamMemory, ARememberedRoundTakesLittleMoreThanItsNumbers) {
  for (const char* method : {"ml-poly", "blend"}) {
    bytes_after(1, method);  // what is made once and stays
    const std::size_t few = bytes_after(1, method);
    for (const std::size_t rounds : {kRemembered, 3 * kRemembered}) {
      const std::size_t held = bytes_after(rounds, method);
      EXPECT_LT(held - few, 100 * kRemembered) << method << " after " << rounds;
      fmt::print("{}: {} bytes after 1 round, {} after {}\n", method, few, held, rounds);
    }
  }
}

}  // namespace pcgs
