#define HWY_TARGET_INCLUDE "network/forward_kernels.cc"
#include "network/forward_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace pcgs::infer::HWY_NAMESPACE {

using namespace pcgs::HWY_NAMESPACE;

constexpr std::size_t kFloats = hn::MaxLanes(F());  // of one register
static_assert(kPanel % kFloats == 0, "a panel is a whole number of registers");
constexpr std::size_t kRegisters = kPanel / kFloats;  // of one panel

// A tile's sums stay in registers: 16 of the 32 that AVX-512 has, 8 of 16 elsewhere. Fewer would
// wait for each other, because an addition takes four cycles and two start in every cycle.
constexpr std::size_t kRowsAtOnce = kRegisters == 1 ? 8 : kRegisters == 2 ? 4 : 2;
constexpr std::size_t kPanelsAtOnce = kRegisters == 1 ? 2 : 1;
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

void MultiplyAll(const Product& product) { Multiply(product); }

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

// f(row) summed over the rows, in four sums so that an addition need not wait for the last.
template <class Function>
HWY_INLINE VF SumOverRows(F d, std::size_t rows, const Function& f) {
  VF sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    for (std::size_t i = 0; i < 4; ++i) sum[i] = f(sum[i], r + i);
  }
  for (; r < rows; ++r) sum[0] = f(sum[0], r);
  return hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
}

void Normalise(const float* x, std::size_t panels, std::size_t rows,
               const float* HWY_RESTRICT weight, const float* HWY_RESTRICT bias, float* out) {
  const F d;
  const VF share = hn::Set(d, 1.0f / static_cast<float>(rows));
  const VF epsilon = hn::Set(d, 1e-5f);
  for (std::size_t panel = 0; panel < panels; ++panel, x += rows * kPanel, out += rows * kPanel) {
    for (std::size_t lane = 0; lane < kPanel; lane += kFloats) {
      const auto at = [&](std::size_t r) HWY_ATTR { return hn::Load(d, x + r * kPanel + lane); };
      const VF total =
          SumOverRows(d, rows, [&](VF sum, std::size_t r) HWY_ATTR { return hn::Add(sum, at(r)); });
      const VF mean = hn::Mul(total, share);
      const VF squares = SumOverRows(d, rows, [&](VF sum, std::size_t r) HWY_ATTR {
        const VF off = hn::Sub(at(r), mean);
        return hn::MulAdd(off, off, sum);
      });
      const VF deviation = hn::Sqrt(hn::MulAdd(squares, share, epsilon));
      const VF scale = hn::Div(hn::Set(d, 1.0f), deviation);
      for (std::size_t r = 0; r < rows; ++r) {
        const VF normal = hn::Mul(hn::Sub(at(r), mean), scale);
        hn::Store(hn::MulAdd(normal, hn::Set(d, weight[r]), hn::Set(d, bias[r])), d,
                  out + r * kPanel + lane);
      }
    }
  }
}

// Phi(x) = 1/2 + x P(t), t = x^2 * 2 / 5.3^2 - 1, for |x| < 5.3; 0 and 1 beyond. P is a
// least-maximum fit of degree 13; in t, which lies in [-1, 1], its terms do not cancel.
HWY_INLINE VF Gelu(F d, VF x) {
  constexpr float kEnd = 5.3f;
  constexpr float kTerms[] = {0x1.9821420p-10f, -0x1.d2c3acp-10f, 0x1.21dff6p-9f, -0x1.4f4942p-8f,
                              0x1.31a760p-7f,   -0x1.bc41dap-7f,  0x1.33e19cp-6f, -0x1.9d01d4p-6f,
                              0x1.06ee10p-5f,   -0x1.446356p-5f,  0x1.9390f6p-5f, -0x1.107570p-4f,
                              0x1.113020p-3f};
  const VF square = hn::Mul(x, x);
  const VF t = hn::MulAdd(square, hn::Set(d, 2 / (kEnd * kEnd)), hn::Set(d, -1.0f));
  VF p = hn::Set(d, -0x1.11766cp-11f);
  for (const float term : kTerms) p = hn::MulAdd(p, t, hn::Set(d, term));
  const VF half = hn::Set(d, 0.5f);
  const VF above_half =
      hn::IfThenElse(hn::Lt(square, hn::Set(d, kEnd * kEnd)), hn::Mul(x, p), hn::CopySign(half, x));
  return hn::Mul(x, hn::Add(half, above_half));
}

