#include "network/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "data/crc32.h"
#include "data/json_depth.h"
#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::infer {

static_assert(std::endian::native == std::endian::little,
              "the data is little-endian and is copied as memory holds it");

namespace {

using nlohmann::json;

constexpr std::size_t kSizeField = sizeof(std::uint64_t);
constexpr std::size_t kAlignment = 8;
constexpr char kMetadata[] = "__metadata__";

[[noreturn]] void fail(const std::string& origin, std::string_view why) {
  throw Error(fmt::format("{}: {}; give a safetensors file as pcgs-train writes it", origin, why));
}

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
  const std::uint8_t* const text = file.data() + kSizeField;
  if (is_deep_json({reinterpret_cast<const char*>(text), size})) {
    fail(origin, fmt::format("its header is nested more than {} deep", kDeepestJson));
  }
  json header = json::parse(text, text + size, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) fail(origin, "its header is not a JSON object");
  return header;
}

}  // namespace

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
  content.data_crc32 = crc32(data);
  return content;
}

std::vector<std::uint8_t> safetensors_bytes(const Safetensors& content) {
  json header;
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

std::uint32_t safetensors_crc32(const std::map<std::string, Tensor>& tensors) {
  Crc32 crc;
  for (const auto& [name, tensor] : tensors) crc.add(std::span<const float>(tensor.values));
  return crc.value();
}

}  // namespace pcgs::infer
