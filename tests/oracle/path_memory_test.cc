// A path takes no more memory than it may. This program follows every use of operator new, so it
// must be an executable of its own.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "pcgs/oracle.h"

namespace {

std::size_t held = 0, most_held = 0;

void* followed(std::size_t size, std::size_t alignment) {
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (p == nullptr) throw std::bad_alloc();
  held += malloc_usable_size(p);
  most_held = std::max(most_held, held);
  return p;
}

void let_go(void* p) {
  if (p != nullptr) held -= malloc_usable_size(p);
  std::free(p);
}

constexpr std::size_t kPlain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

// The array and nothrow forms call these two.
void* operator new(std::size_t size) { return followed(size, kPlain); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return followed(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { let_go(p); }
void operator delete(void* p, std::size_t) noexcept { let_go(p); }
void operator delete(void* p, std::align_val_t) noexcept { let_go(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { let_go(p); }

namespace pcgs {
namespace {

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
  most_held = held;
  const std::size_t before = held;
  const SwitchingPath path = switching_path(rows, switches, memory);
  EXPECT_EQ(path.experts.size(), rows.rows());
  return most_held - before - path.experts.size() * sizeof(path.experts[0]);
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
  most_held = held;
  const std::size_t before = held;
  EXPECT_EQ(switching_oracle(rows, 2500).size(), 2501u);
  EXPECT_LE(most_held - before, 2 * 2501 * (8 + 3) * sizeof(double) + kBuffers);
}

}  // namespace
}  // namespace pcgs
