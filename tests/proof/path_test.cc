// The path behind the oracle's values, in every regime of memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pcgs/oracle.h"
#include "proof/coarse_problems.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::coarse_problem;
using test::expect_same;
using test::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();

std::size_t switches_in(const std::vector<std::uint32_t>& experts) {
  std::size_t switches = 0;
  for (std::size_t t = 1; t < experts.size(); ++t) switches += experts[t] != experts[t - 1];
  return switches;
}

// Everything a path promises beside the tie rule. `frontier` is L_sw(0), L_sw(1), ...
void expect_keeps_its_promises(MatrixView losses, std::size_t max_switches,
                               const SwitchingPath& path, const std::vector<double>& frontier) {
  const double value = frontier[std::min(max_switches, frontier.size() - 1)];
  ASSERT_EQ(path.loss, value);
  if (value == kInfinity) {
    ASSERT_TRUE(path.experts.empty());
    ASSERT_EQ(path.switches, 0u);
    return;
  }
  ASSERT_EQ(path.experts.size(), losses.rows);
  for (const std::uint32_t k : path.experts) ASSERT_LT(k, losses.columns);
  ASSERT_EQ(test::cost_along(losses, path.experts), value);  // finite: it visits no sleeper
  ASSERT_EQ(switches_in(path.experts), path.switches);
  ASSERT_LE(path.switches, max_switches);
  const auto fewest = std::find(frontier.begin(), frontier.end(), value) - frontier.begin();
  ASSERT_EQ(path.switches, static_cast<std::size_t>(fewest));
}

// Every loss the same: staying is always as good, with the lowest index.
TEST(Path, PrefersToStayAndThenTheLowestIndex) {
  Matrix same(50, 11);
  std::fill(same.values.begin(), same.values.end(), 0.25);
  EXPECT_EQ(switching_path(same, 20).experts, std::vector<std::uint32_t>(50, 0));
  // Expert 5 is best at first; 2 and 7, equally good, may take over at any of three rounds. Seen
  // from the end the path stays with 2 as long as it can.
  Matrix losses(6, 8);
  std::fill(losses.values.begin(), losses.values.end(), 1);
  for (const std::size_t t : {0u, 1u, 2u, 3u}) losses.row(t)[5] = 0;
  for (const std::size_t t : {2u, 3u, 4u, 5u}) losses.row(t)[2] = losses.row(t)[7] = 0;
  const SwitchingPath path = switching_path(losses, 3);
  EXPECT_EQ(path.experts, (std::vector<std::uint32_t>{5, 5, 2, 2, 2, 2}));
  EXPECT_EQ(path.switches, 1u);
}

// From plenty to far too little: the same path, or a sentence that says how much is enough.
TEST(Path, IsTheSameWhateverTheMemory) {
  const struct {
    std::size_t rounds, experts, switches;
  } cases[] = {{2000, 200, 40}, {20000, 5, 30}, {3000, 33, 100},
               {40, 700, 39},   {6, 3, 5},      {1, 1, 0}};
  Random random(13);
  for (const auto& size : cases) {
    SCOPED_TRACE(::testing::Message() << size.rounds << " rounds, " << size.experts << " experts, "
                                      << size.switches << " switches");
    const Matrix losses = coarse_problem(random, size.rounds, size.experts, 0.001);
    const auto path_within = [&](std::size_t memory) {
      return switching_path(losses, size.switches, memory);
    };
    const SwitchingPath expected = path_within(kHuge);
    ASSERT_FALSE(expected.experts.empty());
    bool refused = false;
    for (std::size_t memory = std::size_t{1} << 28; !refused || memory > 0;
         memory = memory * 2 / 3) {
      try {
        const SwitchingPath path = path_within(memory);
        ASSERT_FALSE(refused) << memory << " bytes are enough, and more were not";
        ASSERT_NO_FATAL_FAILURE(expect_same(path, expected)) << memory;
      } catch (const Error& error) {
        if (refused) continue;
        refused = true;
        const std::string message = error.what();
        const std::string before = "; allow ";
        ASSERT_TRUE(test::mentions(message, before));
        const std::size_t allow = std::stoul(message.substr(message.find(before) + before.size()))
                                  << 20;
        ASSERT_NO_FATAL_FAILURE(expect_same(path_within(allow), expected)) << message;
        ASSERT_THROW((void)path_within(allow - (std::size_t{1} << 20)), Error) << message;
      }
    }
  }
}

