#include "data/checksums.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace pcgs {
namespace {

using namespace std::string_view_literals;

// From the authors' list of test vectors.
static_assert(fnv1a<std::uint32_t>(""sv) == 0x811c9dc5U);
static_assert(fnv1a<std::uint32_t>("a"sv) == 0xe40c292cU);
static_assert(fnv1a<std::uint32_t>("foobar"sv) == 0xbf9cf968U);
static_assert(fnv1a<std::uint64_t>(""sv) == 0xcbf29ce484222325U);
static_assert(fnv1a<std::uint64_t>("a"sv) == 0xaf63dc4c8601ec8cU);
static_assert(fnv1a<std::uint64_t>("foobar"sv) == 0x85944171f73967e8U);

TEST(Fnv1a, GoesOnFromWhatCameBefore) {
  EXPECT_EQ(fnv1a("bar"sv, fnv1a<std::uint64_t>("foo"sv)), fnv1a<std::uint64_t>("foobar"sv));
}

TEST(Fnv1a, TakesBytesBeyond127AsTheyAre) {
  const std::string text = "\xff";
  EXPECT_EQ(fnv1a<std::uint32_t>(text), (2166136261U ^ 0xffU) * 16777619U);
}

}  // namespace
}  // namespace pcgs
