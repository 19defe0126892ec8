#include "pcgs/state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/expect.h"
#include "support/forge.h"

namespace pcgs {
namespace {

using test::error_of;
using test::mentions;

using Bytes = std::vector<std::uint8_t>;

void expect_refused(const Bytes& file) {
  error_of([&file] { StateReader reader(file, "some.state"); });
}

// One field of each kind.
Bytes small_file() {
  StateWriter out;
  out.u64(7);
  out.f64(-0.5);
  out.text("name");
  const std::vector<double> numbers = {1, 2};
  out.f64s(numbers);
  const Bytes bytes = {1, 0, 1};
  out.bytes(bytes);
  return out.file(0x1122334455667788u);
}

TEST(State, ReadsBackWhatItWrote) {
  const double nan = std::nan("5");
  const std::vector<double> numbers = {0,
                                       -0.0,
                                       1.0 / 3,
                                       std::numeric_limits<double>::denorm_min(),
                                       -std::numeric_limits<double>::infinity(),
                                       nan};
  const Bytes mask = {1, 0, 255};
  StateWriter out;
  out.u64(std::numeric_limits<std::uint64_t>::max());
  out.f64(0.1);
  out.text("");
  out.text(std::string("with\0nul, \"quotes\"", 18));
  out.f64s(numbers);
  out.f64s({});
  out.bytes(mask);
  const Bytes file = out.file(42);

  StateReader in(file, "memory");
  EXPECT_EQ(in.architecture(), 42u);
  EXPECT_EQ(in.u64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(in.f64(), 0.1);
  EXPECT_EQ(in.text(), "");
  EXPECT_EQ(in.text(), std::string("with\0nul, \"quotes\"", 18));
  std::vector<double> read(numbers.size());
  in.f64s(read);
  EXPECT_TRUE(test::same_bits(read, numbers));
  in.f64s({});
  Bytes read_mask(3);
  in.bytes(read_mask);
  EXPECT_EQ(read_mask, mask);
  in.finish();
}

TEST(State, WritesTheDocumentedLayout) {
  StateWriter out;
  out.u64(0x0102030405060708u);
  Bytes expected = {'P', 'C', 'G', 'S', 'S', 'T', 'A', 'T'};
  expected.resize(test::kStateHeader + 8 + 4);
  test::put_u32(expected, 8, kStateVersion);
  test::put_u64(expected, 16, 0xa1a2a3a4a5a6a7a8u);
  test::put_u64(expected, 24, 8);
  test::put_u64(expected, 32, 0x0102030405060708u);
  test::seal(expected);
  EXPECT_EQ(out.file(0xa1a2a3a4a5a6a7a8u), expected);
}

TEST(State, RefusesEverySingleBitFlip) {
  const Bytes file = small_file();
  StateReader accepted(file, "memory");
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    Bytes flipped = file;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    SCOPED_TRACE("bit " + std::to_string(bit));
    expect_refused(flipped);
  }
}

TEST(State, RefusesEveryTruncationAndExtension) {
  const Bytes file = small_file();
  for (std::size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(std::to_string(size) + " bytes");
    expect_refused(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  Bytes longer = file;
  longer.push_back(0);
  expect_refused(longer);
  longer.insert(longer.end(), file.begin(), file.end());
  expect_refused(longer);
}

// A sealed file says honestly what it is, so that only its version stands in the way.
TEST(State, RefusesAnotherVersionWithASentence) {
  for (std::uint32_t version : {0u, kStateVersion + 1, 0xffffffffu}) {
    Bytes file = small_file();
    test::put_u32(file, 8, version);
    test::seal(file);
    const std::string message = error_of([&file] { StateReader reader(file, "old.state"); });
    EXPECT_TRUE(mentions(message, "old.state"));
    EXPECT_TRUE(mentions(message, "version"));
    EXPECT_TRUE(mentions(message, std::to_string(version)));
    EXPECT_TRUE(mentions(message, std::to_string(kStateVersion)));
  }
}

TEST(State, RefusesAnotherKindOfFileAndNamesIt) {
  Bytes file = small_file();
  file[0] = 'X';
  test::seal(file);
  EXPECT_TRUE(mentions(error_of([&file] { StateReader reader(file, "x.png"); }), "x.png"));
}

TEST(State, RefusesAForgedPayloadSize) {
  for (std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40,
                             std::numeric_limits<std::uint64_t>::max(),
                             std::numeric_limits<std::uint64_t>::max() - 35}) {
    Bytes file = small_file();
    test::put_u64(file, 24, size);
    test::seal(file);
    expect_refused(file);
  }
}

TEST(State, RefusesToReadPastTheEnd) {
  StateWriter out;
  out.u64(1);
  const Bytes file = out.file(0);
  StateReader in(file, "short.state");
  in.u64();
  EXPECT_TRUE(mentions(error_of([&in] { in.u64(); }), "short.state"));
  error_of([&in] { in.f64(); });
  error_of([&in] { in.text(); });
  error_of([&in] { in.count(1); });
}

TEST(State, RefusesALengthOtherThanTheReaderExpects) {
  StateWriter out;
  out.f64s(std::vector<double>{1, 2, 3});
  const Bytes file = out.file(0);
  for (std::size_t size : {0u, 2u, 4u}) {
    StateReader in(file, "memory");
    std::vector<double> numbers(size);
    error_of([&] { in.f64s(numbers); });
  }
  StateWriter mask_out;
  mask_out.bytes(Bytes{1, 2, 3});
  const Bytes mask_file = mask_out.file(0);
  for (std::size_t size : {0u, 2u, 4u}) {
    StateReader in(mask_file, "memory");
    Bytes mask(size);
    error_of([&] { in.bytes(mask); });
  }
}

TEST(State, RefusesACountThatCannotFitTheFile) {
  const auto count_of = [](std::uint64_t forged, std::size_t bytes_each) {
    StateWriter out;
    out.u64(forged);
    for (int i = 0; i < 4; ++i) out.u64(0);  // 32 bytes are left
    const Bytes file = out.file(0);
    StateReader in(file, "memory");
    return in.count(bytes_each);
  };
  EXPECT_EQ(count_of(0, 8), 0u);
  EXPECT_EQ(count_of(4, 8), 4u);
  EXPECT_EQ(count_of(32, 1), 32u);
  error_of([&] { count_of(5, 8); });
  error_of([&] { count_of(33, 1); });
  // Products that wrap around to something small.
  error_of([&] { count_of((std::uint64_t{1} << 61) + 1, 8); });
  error_of([&] { count_of(std::numeric_limits<std::uint64_t>::max(), 8); });
  error_of([&] { count_of(std::uint64_t{1} << 60, 16); });
}

TEST(State, RefusesAForgedTextLength) {
  for (std::uint64_t length : {std::uint64_t{9}, std::numeric_limits<std::uint64_t>::max()}) {
    StateWriter out;
    out.text("12345678");
    Bytes file = out.file(0);
    test::put_u64(file, test::kStateHeader, length);
    test::seal(file);
    StateReader in(file, "memory");
    error_of([&in] { in.text(); });
  }
}

TEST(State, RefusesANumberOutsideItsRange) {
  const auto read = [](double value) {
    StateWriter out;
    out.f64(value);
    const Bytes file = out.file(0);
    StateReader in(file, "memory");
    return in.f64_within(0, 1, "the share of tests");
  };
  EXPECT_EQ(read(0), 0);
  EXPECT_EQ(read(1), 1);
  EXPECT_TRUE(mentions(error_of([&] { read(1.5); }), "the share of tests"));
  error_of([&] { read(-1e-300); });
  error_of([&] { read(std::nan("")); });
  error_of([&] { read(std::numeric_limits<double>::infinity()); });
}

TEST(State, RefusesAnArrayOrACountOutsideItsRange) {
  const auto read = [](double value, std::uint64_t count) {
    StateWriter out;
    out.f64s(std::vector<double>{0.5, value});
    out.u64(count);
    const Bytes file = out.file(0);
    StateReader in(file, "memory");
    std::vector<double> values(2);
    in.f64s_within(values, 0, 1, "a share of tests");
    EXPECT_EQ(values[1], value);
    return in.u64_below(3, "a count of tests");
  };
  EXPECT_EQ(read(1, 2), 2u);
  EXPECT_TRUE(mentions(error_of([&] { read(1.5, 2); }), "a share of tests"));
  error_of([&] { read(std::nan(""), 2); });
  EXPECT_TRUE(mentions(error_of([&] { read(1, 3); }), "a count of tests"));
}

TEST(State, RefusesLeftovers) {
  StateWriter out;
  out.u64(1);
  out.u64(2);
  const Bytes file = out.file(0);
  StateReader in(file, "long.state");
  in.u64();
  EXPECT_TRUE(mentions(error_of([&in] { in.finish(); }), "long.state"));
}

TEST(State, ArchitectureHashTellsMethodsAndSizesApart) {
  const std::uint64_t hash = architecture_hash("hedge{eta=2}", 10);
  EXPECT_EQ(architecture_hash("hedge{eta=2}", 10), hash);
  EXPECT_NE(architecture_hash("hedge{eta=3}", 10), hash);
  EXPECT_NE(architecture_hash("hedge{eta=2}", 11), hash);
  EXPECT_NE(architecture_hash("", 0), architecture_hash("", 1));
}

}  // namespace
}  // namespace pcgs
