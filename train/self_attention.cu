// The passes of self_attention.h on a GPU: a block for each head of each set of tokens, which it keeps
// in shared memory; a thread for each query, and on the way back for each key.
#include <ATen/cuda/CUDAContext.h>

#include "self_attention.h"

namespace pcgs::train {

namespace {

constexpr int kMostThreads = 128;
constexpr std::int64_t kSharedBytes = 48 * 1024;

// kDim numbers of one row, sixteen bytes at a time.
template <int kDim, class Number>
__device__ void read_row(const Number* row, float* out) {
  constexpr int kAtOnce = 16 / sizeof(Number);
#pragma unroll
  for (int i = 0; i < kDim; i += kAtOnce) {
    const uint4 bits = *reinterpret_cast<const uint4*>(row + i);
    const auto* numbers = reinterpret_cast<const Number*>(&bits);
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) out[i + j] = static_cast<float>(numbers[j]);
  }
}

template <int kDim, class Number>
__device__ void write_row(const float* in, Number* row) {
  constexpr int kAtOnce = 16 / sizeof(Number);
#pragma unroll
  for (int i = 0; i < kDim; i += kAtOnce) {
    uint4 bits;
    auto* numbers = reinterpret_cast<Number*>(&bits);
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) numbers[j] = static_cast<Number>(in[i + j]);
    *reinterpret_cast<uint4*>(row + i) = bits;
  }
}

template <int kDim>
__device__ void copy_row(const float* row, float* out) {
#pragma unroll
  for (int i = 0; i < kDim; ++i) out[i] = row[i];
}

template <int kDim>
__device__ float dot(const float* a, const float* b) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kDim; ++i) sum += a[i] * b[i];
  return sum;
}

struct Shape {
  int tokens, width;
  float scale;
};

template <int kDim, class Number>
__global__ void forward_kernel(const Number* __restrict__ qkv, Number* __restrict__ out,
                               float* __restrict__ level, Shape s) {
  extern __shared__ float shared[];
  float *keys = shared, *values = shared + s.tokens * kDim;
  const std::int64_t n = blockIdx.x;
  const int head = blockIdx.y;
  const Number* rows = qkv + n * s.tokens * 3 * s.width + head * kDim;
  for (int j = threadIdx.x; j < s.tokens; j += blockDim.x) {
    read_row<kDim>(rows + j * 3 * s.width + s.width, keys + j * kDim);
    read_row<kDim>(rows + j * 3 * s.width + 2 * s.width, values + j * kDim);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < s.tokens; i += blockDim.x) {
    float q[kDim], mixed[kDim] = {};
    read_row<kDim>(rows + i * 3 * s.width, q);
#pragma unroll
    for (int c = 0; c < kDim; ++c) q[c] *= s.scale;
    float most = -1e30f, sum = 0;
    for (int j = 0; j < s.tokens; ++j) {
      const float score = dot<kDim>(q, keys + j * kDim);
      const float now_most = fmaxf(most, score);
      const float fade = __expf(most - now_most), p = __expf(score - now_most);
      most = now_most;
      sum = sum * fade + p;
#pragma unroll
      for (int c = 0; c < kDim; ++c) mixed[c] = mixed[c] * fade + p * values[j * kDim + c];
    }
#pragma unroll
    for (int c = 0; c < kDim; ++c) mixed[c] /= sum;
    write_row<kDim>(mixed, out + (n * s.tokens + i) * s.width + head * kDim);
    level[(n * gridDim.y + head) * s.tokens + i] = most + __logf(sum);
  }
}

