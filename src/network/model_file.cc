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

// Reads one file: whatever does not fit is refused in its name.
class Reader {
 public:
  explicit Reader(std::string origin) : origin_(std::move(origin)) {}

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<const Args&...> why, const Args&... args) const {
    throw Error(
        ErrorKind::kFormat, {.file = origin_},
        fmt::format("cannot use this model: {}; give {}", fmt::format(why, args...), kWanted));
  }
  // Its texts and its tensors, as the container has them.
  Model container(std::span<const std::uint8_t> file) const;
  // An unknown key is refused: it may change what the network computes.
  Config config(const std::string& text) const;

 private:
  // Where a tensor lies in the data; begin <= end <= size of the data.
  struct Entry {
    std::string name;
    std::vector<std::size_t> shape;
    std::size_t begin, end;
  };

  json object_in(std::string_view text, std::string_view what) const;
  std::vector<std::size_t> sizes_in(const json& entry, std::string_view key, std::size_t least,
                                    const std::string& where) const;
  Entry entry_in(const std::string& name, const json& entry, std::size_t data_size) const;
  void check_cover(std::vector<Entry>& entries, std::size_t data_size) const;

  std::string origin_;
};

json Reader::object_in(std::string_view text, std::string_view what) const {
  json object = io::parse_json(text, origin_, kWanted);
  if (!object.is_object()) fail("its {} is not a JSON object", what);
  return object;
}

// A list of two numbers, or of `least`, none negative.
std::vector<std::size_t> Reader::sizes_in(const json& entry, std::string_view key,
                                          std::size_t least, const std::string& where) const {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array() || found->size() < least || found->size() > 2 ||
      !std::all_of(found->begin(), found->end(),
                   [](const json& n) { return n.is_number_unsigned(); })) {
    fail("{} of {} is not a list of {} whole numbers", key, where, least == 2 ? "2" : "1 or 2");
  }
  return found->get<std::vector<std::size_t>>();
}

Reader::Entry Reader::entry_in(const std::string& name, const json& entry,
                               std::size_t data_size) const {
  const std::string where = fmt::format("tensor \"{}\"", excerpt(name));
  if (!entry.is_object()) fail("{} is not described by an object", where);
  const auto type = entry.find("dtype");
  if (type == entry.end() || !type->is_string()) fail("{} has no dtype", where);
  if (*type != "F32") {
    fail("{} has the dtype \"{}\", and only F32 is accepted", where,
         excerpt(type->get<std::string>()));
  }
  const auto shape = sizes_in(entry, "shape", 1, where);
  const auto offsets = sizes_in(entry, "data_offsets", 2, where);
  const std::size_t begin = offsets[0], end = offsets[1];
  if (begin > end || end > data_size) {
    fail("{} lies at bytes {} to {} of {} bytes of data", where, begin, end, data_size);
  }
  // Divided by each dimension the count of numbers must come to 1.
  std::size_t left = (end - begin) % sizeof(float) == 0 ? (end - begin) / sizeof(float) : 0;
  for (const std::size_t n : shape) left = n > 0 && left % n == 0 ? left / n : 0;
  if (left != 1) fail("{} takes {} bytes, which is not what its shape needs", where, end - begin);
  return {name, shape, begin, end};
}

// Tensors one after another from the first byte to the last.
void Reader::check_cover(std::vector<Entry>& entries, std::size_t data_size) const {
  std::ranges::sort(entries, {}, &Entry::begin);
  std::size_t covered = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != covered) {
      fail("tensor \"{}\" begins at byte {} of the data where byte {} comes next",
           excerpt(entry.name), entry.begin, covered);
    }
    covered = entry.end;
  }
  if (covered != data_size) {
    fail("its tensors cover {} bytes of {} bytes of data", covered, data_size);
  }
}

Model Reader::container(std::span<const std::uint8_t> file) const {
  std::uint64_t size = 0;
  if (file.size() < kSizeField) fail("it ends inside its header");
  std::memcpy(&size, file.data(), sizeof size);
  if (size > kLargestHeader) {
    fail("its header takes {} bytes, and at most {} are accepted", size, kLargestHeader);
  }
  if (size > file.size() - kSizeField) fail("it ends inside its header");
  const json header =
      object_in({reinterpret_cast<const char*>(file.data()) + kSizeField, size}, "header");
  const auto data = file.subspan(kSizeField + size);

  Model content;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != kMetadata) {
      entries.push_back(entry_in(name, value, data.size()));
      continue;
    }
    if (!value.is_object()) fail("its metadata is not an object of texts");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail("its metadata is not an object of texts");
      content.metadata[key] = text.get<std::string>();
    }
  }
  check_cover(entries, data.size());  // before anything of these sizes is allocated
  for (const auto& [name, shape, begin, end] : entries) {
    Tensor& tensor = content.tensors[name] = {shape, {}};
    tensor.values.resize((end - begin) / sizeof(float));
    std::memcpy(tensor.values.data(), data.data() + begin, end - begin);
  }
  return content;
}

