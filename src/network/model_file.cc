#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "data/checksums.h"
#include "data/invariant.h"
#include "data/json.h"
#include "data/text.h"
#include "data/whole_file.h"
#include "network/model.h"
#include "pcgs/error.h"

// The assembler copies the file; a C++ array of half a million numbers would take the compiler
// seconds. PCGS_MODELS is the folder, given by CMake, which also knows what this file depends on.
#define PCGS_INCLUDE_MODEL(NAME)                                                           \
  asm(".section .rodata\n"                                                                 \
      ".balign 64\n"                                                                       \
      "pcgs_model_" #NAME                                                                  \
      ":\n"                                                                                \
      ".incbin \"" PCGS_MODELS "/" #NAME                                                   \
      ".safetensors\"\n"                                                                   \
      "pcgs_model_" #NAME                                                                  \
      "_end:\n"                                                                            \
      ".previous\n");                                                                      \
  extern "C" const std::uint8_t pcgs_model_##NAME[] __attribute__((visibility("hidden"))); \
  extern "C" const std::uint8_t pcgs_model_##NAME##_end[] __attribute__((visibility("hidden")))

PCGS_INCLUDE_MODEL(regret);
PCGS_INCLUDE_MODEL(oracle);
PCGS_INCLUDE_MODEL(combine);

namespace pcgs::infer {

static_assert(std::endian::native == std::endian::little,
              "the data is little-endian and is copied as memory holds it");

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kSizeField = sizeof(std::uint64_t);
constexpr std::size_t kAlignment = 8;
constexpr char kMetadata[] = "__metadata__";

constexpr std::string_view kWanted = "a file written by pcgs-train";

[[noreturn]] void fail(const std::string& origin, std::string_view why) {
  throw Error(ErrorKind::kFormat, {.file = origin},
              fmt::format("cannot use this model: {}; give {}", why, kWanted));
}

// The container: its texts and its tensors.
struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

// Where a tensor lies in the data; begin <= end <= size of the data.
struct Entry {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t begin, end;
};

// A list of so many numbers, none negative.
std::vector<std::size_t> sizes_in(const json& entry, const char* key, std::size_t least,
                                  std::size_t most, const std::string& where,
                                  const std::string& origin) {
  const auto found = entry.find(key);
  const bool good = found != entry.end() && found->is_array() && found->size() >= least &&
                    found->size() <= most &&
                    std::all_of(found->begin(), found->end(),
                                [](const json& n) { return n.is_number_unsigned(); });
  if (!good) {
    fail(origin, fmt::format("{} of {} is not a list of {} whole numbers", key, where,
                             least == most ? fmt::format("{}", most)
                                           : fmt::format("{} or {}", least, most)));
  }
  return found->get<std::vector<std::size_t>>();
}

Entry entry_in(const std::string& name, const json& entry, std::size_t data_size,
               const std::string& origin) {
  const std::string where = fmt::format("tensor \"{}\"", excerpt(name));
  if (!entry.is_object()) fail(origin, where + " is not described by an object");
  const auto type = entry.find("dtype");
  if (type == entry.end() || !type->is_string()) fail(origin, where + " has no dtype");
  if (*type != "F32") {
    fail(origin, fmt::format("{} has the dtype \"{}\", and only F32 is accepted", where,
                             excerpt(type->get<std::string>())));
  }
  Entry result;
  result.name = name;
  result.shape = sizes_in(entry, "shape", 1, 2, where, origin);
  const auto offsets = sizes_in(entry, "data_offsets", 2, 2, where, origin);
  result.begin = offsets[0];
  result.end = offsets[1];
  if (result.begin > result.end || result.end > data_size) {
    fail(origin, fmt::format("{} lies at bytes {} to {} of {} bytes of data", where, result.begin,
                             result.end, data_size));
  }
  const std::size_t bytes = result.end - result.begin;
  std::size_t left = bytes / sizeof(float);  // divided by each dimension it must come to 1
  bool fits = bytes % sizeof(float) == 0 && bytes > 0;
  for (const std::size_t n : result.shape) {
    fits = fits && n > 0 && left % n == 0;
    if (fits) left /= n;
  }
  if (!fits || left != 1) {
    fail(origin, fmt::format("{} takes {} bytes, which is not what its shape needs", where, bytes));
  }
  return result;
}

// Tensors one after another from the first byte to the last.
void check_cover(std::vector<Entry>& entries, std::size_t data_size, const std::string& origin) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
  std::size_t covered = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != covered) {
      fail(origin,
           fmt::format("tensor \"{}\" begins at byte {} of the data where byte {} comes next",
                       excerpt(entry.name), entry.begin, covered));
    }
    covered = entry.end;
  }
  if (covered != data_size) {
    fail(origin, fmt::format("its tensors cover {} bytes of {} bytes of data", covered, data_size));
  }
}

json header_of(std::span<const std::uint8_t> file, std::size_t& data_offset,
               const std::string& origin) {
  std::uint64_t size = 0;
  if (file.size() < kSizeField) fail(origin, "it ends inside its header");
  std::memcpy(&size, file.data(), sizeof size);
  if (size > kLargestHeader) {
    fail(origin, fmt::format("its header takes {} bytes, and at most {} are accepted", size,
                             kLargestHeader));
  }
  if (size > file.size() - kSizeField) fail(origin, "it ends inside its header");
  data_offset = kSizeField + size;
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kSizeField, size);
  json header = io::parse_json(text, origin, kWanted);
  if (!header.is_object()) fail(origin, "its header is not a JSON object");
  return header;
}