template <int kDim, class Number>
__global__ void backward_kernel(const Number* __restrict__ qkv, const Number* __restrict__ out,
                                const float* __restrict__ level,
                                const Number* __restrict__ upstream, Number* __restrict__ gradient,
                                Shape s) {
  extern __shared__ float shared[];
  const int of_rows = s.tokens * kDim;
  float *queries = shared, *keys = queries + of_rows, *values = keys + of_rows,
        *asked = values + of_rows, *levels = asked + of_rows, *owed = levels + s.tokens;
  const std::int64_t n = blockIdx.x;
  const int head = blockIdx.y;
  const std::int64_t first = n * s.tokens * 3 * s.width + head * kDim;
  for (int j = threadIdx.x; j < s.tokens; j += blockDim.x) {
    const Number* row = qkv + first + j * 3 * s.width;
    read_row<kDim>(row, queries + j * kDim);
    for (int c = 0; c < kDim; ++c) queries[j * kDim + c] *= s.scale;
    read_row<kDim>(row + s.width, keys + j * kDim);
    read_row<kDim>(row + 2 * s.width, values + j * kDim);
    const std::int64_t at = (n * s.tokens + j) * s.width + head * kDim;
    float answer[kDim];
    read_row<kDim>(out + at, answer);
    read_row<kDim>(upstream + at, asked + j * kDim);
    owed[j] = dot<kDim>(answer, asked + j * kDim);
    levels[j] = level[(n * gridDim.y + head) * s.tokens + j];
  }
  __syncthreads();
  float own[kDim], other[kDim];
  for (int i = threadIdx.x; i < s.tokens; i += blockDim.x) {  // queries
    float dq[kDim] = {};
    copy_row<kDim>(queries + i * kDim, own);
    copy_row<kDim>(asked + i * kDim, other);
    for (int j = 0; j < s.tokens; ++j) {
      const float p = __expf(dot<kDim>(own, keys + j * kDim) - levels[i]);
      const float ds = p * (dot<kDim>(other, values + j * kDim) - owed[i]);
#pragma unroll
      for (int c = 0; c < kDim; ++c) dq[c] += ds * keys[j * kDim + c];
    }
#pragma unroll
    for (int c = 0; c < kDim; ++c) dq[c] *= s.scale;
    write_row<kDim>(dq, gradient + first + i * 3 * s.width);
  }
  for (int j = threadIdx.x; j < s.tokens; j += blockDim.x) {  // keys
    float dk[kDim] = {}, dv[kDim] = {};
    copy_row<kDim>(keys + j * kDim, own);
    copy_row<kDim>(values + j * kDim, other);
    for (int i = 0; i < s.tokens; ++i) {
      const float p = __expf(dot<kDim>(own, queries + i * kDim) - levels[i]);
      const float ds = p * (dot<kDim>(other, asked + i * kDim) - owed[i]);
#pragma unroll
      for (int c = 0; c < kDim; ++c) {
        dk[c] += ds * queries[i * kDim + c];
        dv[c] += p * asked[i * kDim + c];
      }
    }
    write_row<kDim>(dk, gradient + first + j * 3 * s.width + s.width);
    write_row<kDim>(dv, gradient + first + j * 3 * s.width + 2 * s.width);
  }
}

std::int64_t bytes_needed(std::int64_t tokens, std::int64_t dim) {
  return (4 * tokens * dim + 2 * tokens) * std::int64_t{sizeof(float)};
}

// Calls run(numbers of a head, a number of the tensor's type), both as types.
template <class F>
void for_head_and_type(const torch::Tensor& qkv, std::int64_t heads, const F& run) {
  const auto for_type = [&](auto dim) {
    if (qkv.scalar_type() == torch::kFloat32) {
      run(dim, float{});
    } else {
      run(dim, at::BFloat16{});
    }
  };
  const std::int64_t dim = qkv.size(2) / 3 / heads;
  if (dim == 8) return for_type(std::integral_constant<int, 8>{});
  if (dim == 16) return for_type(std::integral_constant<int, 16>{});
  for_type(std::integral_constant<int, 32>{});
}

Shape shape_of(const torch::Tensor& qkv, std::int64_t heads) {
  const std::int64_t width = qkv.size(2) / 3;
  return {static_cast<int>(qkv.size(1)), static_cast<int>(width),
          1 / std::sqrt(static_cast<float>(width / heads))};
}

dim3 grid_for(const torch::Tensor& qkv, std::int64_t heads) {
  return {static_cast<unsigned>(qkv.size(0)), static_cast<unsigned>(heads), 1};
}

int threads_for(const torch::Tensor& qkv) {
  return static_cast<int>(std::min<std::int64_t>(kMostThreads, (qkv.size(1) + 31) / 32 * 32));
}

}  // namespace

bool has_self_attention_cuda(const torch::Tensor& qkv, std::int64_t heads) {
  const std::int64_t dim = qkv.size(2) / 3 / heads;
  return qkv.is_cuda() && (dim == 8 || dim == 16 || dim == 32) &&
         bytes_needed(qkv.size(1), dim) <= kSharedBytes;
}

void self_attention_forward_cuda(const torch::Tensor& qkv, std::int64_t heads,
                                 const torch::Tensor& out, const torch::Tensor& level) {
  for_head_and_type(qkv, heads, [&](auto dim, auto number) {
    using Number = decltype(number);
    forward_kernel<decltype(dim)::value, Number>
        <<<grid_for(qkv, heads), threads_for(qkv),
           static_cast<std::size_t>(bytes_needed(qkv.size(1), dim)),
           at::cuda::getCurrentCUDAStream()>>>(qkv.data_ptr<Number>(), out.data_ptr<Number>(),
                                               level.data_ptr<float>(), shape_of(qkv, heads));
  });
}

void self_attention_backward_cuda(const torch::Tensor& qkv, std::int64_t heads,
                                  const torch::Tensor& out, const torch::Tensor& level,
                                  const torch::Tensor& upstream, const torch::Tensor& gradient) {
  for_head_and_type(qkv, heads, [&](auto dim, auto number) {
    using Number = decltype(number);
    backward_kernel<decltype(dim)::value, Number>
        <<<grid_for(qkv, heads), threads_for(qkv),
           static_cast<std::size_t>(bytes_needed(qkv.size(1), dim)),
           at::cuda::getCurrentCUDAStream()>>>(qkv.data_ptr<Number>(), out.data_ptr<Number>(),
                                               level.data_ptr<float>(), upstream.data_ptr<Number>(),
                                               gradient.data_ptr<Number>(), shape_of(qkv, heads));
  });
}

}  // namespace pcgs::train
