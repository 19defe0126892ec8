#include "network/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::infer {
namespace {

using Shape = std::vector<std::size_t>;

std::string problem_with_tensor(const std::string& name, const Tensor& tensor, const Shape& shape) {
  if (tensor.shape != shape) {
    return fmt::format("tensor {} has the shape [{}] where its configuration asks for [{}]", name,
                       fmt::join(tensor.shape, ", "), fmt::join(shape, ", "));
  }
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  if (tensor.values.size() != size) {
    return fmt::format("tensor {} holds {} numbers where its shape asks for {}", name,
                       tensor.values.size(), size);
  }
  for (const float value : tensor.values) {
    if (!(std::abs(value) <= kLargestWeight)) {  // false for NaN
      return fmt::format("tensor {} holds {}; weights are finite and at most {} in size", name,
                         value, kLargestWeight);
    }
  }
  return {};
}

}  // namespace

std::string problem_with(const Config& config) {
  for (const auto& [name, value, least, most] : kConfigSizes) {
    const std::size_t size = config.*value;
    const bool missing =
        value == &Config::inducing && size == 0 && config.attention == AttentionKind::kInduced;
    if (size < least || size > most || missing) {
      return fmt::format("{} is {}; accepted is {} to {}", name, size, missing ? 1 : least, most);
    }
  }
  if (config.inputs() > kMostWidth) {
    return fmt::format("features, shared and side are {} together; accepted is up to {}",
                       config.inputs(), kMostWidth);
  }
  if (config.width % config.heads != 0) {
    return fmt::format("width is {} with {} heads; accepted is a width that the heads divide",
                       config.width, config.heads);
  }
  for (const auto& [name, value] : config.controls) {
    if (!std::isfinite(value)) return fmt::format("control {} is {}; give a number", name, value);
  }
  return {};
}

std::map<std::string, Shape> tensor_shapes(const Config& config) {
  std::map<std::string, Shape> shapes;
  const auto vector = [&](const std::string& name, std::size_t size) { shapes[name] = {size}; };
  const auto linear = [&](const std::string& name, std::size_t out, std::size_t in) {
    shapes[name + ".weight"] = {out, in};
    vector(name + ".bias", out);
  };
  const auto norm = [&](const std::string& name) {
    vector(name + ".weight", config.width);
    vector(name + ".bias", config.width);
  };
  linear("embed", config.width, config.inputs());
  for (std::size_t i = 0; i < config.layers; ++i) {
    const std::string layer = fmt::format("layers.{}.", i);
    if (config.memory > 0) {
      norm(layer + "norm0");
      for (const char* part : {"keep", "value", "gate"}) {
        linear(layer + "memory." + part, config.memory, config.width);
      }
      linear(layer + "memory.o", config.width, config.memory);
    }
    if (config.attention != AttentionKind::kNone) {
      norm(layer + "norm1");
      for (const char* part : {"q", "k", "v", "o"}) {
        linear(layer + "attention." + part, config.width, config.width);
      }
    }
    if (config.attention == AttentionKind::kInduced) {
      shapes[layer + "attention.inducing"] = {config.inducing, config.width};
      for (const char* part : {"k2", "v2"}) {
        linear(layer + "attention." + part, config.width, config.width);
      }
    }
    norm(layer + "norm2");
    linear(layer + "mlp.up", config.hidden, config.width);
    linear(layer + "mlp.down", config.width, config.hidden);
  }
  norm("norm");
  linear("head", 1, config.width);
  linear("pool.up", config.pool_hidden, 2 * config.width);
  linear("pool.down", 2, config.pool_hidden);
  return shapes;
}

std::string problem_with(const Model& model) {
  if (std::string problem = problem_with(model.config); !problem.empty()) return problem;
  const auto shapes = tensor_shapes(model.config);
  for (const auto& [name, tensor] : model.tensors) {
    if (!shapes.contains(name)) {
      return fmt::format("tensor {} is not one that its configuration asks for", excerpt(name));
    }
  }
  for (const auto& [name, shape] : shapes) {
    const auto found = model.tensors.find(name);
    if (found == model.tensors.end()) return fmt::format("tensor {} is missing", name);
    std::string problem = problem_with_tensor(name, found->second, shape);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace pcgs::infer

namespace pcgs {

namespace {

constexpr struct {
  const char* name;
  double ControlMaps::*field;
  double low, high;
} kConstants[] = {
    {"rho_max", &ControlMaps::rho_max, 0, 0.999},
    {"uniform", &ControlMaps::uniform, 1e-9, 1},
    {"least_rate", &ControlMaps::least_rate, 1e-9, 1e3},
    {"constant_eta", &ControlMaps::constant_eta, 0, 1e4},
    {"constant_rho", &ControlMaps::constant_rho, 0, 0.999},
};

}  // namespace

ControlMaps control_maps_of(const infer::Model& model, const std::string& origin) {
  ControlMaps maps;
  for (const auto& [name, field, low, high] : kConstants) {
    const auto at = model.config.controls.find(name);
    const bool missing = at == model.config.controls.end();
    if (missing || !(at->second >= low && at->second <= high)) {
      throw Error(ErrorKind::kMissing, {.file = origin, .field = name},
                  fmt::format("no usable constant {}; give a number in [{}, {}]", name, low, high));
    }
    maps.*field = at->second;
  }
  return maps;
}

std::map<std::string, double> constants_of(const ControlMaps& maps) {
  std::map<std::string, double> constants;
  for (const auto& constant : kConstants) constants[constant.name] = maps.*constant.field;
  return constants;
}

}  // namespace pcgs
