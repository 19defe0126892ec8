#include "gated_memory.h"

#include <cmath>
#include <vector>

namespace pcgs::train {

namespace {

float sigmoid(float z) { return 1 / (1 + std::exp(-z)); }

struct Sizes {
  explicit Sizes(const torch::Tensor& packed)
      : batch(packed.size(0)),
        rounds(packed.size(1)),
        experts(packed.size(2)),
        channels(packed.size(3) / 3) {}
  std::int64_t batch, rounds, experts, channels;

  // Calls f(b, k) for every expert of every sequence, from several threads.
  template <class F>
  void for_each_expert(const F& f) const {
    at::parallel_for(0, batch * experts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) f(i / experts, i % experts);
    });
  }
  std::int64_t row(std::int64_t b, std::int64_t t, std::int64_t k) const {
    return (b * rounds + t) * experts + k;
  }
};

void forward_on_cpu(const torch::Tensor& packed, const torch::Tensor& held,
                    const torch::Tensor& shown) {
  const Sizes n(packed);
  n.for_each_expert([&](std::int64_t b, std::int64_t k) {
    std::vector<float> memory(static_cast<std::size_t>(n.channels), 0.0f);
    for (std::int64_t t = 0; t < n.rounds; ++t) {
      const std::int64_t row = n.row(b, t, k);
      const float* z = packed.data_ptr<float>() + row * 3 * n.channels;
      const float *v = z + n.channels, *g = v + n.channels;
      float* h = held.data_ptr<float>() + row * n.channels;
      float* y = shown.data_ptr<float>() + row * n.channels;
      for (std::int64_t c = 0; c < n.channels; ++c) {
        float& now = memory[static_cast<std::size_t>(c)];
        now = v[c] + sigmoid(z[c]) * (now - v[c]);
        h[c] = now;
        y[c] = now * g[c] * sigmoid(g[c]);
      }
    }
  });
}

void backward_on_cpu(const torch::Tensor& packed, const torch::Tensor& held,
                     const torch::Tensor& upstream, const torch::Tensor& gradient) {
  const Sizes n(packed);
  n.for_each_expert([&](std::int64_t b, std::int64_t k) {
    std::vector<float> later(static_cast<std::size_t>(n.channels), 0.0f);  // a_{t+1} G_{t+1}
    for (std::int64_t t = n.rounds - 1; t >= 0; --t) {
      const std::int64_t row = n.row(b, t, k);
      const float* z = packed.data_ptr<float>() + row * 3 * n.channels;
      const float *v = z + n.channels, *g = v + n.channels;
      const float* h = held.data_ptr<float>() + row * n.channels;
      const float* dy = upstream.data_ptr<float>() + row * n.channels;
      float* dz = gradient.data_ptr<float>() + row * 3 * n.channels;
      float *dv = dz + n.channels, *dg = dv + n.channels;
      for (std::int64_t c = 0; c < n.channels; ++c) {
        float& from_later = later[static_cast<std::size_t>(c)];
        const float a = sigmoid(z[c]), s = sigmoid(g[c]);
        const float before = t > 0 ? (h - n.experts * n.channels)[c] : 0.0f;
        const float all = dy[c] * g[c] * s + from_later;
        dv[c] = (1 - a) * all;
        dz[c] = a * (1 - a) * (before - v[c]) * all;
        dg[c] = dy[c] * h[c] * s * (1 + g[c] * (1 - s));
        from_later = a * all;
      }
    }
  });
}

class GatedMemory : public torch::autograd::Function<GatedMemory> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, torch::Tensor packed) {
    packed = packed.contiguous();
    auto sizes = packed.sizes().vec();
    sizes[3] /= 3;
    auto held = torch::empty(sizes, packed.options()), shown = torch::empty_like(held);
    if (packed.is_cuda()) {
#ifdef PCGS_CUDA
      gated_memory_forward_cuda(packed, held, shown);
#endif
    } else {
      const auto in_float = packed.to(torch::kFloat32);
      held = held.to(torch::kFloat32);
      shown = shown.to(torch::kFloat32);
      forward_on_cpu(in_float, held, shown);
      shown = shown.to(packed.dtype());
    }
    context->save_for_backward({packed, held});
    return shown;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list upstream) {
    const auto saved = context->get_saved_variables();
    const auto &packed = saved[0], &held = saved[1];
    const auto above = upstream[0].contiguous();
    if (packed.is_cuda()) {
      const auto gradient = torch::empty_like(packed);
#ifdef PCGS_CUDA
      gated_memory_backward_cuda(packed, held, above, gradient);
#endif
      return {gradient};
    }
    const auto in_float = packed.to(torch::kFloat32);
    const auto gradient = torch::empty_like(in_float);
    backward_on_cpu(in_float, held, above.to(torch::kFloat32), gradient);
    return {gradient.to(packed.dtype())};
  }
};

}  // namespace

torch::Tensor gated_memory(const torch::Tensor& keep_value_gate) {
  return GatedMemory::apply(keep_value_gate);
}

}  // namespace pcgs::train
