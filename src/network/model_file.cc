#include "network/model_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "data/crc32.h"
#include "data/fnv1a.h"
#include "data/json_depth.h"
#include "data/text.h"
#include "data/whole_file.h"
#include "network/safetensors.h"
#include "pcgs/error.h"

namespace pcgs::infer {
namespace {

using nlohmann::json;

constexpr std::string_view kFormat = "pcgs-controller";
constexpr std::string_view kVersion = "3";
constexpr std::string_view kFormerVersion = "2";  // its checksum is of the data alone
constexpr std::size_t kLargestFile = std::size_t{256} << 20;
constexpr AttentionKind kKinds[] = {AttentionKind::kNone, AttentionKind::kFull,
                                    AttentionKind::kInduced};

constexpr struct {
  const char* name;
  std::size_t Config::*field;
} kSizes[] = {
    {"features", &Config::features},
    {"shared", &Config::shared},
    {"side", &Config::side},
    {"width", &Config::width},
    {"layers", &Config::layers},
    {"heads", &Config::heads},
    {"hidden", &Config::hidden},
    {"inducing", &Config::inducing},
    {"pool_hidden", &Config::pool_hidden},
};

[[noreturn]] void fail(const std::string& origin, std::string_view why) {
  throw Error(
      fmt::format("{}: cannot use this model: {}; give a file written by pcgs-train", origin, why));
}

std::string json_of(const Config& config) {
  json object;
  for (const auto& [name, field] : kSizes) object[name] = config.*field;
  object["attention"] = name_of(config.attention);
  object["controls"] = config.controls;
  if (config.memory > 0) object["memory"] = config.memory;  // absent in models without
  return object.dump();
}

AttentionKind kind_named(const json& name, const std::string& origin) {
  for (const AttentionKind kind : kKinds) {
    if (name == name_of(kind)) return kind;
  }
  fail(origin, "its attention is none of none, full and induced");
}

std::map<std::string, double> controls_in(const json& object, const std::string& origin) {
  std::map<std::string, double> controls;
  bool good = object.is_object();
  if (good) {
    for (const auto& [name, value] : object.items()) {
      good = good && value.is_number();
      if (good) controls[name] = value.get<double>();
    }
  }
  if (!good) fail(origin, "its controls are not an object of numbers");
  return controls;
}

// An unknown key is refused: it may change what the network computes.
Config config_in(const std::string& text, const std::string& origin) {
  if (is_deep_json(text)) fail(origin, "its configuration is nested deep");
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) fail(origin, "its configuration is not a JSON object");
  const auto take = [&](const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) fail(origin, fmt::format("its configuration has no {}", key));
    json value = std::move(*found);
    object.erase(found);
    return value;
  };
  Config config;
  const auto take_size = [&](const char* name) {
    const json value = take(name);
    if (!value.is_number_unsigned()) {
      fail(origin, fmt::format("its configuration's {} is not a whole number", name));
    }
    return value.get<std::size_t>();
  };
  for (const auto& [name, field] : kSizes) config.*field = take_size(name);
  if (object.contains("memory")) config.memory = take_size("memory");
  config.attention = kind_named(take("attention"), origin);
  config.controls = controls_in(take("controls"), origin);
  if (!object.empty()) {
    fail(origin, fmt::format("its configuration has the unknown key \"{}\"",
                             excerpt(object.items().begin().key())));
  }
  return config;
}

std::string hexadecimal(std::uint32_t checksum) { return fmt::format("{:08x}", checksum); }

// See model_file.h.
std::string checksum_of(const Safetensors& content) {
  Crc32 crc;
  const auto add_size = [&](std::uint64_t size) {
    crc.add(std::span<const std::uint64_t>(&size, 1));
  };
  const auto add_text = [&](std::string_view text) {
    add_size(text.size());
    crc.add(std::span<const char>(text));
  };
  add_size(content.metadata.size() - content.metadata.count("checksum"));
  for (const auto& [key, text] : content.metadata) {
    if (key == "checksum") continue;
    add_text(key);
    add_text(text);
  }
  for (const auto& [name, tensor] : content.tensors) {
    add_text(name);
    add_size(tensor.shape.size());
    for (const std::size_t n : tensor.shape) add_size(n);
    crc.add(std::span<const float>(tensor.values));
  }
  return hexadecimal(crc.value());
}

// Without the checksum.
Safetensors content_of(const Model& model, std::string_view version) {
  if (const std::string problem = problem_with(model); !problem.empty()) {
    throw Error("this model cannot be written: " + problem);
  }
  Safetensors content;
  content.metadata = model.metadata;
  content.metadata["format"] = kFormat;
  content.metadata["format_version"] = version;
  content.metadata["config"] = json_of(model.config);
  content.metadata["token_schema"] = model.token_schema;
  content.tensors = model.tensors;
  return content;
}

}  // namespace

Model read_model(std::span<const std::uint8_t> bytes, const std::string& origin) {
  Safetensors content = read_safetensors(bytes, origin);
  const std::string checksum = checksum_of(content);
  const auto take = [&](const char* key) {
    auto node = content.metadata.extract(key);
    if (node.empty()) fail(origin, fmt::format("its metadata has no {}", key));
    return std::move(node.mapped());
  };
  const std::string format = take("format");
  if (format != kFormat) {
    fail(origin, fmt::format("its format is \"{}\" and not \"{}\"", excerpt(format), kFormat));
  }
  const std::string version = take("format_version");
  if (version != kVersion && version != kFormerVersion) {
    fail(origin,
         fmt::format("it has format version \"{}\", and this program reads versions {} and {}",
                     excerpt(version), kFormerVersion, kVersion));
  }
  if (take("checksum") != (version == kVersion ? checksum : hexadecimal(content.data_crc32))) {
    fail(origin, "its checksum is another; it was changed or damaged");
  }
  Model model;
  model.config = config_in(take("config"), origin);
  model.token_schema = take("token_schema");
  model.tensors = std::move(content.tensors);
  model.metadata = std::move(content.metadata);
  if (const std::string problem = problem_with(model); !problem.empty()) fail(origin, problem);
  return model;
}

Model read_model_file(const std::string& path) {
  return read_model(read_whole_file(path, kLargestFile), path);
}

void require_token_schema(const Model& model, const std::string& expected,
                          const std::string& origin) {
  if (model.token_schema == expected) return;
  fail(origin,
       fmt::format("it was trained on the token schema \"{}\" and this program makes \"{}\"",
                   excerpt(model.token_schema), expected));
}

std::vector<std::uint8_t> model_bytes(const Model& model) {
  Safetensors content = content_of(model, kVersion);
  content.metadata["checksum"] = checksum_of(content);
  return safetensors_bytes(content);
}

std::uint64_t model_fingerprint(const Model& model) {
  Safetensors content = content_of(model, kFormerVersion);
  content.metadata["checksum"] = hexadecimal(safetensors_crc32(model.tensors));
  return fnv1a<std::uint64_t>(safetensors_bytes(content));
}

void write_model_file(const Model& model, const std::string& path) {
  WholeFile file(path);
  const std::vector<std::uint8_t> bytes = model_bytes(model);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

}  // namespace pcgs::infer
