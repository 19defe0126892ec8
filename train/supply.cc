#include "supply.h"

#ifdef PCGS_CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace pcgs::train {

namespace {

// On a stream of its own, so that steps do not wait for what is copied to the GPU.
TrainingPools made_aside(const std::function<TrainingPools(std::int64_t)>& make, std::int64_t set) {
#ifdef PCGS_CUDA
  if (torch::cuda::is_available()) {
    const auto stream = c10::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard here(stream);
    TrainingPools pools = make(set);
    stream.synchronize();
    return pools;
  }
#endif
  return make(set);
}

}  // namespace

Supply::Supply(TrainingPools first, std::function<TrainingPools(std::int64_t set)> make,
               std::int64_t steps)
    : make_(std::move(make)), steps_(steps), pools_(std::move(first)) {
  next_ = std::async(std::launch::async, made_aside, make_, 1);
}

const TrainingPools& Supply::at(std::int64_t step) {
  const std::int64_t wanted = steps_ > 0 ? step / steps_ : set_;
  if (wanted == set_) return pools_;
  const bool is_next = next_.valid() && wanted == set_ + 1;
  TrainingPools pools = is_next ? next_.get() : make_(wanted);
  // Steps that still read the old ones must be over before their memory is used again.
  if (torch::cuda::is_available()) torch::cuda::synchronize();
  pools_ = std::move(pools);
  set_ = wanted;
  next_ = std::async(std::launch::async, made_aside, make_, set_ + 1);
  return pools_;
}

}  // namespace pcgs::train
