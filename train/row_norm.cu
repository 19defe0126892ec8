// The passes of row_norm.h: a warp for each row, which it keeps in registers.
#include <ATen/cuda/CUDAContext.h>

#include "row_norm.h"

namespace pcgs::train {

namespace {

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 8;
constexpr float kEpsilon = 1e-5f;

__device__ float over_warp(float x) {
  for (int step = kWarp / 2; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

// A row in the registers of a warp: kPer numbers in each lane, 0 beyond the width.
template <int kPer, class Number>
__device__ void read_row(const Number* row, int width, float (&x)[kPer]) {
#pragma unroll
  for (int i = 0; i < kPer; ++i) {
    const int at = threadIdx.x + i * kWarp;
    x[i] = at < width ? static_cast<float>(row[at]) : 0.0f;
  }
}

// x becomes (x - mean) / deviation; returns 1 / deviation.
template <int kPer>
__device__ float standardise(int width, float (&x)[kPer]) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kPer; ++i) sum += x[i];
  const float mean = over_warp(sum) / width;
  float squares = 0;
#pragma unroll
  for (int i = 0; i < kPer; ++i) {
    x[i] = threadIdx.x + i * kWarp < width ? x[i] - mean : 0.0f;
    squares += x[i] * x[i];
  }
  const float factor = rsqrtf(over_warp(squares) / width + kEpsilon);
#pragma unroll
  for (int i = 0; i < kPer; ++i) x[i] *= factor;
  return factor;
}

template <int kPer, class Number>
__global__ void forward_kernel(const Number* __restrict__ x, const float* __restrict__ weight,
                               const float* __restrict__ bias, Number* __restrict__ out,
                               std::int64_t rows, int width) {
  float w[kPer], b[kPer], row[kPer];
  read_row(weight, width, w);
  read_row(bias, width, b);
  for (std::int64_t r = blockIdx.x * kWarpsPerBlock + threadIdx.y; r < rows;
       r += std::int64_t{gridDim.x} * kWarpsPerBlock) {
    read_row(x + r * width, width, row);
    standardise(width, row);
#pragma unroll
    for (int i = 0; i < kPer; ++i) {
      const int at = threadIdx.x + i * kWarp;
      if (at < width) out[r * width + at] = static_cast<Number>(row[i] * w[i] + b[i]);
    }
  }
}

template <int kPer, class Number>
__global__ void backward_kernel(const Number* __restrict__ x, const float* __restrict__ weight,
                                const Number* __restrict__ upstream, Number* __restrict__ dx,
                                float* __restrict__ owed, std::int64_t rows, int width) {
  float w[kPer], row[kPer], g[kPer], dweight[kPer] = {}, dbias[kPer] = {};
  read_row(weight, width, w);
  const std::int64_t warps = std::int64_t{gridDim.x} * kWarpsPerBlock;
  const std::int64_t warp = blockIdx.x * kWarpsPerBlock + threadIdx.y;
  for (std::int64_t r = warp; r < rows; r += warps) {
    read_row(x + r * width, width, row);
    read_row(upstream + r * width, width, g);
    const float factor = standardise(width, row);
    float sum = 0, along = 0;
#pragma unroll
    for (int i = 0; i < kPer; ++i) {
      dweight[i] += g[i] * row[i];
      dbias[i] += g[i];
      g[i] *= w[i];
      sum += g[i];
      along += g[i] * row[i];
    }
    const float mean = over_warp(sum) / width, mean_along = over_warp(along) / width;
#pragma unroll
    for (int i = 0; i < kPer; ++i) {
      const int at = threadIdx.x + i * kWarp;
      if (at < width) {
        dx[r * width + at] = static_cast<Number>(factor * (g[i] - mean - row[i] * mean_along));
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kPer; ++i) {
    const int at = threadIdx.x + i * kWarp;
    if (at >= width) continue;
    owed[warp * width + at] = dweight[i];
    owed[(warps + warp) * width + at] = dbias[i];
  }
}

int blocks_for(std::int64_t rows) {
  const std::int64_t most = 8 * at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  return static_cast<int>(
      std::min<std::int64_t>(most, (rows + kWarpsPerBlock - 1) / kWarpsPerBlock));
}

// Calls run(numbers of a lane, a number of the tensor's type), both as types.
template <class F>
void for_row_and_type(const torch::Tensor& x, const F& run) {
  const auto for_type = [&](auto per) {
    if (x.scalar_type() == torch::kFloat32) {
      run(per, float{});
    } else {
      run(per, at::BFloat16{});
    }
  };
  const std::int64_t width = x.size(-1);
  if (width <= 1 * kWarp) return for_type(std::integral_constant<int, 1>{});
  if (width <= 2 * kWarp) return for_type(std::integral_constant<int, 2>{});
  if (width <= 4 * kWarp) return for_type(std::integral_constant<int, 4>{});
  if (width <= 8 * kWarp) return for_type(std::integral_constant<int, 8>{});
  for_type(std::integral_constant<int, kLongestRow / kWarp>{});
}

}  // namespace

void row_norm_forward_cuda(const torch::Tensor& x, const torch::Tensor& weight,
                           const torch::Tensor& bias, const torch::Tensor& out) {
  const std::int64_t rows = x.numel() / x.size(-1);
  for_row_and_type(x, [&](auto per, auto number) {
    using Number = decltype(number);
    forward_kernel<decltype(per)::value, Number>
        <<<blocks_for(rows), dim3(kWarp, kWarpsPerBlock), 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<Number>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
            out.data_ptr<Number>(), rows, static_cast<int>(x.size(-1)));
  });
}

torch::Tensor row_norm_backward_cuda(const torch::Tensor& x, const torch::Tensor& weight,
                                     const torch::Tensor& upstream, const torch::Tensor& dx) {
  const std::int64_t rows = x.numel() / x.size(-1);
  const int blocks = blocks_for(rows);
  const auto owed =
      torch::empty({2, blocks * kWarpsPerBlock, x.size(-1)}, x.options().dtype(torch::kFloat32));
  for_row_and_type(x, [&](auto per, auto number) {
    using Number = decltype(number);
    backward_kernel<decltype(per)::value, Number>
        <<<blocks, dim3(kWarp, kWarpsPerBlock), 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<Number>(), weight.data_ptr<float>(), upstream.data_ptr<Number>(),
            dx.data_ptr<Number>(), owed.data_ptr<float>(), rows, static_cast<int>(x.size(-1)));
  });
  return owed;
}

}  // namespace pcgs::train
