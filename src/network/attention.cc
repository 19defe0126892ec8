#include "network/attention.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "network/attention.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set; must come first
#include "network/exp_inl.h"
#include "network/product_inl.h"
// clang-format on

#include <algorithm>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace pcgs::infer::HWY_NAMESPACE {

// Of the keys so far: the largest score and the sum of exp(score - largest), for each lane.
struct Running {
  HWY_ALIGN float largest[2 * kPanel];
  HWY_ALIGN float sum[2 * kPanel];
};

// In four maxima, so that one need not wait for the last.
HWY_INLINE VF LargestOfRows(F d, const float* HWY_RESTRICT x, std::size_t rows) {
  const VF start = hn::Load(d, x);
  VF most[4] = {start, start, start, start};
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    for (std::size_t i = 0; i < 4; ++i) {
      most[i] = hn::Max(most[i], hn::Load(d, x + (r + i) * kPanel));
    }
  }
  for (; r < rows; ++r) most[0] = hn::Max(most[0], hn::Load(d, x + r * kPanel));
  return hn::Max(hn::Max(most[0], most[1]), hn::Max(most[2], most[3]));
}

// scores [keys x 16], one panel of queries, become exp(score - largest). Where earlier keys gave
// way to a larger score, `out` [rows x 16] shrinks with them.
HWY_INLINE void SoftmaxStep(float* HWY_RESTRICT scores, std::size_t keys, bool first,
                            float* HWY_RESTRICT largest, float* HWY_RESTRICT sum,
                            float* HWY_RESTRICT out, std::size_t rows) {
  const F d;
  for (std::size_t lane = 0; lane < kPanel; lane += kFloats) {
    float* const s = scores + lane;
    VF most = LargestOfRows(d, s, keys);
    VF total = hn::Zero(d);
    if (!first) {
      const VF before = hn::Load(d, largest + lane);
      most = hn::Max(most, before);
      const VF shrink = ExpOfNegative(d, hn::Sub(before, most));
      total = hn::Mul(hn::Load(d, sum + lane), shrink);
      for (std::size_t r = 0; r < rows; ++r) {
        float* const at = out + r * kPanel + lane;
        hn::Store(hn::Mul(hn::Load(d, at), shrink), d, at);
      }
    }
    for (std::size_t j = 0; j < keys; ++j) {
      const VF p = ExpOfNegative(d, hn::Sub(hn::Load(d, s + j * kPanel), most));
      hn::Store(p, d, s + j * kPanel);
      total = hn::Add(total, p);
    }
    hn::Store(most, d, largest + lane);
    hn::Store(total, d, sum + lane);
  }
}

HWY_INLINE void DivideRows(float* HWY_RESTRICT out, std::size_t rows, const float* sum) {
  const F d;
  for (std::size_t lane = 0; lane < kPanel; lane += kFloats) {
    const VF inverse = hn::Div(hn::Set(d, 1.0f), hn::Load(d, sum + lane));
    for (std::size_t r = 0; r < rows; ++r) {
      float* const at = out + r * kPanel + lane;
      hn::Store(hn::Mul(hn::Load(d, at), inverse), d, at);
    }
  }
}

// One head of one or two panels of queries.
void AttendHead(const Attention& attention, std::size_t head, std::size_t panel,
                std::size_t panels) {
  const std::size_t width = attention.heads * attention.head_width;
  const std::size_t panel_step = width * kPanel;
  const std::size_t row = head * attention.head_width;
  float* const out = attention.out + panel * panel_step + row * kPanel;

  Product score;  // rows are keys, lanes are queries
  score.depth = attention.head_width;
  score.panels = panels;
  score.a_step = kPanel;
  score.a_tile = kTile;
  score.b = attention.query + panel * panel_step + row * kPanel;
  score.b_panel = panel_step;

  Product mix;  // rows are features, lanes are queries
  mix.rows = attention.head_width;
  mix.panels = panels;
  mix.a_step = attention.value_step;
  mix.a_tile = kTile;
  mix.b = attention.scratch;
  mix.c = out;
  mix.c_panel = panel_step;

  Running running;
  for (std::size_t first = 0; first < attention.keys; first += kKeysAtOnce) {
    const std::size_t count = std::min(kKeysAtOnce, attention.keys - first);
    const std::size_t score_panel = count * kPanel;
    score.c_panel = mix.b_panel = score_panel;
    for (std::size_t j = 0; j < count; j += kPanel) {
      score.rows = std::min(kPanel, count - j);
      score.a = attention.key + (first + j) / kPanel * panel_step + row * kPanel;
      score.c = attention.scratch + j * kPanel;
      Multiply(score);
    }
    for (std::size_t i = 0; i < panels; ++i) {
      SoftmaxStep(attention.scratch + i * score_panel, count, first == 0,
                  running.largest + i * kPanel, running.sum + i * kPanel, out + i * panel_step,
                  attention.head_width);
    }
    mix.depth = count;
    mix.a = attention.value + first * attention.value_step + row;
    mix.accumulate = first > 0;
    Multiply(mix);
  }
  for (std::size_t i = 0; i < panels; ++i) {
    DivideRows(out + i * panel_step, attention.head_width, running.sum + i * kPanel);
  }
}

void Attend(const Attention& attention) {
  const std::size_t all = panels_of(attention.queries);
  for (std::size_t panel = 0; panel < all; panel += 2) {
    for (std::size_t head = 0; head < attention.heads; ++head) {
      AttendHead(attention, head, panel, std::min<std::size_t>(2, all - panel));
    }
  }
}

}  // namespace pcgs::infer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::infer {

HWY_EXPORT(Attend);

void attend(const Attention& attention) { HWY_DYNAMIC_DISPATCH(Attend)(attention); }

}  // namespace pcgs::infer
#endif
