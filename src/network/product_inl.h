// The product of product.h for one instruction set. Included once per instruction set by the files
// that need it inside a kernel of their own, hence the toggle in place of an include guard.
#if defined(PCGS_INFER_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PCGS_INFER_PRODUCT_INL_H
#undef PCGS_INFER_PRODUCT_INL_H
#else
#define PCGS_INFER_PRODUCT_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "network/product.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::infer::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using F = hn::ScalableTag<float>;
using VF = hn::Vec<F>;

inline constexpr std::size_t kFloats = hn::MaxLanes(F());  // of one register
static_assert(kPanel % kFloats == 0, "a panel is a whole number of registers");
inline constexpr std::size_t kRegisters = kPanel / kFloats;  // of one panel

// A tile's sums stay in registers: 16 of the 32 that AVX-512 has, 8 of 16 elsewhere. Fewer would
// wait for each other, because an addition takes four cycles and two start in every cycle.
inline constexpr std::size_t kRowsAtOnce = kRegisters == 1 ? 8 : kRegisters == 2 ? 4 : 2;
inline constexpr std::size_t kPanelsAtOnce = kRegisters == 1 ? 2 : 1;
static_assert(kTile % kRowsAtOnce == 0);

// Rows `row` to `row + kRows` of the panels `panel` to `panel + kPanels`.
template <std::size_t kRows, std::size_t kPanels>
HWY_INLINE void MultiplyTile(const Product& p, std::size_t row, std::size_t panel) {
  const F d;
  constexpr std::size_t kWide = kPanels * kRegisters;
  const auto at = [](std::size_t v,
                     std::size_t stride) {  // of register v, in panels `stride` apart
    return v / kRegisters * stride + v % kRegisters * kFloats;
  };
  const std::size_t c_row = p.c_row;  // copies: the stores below could change what p refers to
  const std::size_t c_panel = p.c_panel;
  float* const c = p.c + panel * c_panel + row * c_row;
  VF sum[kRows][kWide];
  for (std::size_t r = 0; r < kRows; ++r) {
    const VF start = p.row_bias != nullptr ? hn::Set(d, p.row_bias[row + r]) : hn::Zero(d);
    for (std::size_t v = 0; v < kWide; ++v) sum[r][v] = start;
  }
  if (p.lane_bias != nullptr) {
    for (std::size_t v = 0; v < kWide; ++v) {
      const VF bias = hn::LoadU(d, p.lane_bias + panel * kPanel + at(v, kPanel));
      for (std::size_t r = 0; r < kRows; ++r) sum[r][v] = hn::Add(sum[r][v], bias);
    }
  }
  if (p.accumulate) {
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t v = 0; v < kWide; ++v) {
        sum[r][v] = hn::Add(sum[r][v], hn::LoadU(d, c + r * c_row + at(v, c_panel)));
      }
    }
  }

  const float* HWY_RESTRICT a = p.a + row / kTile * p.a_tile + row % kTile;
  const float* HWY_RESTRICT b = p.b + panel * p.b_panel;
  const std::size_t a_step = p.a_step;
  const std::size_t b_step = p.b_step;
  const std::size_t b_panel = p.b_panel;
  for (std::size_t k = p.depth; k > 0; --k) {
    VF lanes[kWide];
    for (std::size_t v = 0; v < kWide; ++v) lanes[v] = hn::LoadU(d, b + at(v, b_panel));
    for (std::size_t r = 0; r < kRows; ++r) {
      const VF factor = hn::Set(d, a[r]);
      for (std::size_t v = 0; v < kWide; ++v) {
        sum[r][v] = hn::MulAdd(factor, lanes[v], sum[r][v]);
      }
    }
    a += a_step;
    b += b_step;
  }

  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kWide; ++v) {
      hn::StoreU(sum[r][v], d, c + r * c_row + at(v, c_panel));
    }
  }
}

// The last rows, fewer than a tile's.
template <std::size_t kRows, std::size_t kPanels>
HWY_INLINE void MultiplyLastRows(const Product& p, std::size_t row, std::size_t panel) {
  if constexpr (kRows > 0) {
    if (p.rows - row == kRows) {
      MultiplyTile<kRows, kPanels>(p, row, panel);
    } else {
      MultiplyLastRows<kRows - 1, kPanels>(p, row, panel);
    }
  }
}

template <std::size_t kPanels>
HWY_NOINLINE void MultiplyPanels(const Product& p, std::size_t panel) {
  std::size_t row = 0;
  for (; row + kRowsAtOnce <= p.rows; row += kRowsAtOnce) {
    MultiplyTile<kRowsAtOnce, kPanels>(p, row, panel);
  }
  MultiplyLastRows<kRowsAtOnce - 1, kPanels>(p, row, panel);
}

HWY_INLINE void Multiply(const Product& p) {
  std::size_t panel = 0;
  for (; panel + kPanelsAtOnce <= p.panels; panel += kPanelsAtOnce) {
    MultiplyPanels<kPanelsAtOnce>(p, panel);
  }
  for (; panel < p.panels; ++panel) MultiplyPanels<1>(p, panel);
}

}  // namespace pcgs::infer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