void GeluAll(float* HWY_RESTRICT x, std::size_t n) {
  const F d;
  for (std::size_t i = 0; i < n; i += kPanel) {
    for (std::size_t lane = 0; lane < kPanel; lane += kFloats) {
      hn::Store(Gelu(d, hn::Load(d, x + i + lane)), d, x + i + lane);
    }
  }
}

// With an absolute error of 2e-7.
HWY_INLINE VF Sigmoid(F d, VF x) {
  const VF one = hn::Set(d, 1.0f);
  const VF e = ExpOfNegative(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

void Remember(const float* HWY_RESTRICT packed, std::size_t panels, std::size_t rows,
              float* HWY_RESTRICT memory, float* HWY_RESTRICT out) {
  const F d;
  const std::size_t size = rows * kPanel;  // of one panel's memory
  for (std::size_t panel = 0; panel < panels; ++panel) {
    for (std::size_t i = 0; i < size; i += kFloats) {
      const VF keep = Sigmoid(d, hn::Load(d, packed + i));
      const VF fresh = hn::Load(d, packed + size + i);
      const VF show = hn::Load(d, packed + 2 * size + i);
      const VF now = hn::MulAdd(keep, hn::Sub(hn::Load(d, memory + i), fresh), fresh);
      hn::Store(now, d, memory + i);
      hn::Store(hn::Mul(now, hn::Mul(show, Sigmoid(d, show))), d, out + i);
    }
    packed += 3 * size;
    memory += size;
    out += size;
  }
}

void Pool(const float* HWY_RESTRICT x, std::size_t count, std::size_t rows,
          float* HWY_RESTRICT mean, float* HWY_RESTRICT largest) {
  const F d;
  const float share = 1.0f / static_cast<float>(count);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* const row = x + r * kPanel;
    VF sum = hn::Zero(d);
    VF most = hn::Set(d, row[0]);
    for (std::size_t token = 0; token < count; token += kFloats) {
      const float* const at = row + token / kPanel * rows * kPanel + token % kPanel;
      const auto there = hn::FirstN(d, count - token);
      const VF value = hn::Load(d, at);
      sum = hn::Add(sum, hn::IfThenElseZero(there, value));
      most = hn::Max(most, hn::IfThenElse(there, value, most));
    }
    mean[r] = hn::GetLane(hn::SumOfLanes(d, sum)) * share;
    largest[r] = hn::GetLane(hn::MaxOfLanes(d, most));
  }
}

}  // namespace pcgs::infer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pcgs::infer {

HWY_EXPORT(MultiplyAll);

void multiply(const Product& product) { HWY_DYNAMIC_DISPATCH(MultiplyAll)(product); }

HWY_EXPORT(Attend);

void attend(const Attention& attention) { HWY_DYNAMIC_DISPATCH(Attend)(attention); }

HWY_EXPORT(Normalise);
HWY_EXPORT(GeluAll);
HWY_EXPORT(Remember);
HWY_EXPORT(Pool);

void lay_side_by_side(const float* tokens, std::size_t count, std::size_t features, float* out) {
  for (std::size_t first = 0; first < count; first += kPanel, out += features * kPanel) {
    const std::size_t here = std::min(kPanel, count - first);
    if (here < kPanel) std::fill_n(out, features * kPanel, 0.0f);
    for (std::size_t i = 0; i < here; ++i) {
      const float* const token = tokens + (first + i) * features;
      for (std::size_t f = 0; f < features; ++f) {
        out[f * kPanel + i] = std::clamp(token[f], -kLargestToken, kLargestToken);
      }
    }
  }
}

void normalise(const float* x, std::size_t panels, std::span<const float> weight,
               std::span<const float> bias, float* out) {
  HWY_DYNAMIC_DISPATCH(Normalise)(x, panels, weight.size(), weight.data(), bias.data(), out);
}

void gelu(float* x, std::size_t n) { HWY_DYNAMIC_DISPATCH(GeluAll)(x, n); }

void remember(const float* packed, std::size_t panels, std::size_t rows, float* memory,
              float* out) {
  HWY_DYNAMIC_DISPATCH(Remember)(packed, panels, rows, memory, out);
}

void pool(const float* x, std::size_t count, std::size_t rows, float* mean, float* largest) {
  HWY_DYNAMIC_DISPATCH(Pool)(x, count, rows, mean, largest);
}

}  // namespace pcgs::infer
#endif
