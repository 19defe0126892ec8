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
    if (before.memory > 0) {
      throw Error(
          fmt::format("the model to start from remembers {} channels, which stay; leave "
                      "--memory out",
                      before.memory));
    }
    config.memory = *growth.memory;
  }
  if (const auto problem = infer::problem_with(config); !problem.empty()) throw Error(problem);
  return config;
}

}  // namespace

infer::Model grown(const infer::Model& model, const Growth& growth, std::uint64_t seed) {
  const infer::Config config = grown_config(model.config, growth);
  infer::Model out =
      ControllerNet(config, seed, torch::kCPU).model(model.token_schema, model.metadata);
  for (auto& [name, tensor] : out.tensors) {
    if (const auto found = model.tensors.find(name); found != model.tensors.end()) {
      tensor = found->second;
    } else if (name.ends_with(".attention.o.weight") || name.ends_with(".memory.o.weight")) {
      std::ranges::fill(tensor.values, 0.0f);  // its bias is 0 as drawn
    }
  }
  return out;
}

}  // namespace pcgs::train
