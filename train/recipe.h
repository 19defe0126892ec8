// What a controller is trained to do.
#pragma once

#include <torch/torch.h>

#include "controller_net.h"
#include "network/model.h"
#include "pool.h"

namespace pcgs::train {

struct Controls {
  torch::Tensor eta, rho;  // [B,T] double
  torch::Tensor q;         // [B,T,K] double
  torch::Tensor log_q;     // [B,T,K] float
  torch::Tensor restart;   // [B,T] float, raw
};

// The controls that the network chooses on the sequences of these indices.
Controls controls_on(const ControllerNet& net, const Pool& pool, const torch::Tensor& indices,
                     const ControlMaps& maps, bool narrow);

struct Recipe {
  double regret = 1;         // weight of the realised regret, through the recursion
  double oracle = 0;         // weight of the cross entropy to the oracle's path
  double switch_weight = 1;  // of the restart's part in it (lambda_sw)
  double caution = 0;        // what is lost beside the best candidate counts so much more
};

// The mean over the sequences of what is to be made small.
torch::Tensor training_loss(const Recipe& recipe, const Controls& controls, const Pool& pool,
                            const torch::Tensor& indices);

// What was paid on each sequence beside the best candidate: the difference in units or, where
// forecasts are combined, the logarithm of the ratio of squared errors. [B] double
torch::Tensor beyond_tuned(const torch::Tensor& paid, const Pool& pool,
                           const torch::Tensor& indices);

// What the controls pay on each sequence. [B] double
torch::Tensor paid(const Controls& controls, const Pool& pool, const torch::Tensor& indices);

}  // namespace pcgs::train
