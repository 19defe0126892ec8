// A path takes no more memory than it may.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pcgs/certificates.h"
#include "pcgs/oracle.h"
#include "support/allocations.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::allocations;

// The best expert is another one every `regime` rounds.
class TurnsRows final : public LossRows {
 public:
  TurnsRows(std::size_t rows, std::size_t columns, std::size_t regime)
      : rows_(rows), columns_(columns), regime_(regime) {}
  std::size_t rows() const override { return rows_; }
  std::size_t columns() const override { return columns_; }
  void read(std::size_t first, std::size_t count, double* out, std::size_t stride) const override {
    for (std::size_t t = first; t < first + count; ++t, out += stride) {
      for (std::size_t k = 0; k < columns_; ++k) out[k] = k == t / regime_ % columns_ ? 0 : 1;
    }
  }

 private:
  std::size_t rows_, columns_, regime_;
};

// What a sweep needs whatever the problem: a chunk of losses and the bests of its rounds.
constexpr std::size_t kBuffers = std::size_t{512} << 10;

// The bytes held at worst beyond the path itself.
std::size_t taken(const LossRows& rows, std::size_t switches, std::size_t memory) {
  allocations.most_held = allocations.held;
  const std::size_t before = allocations.held;
  const SwitchingPath path = switching_path(rows, switches, memory);
  EXPECT_EQ(path.experts.size(), rows.rows());
  return allocations.most_held - before - path.experts.size() * sizeof(path.experts[0]);
}

TEST(PathMemory, StaysWithinWhatIsAllowed) {
  const struct {
    std::size_t rounds, experts, switches, memory;
  } cases[] = {
      {62500, 64, 50, std::size_t{16} << 20},  // a sixteenth of a million rounds in 256 MiB
      {20000, 1000, 20, std::size_t{16} << 20}, {3000, 100, 300, std::size_t{20} << 20},
      {4000, 8, 2000, std::size_t{64} << 20},   {1000, 64, 10, kOracleMemory},
  };
  for (const auto& [rounds, experts, switches, memory] : cases) {
    const TurnsRows rows(rounds, experts, std::max<std::size_t>(rounds / switches, 1));
    EXPECT_LE(taken(rows, switches, memory), memory + kBuffers)
        << rounds << " rounds, " << experts << " experts, " << switches << " switches";
  }
}

// O(K S) for values, whatever the number of rounds.
TEST(PathMemory, ValuesTakeATableAndLittleElse) {
  const TurnsRows rows(3000, 8, 2);
  allocations.most_held = allocations.held;
  const std::size_t before = allocations.held;
  EXPECT_EQ(switching_oracle(rows, 2500).size(), 2501u);
  EXPECT_LE(allocations.most_held - before, 2 * 2501 * (8 + 3) * sizeof(double) + kBuffers);
}

// Observing a round allocates nothing.

TEST(LiveCertificate, AllocatesNothingAfterItsConstruction) {
  test::Random random(1);
  Share share(9);
  LiveCertificate live(9);
  ASSERT_GT(test::allocations.count, 0u) << "the counter must count";
  for (int t = 0; t < 100; ++t) {
    const std::vector<double> losses = random.losses(9);
    const std::vector<double> q = random.simplex(9);
    const Controls controls{4, t % 3 == 0 ? 0 : 0.1, t % 2 == 0 ? std::span<const double>() : q};
    const ShareStep& step = share.step(losses, controls);
    const std::size_t before = test::allocations.count;
    live.observe(losses, step, {0.5, 0.5, 1});
    const Certificate now = live.certificate();
    ASSERT_EQ(test::allocations.count, before) << now.bound;
  }
}

}  // namespace

}  // namespace pcgs