// Rows that exist only when they are asked for, and that note how they are.
class MadeRows final : public LossRows {
 public:
  MadeRows(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {}
  std::size_t rows() const override { return rows_; }
  std::size_t columns() const override { return columns_; }
  void read(std::size_t first, std::size_t count, double* out, std::size_t stride) const override {
    ASSERT_LE(first + count, rows_);
    ASSERT_GE(stride, columns_);
    read_ += count;
    for (std::size_t t = first; t < first + count; ++t, out += stride) {
      for (std::size_t k = 0; k < columns_; ++k) out[k] = at(t, k);
    }
  }
  std::size_t rounds_read() const { return read_; }
  Matrix whole() const {
    Matrix matrix(rows_, columns_);
    for (std::size_t t = 0; t < rows_; ++t) {
      for (std::size_t k = 0; k < columns_; ++k) matrix.row(t)[k] = at(t, k);
    }
    return matrix;
  }

 private:
  static double at(std::size_t t, std::size_t k) {
    const std::uint64_t mixed = (t * 0x9E3779B97F4A7C15u + k + 1) * 0xBF58476D1CE4E5B9u;
    const bool good = k == t / 400 % 3;
    return mixed % 9973 == 0 ? kInfinity
                             : static_cast<double>(mixed >> 44) * 0x1p-20 * (good ? 0.5 : 1);
  }
  std::size_t rows_, columns_;
  mutable std::size_t read_ = 0;
};

TEST(Oracle, RowsThatComePiecewiseAreAsGoodAsAMatrix) {
  for (const std::size_t columns : {1u, 3u, 8u, 20u, 200u}) {
    const MadeRows rows(3000, columns);
    const Matrix whole = rows.whole();
    ASSERT_TRUE(test::same_bits(switching_oracle(rows, 60), switching_oracle(whole, 60)));
    EXPECT_EQ(rows.rounds_read(), 3000u) << "each round once";
    ASSERT_NO_FATAL_FAILURE(expect_same(switching_path(rows, 60), switching_path(whole, 60)));
  }
}

TEST(Path, OfALongSequenceIsCutIntoSegments) {
  const MadeRows rows(62500, 16);
  const Matrix whole = rows.whole();
  const SwitchingPath path = switching_path(rows, 300, std::size_t{16} << 20);
  EXPECT_GT(rows.rounds_read(), 2 * rows.rows());
  ASSERT_NO_FATAL_FAILURE(
      expect_keeps_its_promises(whole, 300, path, switching_oracle(whole, 300)));
  EXPECT_GT(path.switches, 100u);
}

TEST(Path, AnyNumberOfSwitchesIsAFineBudget) {
  Random random(14);
  const Matrix losses = coarse_problem(random, 30, 5, 0);
  for (const std::size_t switches : {kHuge, kHuge - 1, kHuge / 8, std::size_t{1} << 40}) {
    ASSERT_NO_FATAL_FAILURE(
        expect_same(switching_path(losses, switches), switching_path(losses, 29)));
  }
  EXPECT_EQ(switching_path(Matrix(0, 2), kHuge).loss, 0);
}

TEST(Oracle, RefusesAFrontierThatNoMemoryHolds) {
  for (const std::size_t switches : {kHuge, kHuge - 1, kHuge / 8}) {
    for (const std::size_t rounds : {0u, 3u}) {
      EXPECT_TRUE(test::mentions(
          test::error_of([&] { (void)switching_oracle(Matrix(rounds, 2), switches); }),
          std::to_string(switches)));
    }
  }
}

// The table alone would take 8 TB; the refusal must come before the attempt.
TEST(Path, RefusesAHopelessTableWithoutTryingIt) {
  const MadeRows rows(1000000, 1000000);
  EXPECT_TRUE(
      test::mentions(test::error_of([&] { (void)switching_path(rows, rows.rows()); }), "; allow "));
  EXPECT_EQ(rows.rounds_read(), 0u);
}

}  // namespace
}  // namespace pcgs
