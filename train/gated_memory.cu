// The passes of gated_memory.h on a GPU: a thread for each channel of each expert, the rounds in a
// loop.
#include <ATen/cuda/CUDAContext.h>

#include "gated_memory.h"

namespace pcgs::train {

namespace {

constexpr int kThreads = 128;

struct Sizes {
  std::int64_t batch, rounds, experts, channels;
};

__device__ float sigmoid(float z) { return 1 / (1 + __expf(-z)); }

template <class Number>
__global__ void forward_kernel(const Number* __restrict__ packed, Number* __restrict__ held,
                               Number* __restrict__ shown, Sizes n) {
  const std::int64_t of_round = n.experts * n.channels;
  const std::int64_t i = blockIdx.x * std::int64_t{kThreads} + threadIdx.x;
  if (i >= of_round) return;
  std::int64_t out = blockIdx.y * n.rounds * of_round + i;
  const Number* in = packed + blockIdx.y * n.rounds * of_round * 3 +
                     i / n.channels * n.channels * 3 + i % n.channels;
  float h = 0;
#pragma unroll 8
  for (std::int64_t t = 0; t < n.rounds; ++t, out += of_round, in += 3 * of_round) {
    const float z = static_cast<float>(in[0]), v = static_cast<float>(in[n.channels]),
                g = static_cast<float>(in[2 * n.channels]);
    h = v + sigmoid(z) * (h - v);
    held[out] = static_cast<Number>(h);
    shown[out] = static_cast<Number>(h * g * sigmoid(g));
  }
}

template <class Number>
__global__ void backward_kernel(const Number* __restrict__ packed, const Number* __restrict__ held,
                                const Number* __restrict__ upstream, Number* __restrict__ gradient,
                                Sizes n) {
  const std::int64_t of_round = n.experts * n.channels;
  const std::int64_t i = blockIdx.x * std::int64_t{kThreads} + threadIdx.x;
  if (i >= of_round) return;
  const std::int64_t last = blockIdx.y * n.rounds + n.rounds - 1;
  std::int64_t at = last * of_round + i;
  std::int64_t in = last * of_round * 3 + i / n.channels * n.channels * 3 + i % n.channels;
  float later = 0;
#pragma unroll 8
  for (std::int64_t t = n.rounds - 1; t >= 0; --t, at -= of_round, in -= 3 * of_round) {
    const float z = static_cast<float>(packed[in]), v = static_cast<float>(packed[in + n.channels]),
                g = static_cast<float>(packed[in + 2 * n.channels]);
    const float dy = static_cast<float>(upstream[at]), h = static_cast<float>(held[at]);
    const float before = t > 0 ? static_cast<float>(held[at - of_round]) : 0.0f;
    const float a = sigmoid(z), s = sigmoid(g);
    const float all = dy * g * s + later;
    gradient[in] = static_cast<Number>(a * (1 - a) * (before - v) * all);
    gradient[in + n.channels] = static_cast<Number>((1 - a) * all);
    gradient[in + 2 * n.channels] = static_cast<Number>(dy * h * s * (1 + g * (1 - s)));
    later = a * all;
  }
}

Sizes sizes_of(const torch::Tensor& packed) {
  return {packed.size(0), packed.size(1), packed.size(2), packed.size(3) / 3};
}

dim3 grid_for(const Sizes& n) {
  return {static_cast<unsigned>((n.experts * n.channels + kThreads - 1) / kThreads),
          static_cast<unsigned>(n.batch), 1};
}

// Calls run with a number of the tensor's type.
template <class F>
void in_type_of(const torch::Tensor& x, const F& run) {
  if (x.scalar_type() == torch::kFloat32) {
    run(float{});
  } else {
    run(at::BFloat16{});
  }
}

}  // namespace

void gated_memory_forward_cuda(const torch::Tensor& packed, const torch::Tensor& held,
                               const torch::Tensor& shown) {
  in_type_of(packed, [&](auto number) {
    using Number = decltype(number);
    const Sizes n = sizes_of(packed);
    forward_kernel<Number><<<grid_for(n), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        packed.data_ptr<Number>(), held.data_ptr<Number>(), shown.data_ptr<Number>(), n);
  });
}

void gated_memory_backward_cuda(const torch::Tensor& packed, const torch::Tensor& held,
                                const torch::Tensor& upstream, const torch::Tensor& gradient) {
  in_type_of(packed, [&](auto number) {
    using Number = decltype(number);
    const Sizes n = sizes_of(packed);
    backward_kernel<Number><<<grid_for(n), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        packed.data_ptr<Number>(), held.data_ptr<Number>(), upstream.data_ptr<Number>(),
        gradient.data_ptr<Number>(), n);
  });
}

}  // namespace pcgs::train
