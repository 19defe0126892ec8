// Training sequences for a controller that combines: tokens of errors, the losses that the
// recursion learns from, and what good combinations without a network pay.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>

#include "pcgs/matrix.h"
#include "pool.h"

namespace pcgs::train {

using MakeErrors = std::function<Matrix(std::size_t index)>;  // [T,K] forecasts less outcomes

// Calls make(0), ..., make(count - 1) from several threads; all must have the same shape. Errors
// are stored in units of the best candidate's, so that `tuned` is the number of rounds.
Pool make_error_pool(
    std::size_t count, const MakeErrors& make, std::size_t threads, torch::Device device,
    const std::function<void()>& finished_one = [] {});

}  // namespace pcgs::train
