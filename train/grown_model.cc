#include "grown_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "controller_net.h"
#include "pcgs/error.h"

namespace pcgs::train {

namespace {

infer::Config grown_config(const infer::Config& before, const Growth& growth) {
  using infer::AttentionKind;
  infer::Config config = before;
  if (growth.attention && *growth.attention != before.attention) {
    if (before.attention != AttentionKind::kNone) {
      throw Error(
          fmt::format("the model to start from has {} attention, which stays; leave "
                      "--attention out",
                      name_of(before.attention)));
    }
    config.attention = *growth.attention;
    config.inducing = config.attention == AttentionKind::kInduced ? growth.inducing : 0;
  }
  if (growth.inducing_given && config.inducing != growth.inducing) {
    throw Error(config.attention == AttentionKind::kInduced
                    ? fmt::format("the model to start from has {} inducing queries, which stay; "
                                  "leave --inducing out",
                                  config.inducing)
                    : fmt::format("--inducing is for induced attention, and the model has {}",
                                  config.attention == AttentionKind::kNone
                                      ? "none"
                                      : name_of(config.attention)));
  }
  if (growth.memory && *growth.memory != before.memory) {
    if (before.memory > *growth.memory) {
      throw Error(
          fmt::format("the model to start from remembers {} channels, which stay; leave "
                      "--memory out, or give more",
                      before.memory));
    }
    config.memory = *growth.memory;
  }
  if (const auto problem = infer::problem_with(config); !problem.empty()) throw Error(problem);
  return config;
}

// The first rows and columns of a larger tensor become those of a smaller one.
void place(const infer::Tensor& small, infer::Tensor& large) {
  const std::size_t from = small.shape.back(), to = large.shape.back();
  for (std::size_t i = 0; i < small.values.size(); ++i) {
    large.values[i / from * to + i % from] = small.values[i];
  }
}

}  // namespace

infer::Model grown(const infer::Model& model, const Growth& growth, std::uint64_t seed) {
  const infer::Config config = grown_config(model.config, growth);
  infer::Model out =
      ControllerNet(config, seed, torch::kCPU).model(model.token_schema, model.metadata);
  for (auto& [name, tensor] : out.tensors) {
    const auto found = model.tensors.find(name);
    const bool had = found != model.tensors.end();
    const bool goes_out =
        name.ends_with(".attention.o.weight") || name.ends_with(".memory.o.weight");
    if (goes_out && (!had || found->second.shape != tensor.shape)) {
      std::ranges::fill(tensor.values, 0.0f);  // its bias is 0 as drawn
    }
    if (had) place(found->second, tensor);
  }
  return out;
}

}  // namespace pcgs::train