Config Reader::config(const std::string& text) const {
  json object = object_in(text, "configuration");
  const auto take = [&](const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) fail("its configuration has no {}", key);
    json value = std::move(*found);
    object.erase(found);
    return value;
  };
  Config config;
  for (const auto& size : kConfigSizes) {
    if (size.value == &Config::memory && !object.contains(size.name)) continue;
    const json value = take(size.name);
    if (!value.is_number_unsigned()) {
      fail("its configuration's {} is not a whole number", size.name);
    }
    config.*size.value = value.get<std::size_t>();
  }
  const json kind = take("attention"), controls = take("controls");
  const auto at = std::ranges::find_if(kAttentionNames, [&](auto name) { return kind == name; });
  if (at == std::end(kAttentionNames)) fail("its attention must be none, full or induced");
  config.attention = static_cast<AttentionKind>(at - kAttentionNames);
  if (!controls.is_object() || !std::all_of(controls.begin(), controls.end(),
                                            [](const json& value) { return value.is_number(); })) {
    fail("its controls are not an object of numbers");
  }
  config.controls = controls.get<std::map<std::string, double>>();
  if (!object.empty()) {
    fail("its configuration has the unknown key \"{}\"", excerpt(object.items().begin().key()));
  }
  return config;
}

std::vector<std::uint8_t> container_bytes(const Model& content) {
  nlohmann::json header;  // sorted by name
  header[kMetadata] = content.metadata;
  std::vector<std::uint8_t> data;
  for (const auto& [name, tensor] : content.tensors) {
    const std::size_t begin = data.size();
    data.resize(begin + tensor.values.size() * sizeof(float));
    std::memcpy(data.data() + begin, tensor.values.data(), data.size() - begin);
    header[name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');

  std::vector<std::uint8_t> file(kSizeField + text.size() + data.size());
  const std::uint64_t size = text.size();
  std::memcpy(file.data(), &size, sizeof size);
  std::memcpy(file.data() + kSizeField, text.data(), text.size());
  std::memcpy(file.data() + kSizeField + text.size(), data.data(), data.size());
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

// See model.h.
std::string checksum_of(const Model& content) {
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
  return fmt::format("{:08x}", crc.value());
}

}  // namespace

Model read_model(std::span<const std::uint8_t> bytes, const std::string& origin) {
  const Reader reader(origin);
  Model model = reader.container(bytes);
  const std::string checksum = checksum_of(model);
  const auto take = [&](const char* key) {
    auto node = model.metadata.extract(key);
    if (node.empty()) reader.fail("its metadata has no {}", key);
    return std::move(node.mapped());
  };
  if (const std::string format = take("format"); format != kFormat) {
    reader.fail("its format is \"{}\" and not \"{}\"", excerpt(format), kFormat);
  }
  if (const std::string version = take("format_version"); version != kVersion) {
    reader.fail("it has format version \"{}\", and this program reads version {}", excerpt(version),
                kVersion);
  }
  if (take("checksum") != checksum)
    reader.fail("its checksum is another; it was changed or damaged");
  model.config = reader.config(take("config"));
  model.token_schema = take("token_schema");
  if (const std::string problem = problem_with(model); !problem.empty()) reader.fail("{}", problem);
  return model;
}

Model read_model_file(const std::string& path) {
  return read_model(read_whole_file(path, kLargestFile), path);
}

void require_token_schema(const Model& model, const std::string& expected,
                          const std::string& origin) {
  if (model.token_schema == expected) return;
  Reader(origin).fail("it was trained on the token schema \"{}\" and this program makes \"{}\"",
                      excerpt(model.token_schema), expected);
}

std::vector<std::uint8_t> model_bytes(const Model& model) {
  if (const std::string problem = problem_with(model); !problem.empty()) {
    throw Error("this model cannot be written: " + problem);
  }
  Model content = model;
  content.metadata["format"] = kFormat;
  content.metadata["format_version"] = kVersion;
  content.metadata["config"] = json_of(model.config);
  content.metadata["token_schema"] = model.token_schema;
  content.metadata["checksum"] = checksum_of(content);
  return container_bytes(content);
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
