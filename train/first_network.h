// The network that a training begins with: a fresh one, or that of a model.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <memory>
#include <string>

#include "controller_net.h"
#include "options.h"

namespace pcgs::train {

// The tokens that networks of this recipe read.
std::string schema_of(const Options& options);

// With --init, the model's maps take the place of those in the options, but for a constant eta that
// was asked for. Throws Error for a model that cannot be gone on from with these options.
std::unique_ptr<ControllerNet> first_network(Options& options, std::size_t side_features,
                                             torch::Device device);

}  // namespace pcgs::train