Safetensors read_safetensors(std::span<const std::uint8_t> file, const std::string& origin) {
  std::size_t data_offset = 0;
  const json header = header_of(file, data_offset, origin);
  const std::span<const std::uint8_t> data = file.subspan(data_offset);

  Safetensors content;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != kMetadata) {
      entries.push_back(entry_in(name, value, data.size(), origin));
      continue;
    }
    if (!value.is_object()) fail(origin, "its metadata is not an object of texts");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail(origin, "its metadata is not an object of texts");
      content.metadata[key] = text.get<std::string>();
    }
  }
  check_cover(entries, data.size(), origin);
  for (const Entry& entry : entries) {
    Tensor& tensor = content.tensors[entry.name];
    tensor.shape = entry.shape;
    tensor.values.resize((entry.end - entry.begin) / sizeof(float));
    std::memcpy(tensor.values.data(), data.data() + entry.begin, entry.end - entry.begin);
  }
  return content;
}

std::vector<std::uint8_t> safetensors_bytes(const Safetensors& content) {
  nlohmann::json header;  // sorted by name
  header[kMetadata] = content.metadata;
  std::size_t data_size = 0;
  for (const auto& [name, tensor] : content.tensors) {
    const std::size_t end = data_size + tensor.values.size() * sizeof(float);
    header[name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {data_size, end}}};
    data_size = end;
  }
  std::string text = header.dump();
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');

  std::vector<std::uint8_t> file(kSizeField + text.size() + data_size);
  const std::uint64_t size = text.size();
  std::memcpy(file.data(), &size, sizeof size);
  std::memcpy(file.data() + kSizeField, text.data(), text.size());
  std::uint8_t* out = file.data() + kSizeField + text.size();
  for (const auto& [name, tensor] : content.tensors) {
    const std::size_t bytes = tensor.values.size() * sizeof(float);
    if (bytes > 0) std::memcpy(out, tensor.values.data(), bytes);
    out += bytes;
  }
  return file;
}

constexpr std::string_view kFormat = "pcgs-controller";
constexpr std::string_view kVersion = "3";
constexpr std::size_t kLargestFile = std::size_t{256} << 20;

std::string json_of(const Config& config) {
  nlohmann::json object;  // sorted by name
  for (const auto& size : kConfigSizes) object[size.name] = config.*size.value;
  if (config.memory == 0) object.erase("memory");  // absent in models without
  object["attention"] = name_of(config.attention);
  object["controls"] = config.controls;
  return object.dump();
}

AttentionKind kind_named(const json& name, const std::string& origin) {
  const auto at = std::ranges::find_if(kAttentionNames, [&](auto known) { return name == known; });
  if (at == std::end(kAttentionNames)) fail(origin, "its attention must be none, full or induced");
  return static_cast<AttentionKind>(at - kAttentionNames);
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
  json object = io::parse_json(text, origin, kWanted);
  if (!object.is_object()) fail(origin, "its configuration is not a JSON object");
  const auto take = [&](const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) fail(origin, fmt::format("its configuration has no {}", key));
    json value = std::move(*found);
    object.erase(found);
    return value;
  };
  Config config;
  for (const auto& size : kConfigSizes) {
    if (size.value == &Config::memory && !object.contains(size.name)) continue;
    const json value = take(size.name);
    if (!value.is_number_unsigned()) {
      fail(origin, fmt::format("its configuration's {} is not a whole number", size.name));
    }
    config.*size.value = value.get<std::size_t>();
  }
  config.attention = kind_named(take("attention"), origin);
  config.controls = controls_in(take("controls"), origin);
  if (!object.empty()) {
    fail(origin, fmt::format("its configuration has the unknown key \"{}\"",
                             excerpt(object.items().begin().key())));
  }
  return config;
}

std::string hexadecimal(std::uint32_t checksum) { return fmt::format("{:08x}", checksum); }

// See model.h.
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
Safetensors content_of(const Model& model) {
  if (const std::string problem = problem_with(model); !problem.empty()) {
    throw Error("this model cannot be written: " + problem);
  }
  Safetensors content;
  content.metadata = model.metadata;
  content.metadata["format"] = kFormat;
  content.metadata["format_version"] = kVersion;
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
  if (version != kVersion) {
    fail(origin, fmt::format("it has format version \"{}\", and this program reads version {}",
                             excerpt(version), kVersion));
  }
  if (take("checksum") != checksum) {
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
  Safetensors content = content_of(model);
  content.metadata["checksum"] = checksum_of(content);
  return safetensors_bytes(content);
}

std::uint64_t model_fingerprint(const Model& model) {
  return fnv1a<std::uint64_t>(model_bytes(model));
}

void write_model_file(const Model& model, const std::string& path) {
  WholeFile file(path);
  const std::vector<std::uint8_t> bytes = model_bytes(model);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

std::span<const std::uint8_t> shipped_model(std::string_view name) {
  if (name == "regret") return {pcgs_model_regret, pcgs_model_regret_end};
  if (name == "combine") return {pcgs_model_combine, pcgs_model_combine_end};
  invariant(name == "oracle", "a model that is shipped");
  return {pcgs_model_oracle, pcgs_model_oracle_end};
}

}  // namespace pcgs::infer
