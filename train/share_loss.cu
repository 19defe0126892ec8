// The passes of share_loss.h on a GPU: one block for each sequence, a thread for each expert (or for
// every blockDim-th), the rounds in a loop.
#include <ATen/cuda/CUDAContext.h>

#include "share_loss.h"

namespace pcgs::train {

namespace {

constexpr int kWarp = 32;
constexpr int kMostThreads = 1024;

struct Sum {
  static __device__ double of(double a, double b) { return a + b; }
  static __device__ double none() { return 0; }
};
struct Min {
  static __device__ double of(double a, double b) { return a < b ? a : b; }
  static __device__ double none() { return 1e300; }
};

// The same value for every thread of the block.
template <class Op>
__device__ double over_block(double x, double* shared) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    x = Op::of(x, __shfl_xor_sync(0xffffffffu, x, step));
  }
  const int warps = blockDim.x / kWarp;
  if (warps == 1) return x;
  __syncthreads();  // whoever still reads the last result
  if (threadIdx.x % kWarp == 0) shared[threadIdx.x / kWarp] = x;
  __syncthreads();
  x = threadIdx.x % kWarp < warps ? shared[threadIdx.x % kWarp] : Op::none();
  for (int step = kWarp / 2; step > 0; step /= 2) {
    x = Op::of(x, __shfl_xor_sync(0xffffffffu, x, step));
  }
  return x;
}

__global__ void forward_kernel(ShareProblem p, double* weights, double* total) {
  __shared__ double shared[kWarp];
  const std::int64_t b = blockIdx.x;
  const int k = threadIdx.x;
  const bool real = k < p.experts;
  double w = real ? 1.0 / p.experts : 0;
  double paid = 0;
  for (std::int64_t t = 0; t < p.rounds; ++t) {
    const std::int64_t at = b * p.rounds + t;
    const double l = real ? p.losses[at * p.experts + k] : 0;
    if (real) weights[at * p.experts + k] = w;
    if (p.errors != nullptr) {
      const double e = over_block<Sum>(real ? w * p.errors[at * p.experts + k] : 0, shared);
      if (k == 0) paid += e * e;
    } else {
      paid += w * l;
    }
    if (t + 1 == p.rounds) break;
    const double least = over_block<Min>(real ? l : 1e300, shared);
    const double raw = real ? w * exp(-p.eta[at] * (l - least)) : 0;
    const double z = over_block<Sum>(raw, shared);
    if (real) w = (1 - p.rho[at]) * raw / z + p.rho[at] * p.q[at * p.experts + k];
  }
  paid = over_block<Sum>(paid, shared);
  if (k == 0) total[b] = paid;
}

__global__ void backward_kernel(ShareProblem p, const double* weights, const double* upstream,
                                ShareGradients out) {
  __shared__ double shared[kWarp];
  const std::int64_t b = blockIdx.x;
  const int k = threadIdx.x;
  const bool real = k < p.experts;
  const double c = upstream[b];
  double g = 0;
  for (std::int64_t t = p.rounds - 1; t >= 0; --t) {
    const std::int64_t at = b * p.rounds + t;
    const std::int64_t mine = at * p.experts + k;
    const double l = real ? p.losses[mine] : 0;
    const double w = real ? weights[mine] : 1;
    const double q = real ? p.q[mine] : 0;
    const double rho = p.rho[at];
    const double least = over_block<Min>(real ? l : 1e300, shared);
    const double tilt = real ? exp(-p.eta[at] * (l - least)) : 0;
    const double z = over_block<Sum>(w * tilt, shared);
    const double v = w * tilt / z;
    const double drho = over_block<Sum>(g * (q - v), shared);
    const double a = (1 - rho) * over_block<Sum>(g * v, shared);
    const double m = over_block<Sum>(v * l, shared);
    const double beyond = (1 - rho) * g - a;
    const double deta = -over_block<Sum>(beyond * v * (l - m), shared);
    if (real) out.q[mine] = rho * g;
    if (k == 0) {
      out.rho[at] = drho;
      out.eta[at] = deta;
    }
    double slope = l;  // of what is paid
    if (p.errors != nullptr) {
      const double e = real ? p.errors[mine] : 0;
      slope = 2 * over_block<Sum>(real ? w * e : 0, shared) * e;
    }
    g = real ? beyond * tilt / z + c * slope : 0;
  }
}

int threads_for(std::int64_t experts) {
  TORCH_CHECK(experts <= kMostThreads, "training on a GPU takes at most 1024 experts");
  return static_cast<int>((experts + kWarp - 1) / kWarp * kWarp);
}

}  // namespace

void share_forward_cuda(const ShareProblem& problem, double* weights, double* total) {
  forward_kernel<<<problem.batch, threads_for(problem.experts), 0,
                   at::cuda::getCurrentCUDAStream()>>>(problem, weights, total);
}

void share_backward_cuda(const ShareProblem& problem, const double* weights, const double* upstream,
                         const ShareGradients& gradients) {
  backward_kernel<<<problem.batch, threads_for(problem.experts), 0,
                    at::cuda::getCurrentCUDAStream()>>>(problem, weights, upstream, gradients);
}

}  // namespace pcgs::train
