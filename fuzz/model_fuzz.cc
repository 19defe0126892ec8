// Any bytes as a model file: read, or refused with an Error. Whatever is read must be written out
// as a file that reads the same, and must run to finite outputs.
//
// A checksum stops almost every mutation before the code that matters, so the input comes in three
// modes:
//
//     byte 0   mode: 0 file, 1 header, 2 edits
//     rest     file:   the whole file
//              header: the header; its size and the data of a real model are put around it
//              edits:  4 bytes each, made on a real model's file, whose size and checksum are then
//                      set right: what, offset (u16), value
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/checksums.h"
#include "data/invariant.h"
#include "network/model.h"
#include "network/network.h"
#include "network/random_model.h"
#include "pcgs/error.h"

namespace pcgs::infer {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Input = std::span<const std::uint8_t>;

constexpr std::size_t kSizeField = 8;

Model tiny_model() {
  Config config =
      test::config_of(AttentionKind::kInduced, {.features = 1, .shared = 1},
                      {.width = 2, .heads = 2, .hidden = 3, .inducing = 2, .pool_hidden = 2});
  config.controls = {{"rho_max", 0.5}};
  Model model = test::random_model(config, 1);
  model.metadata["provenance"] = "{}";
  return model;
}

struct Parts {
  Bytes header, data;
};

const Parts& real_parts() {
  static const Parts parts = [] {
    const Bytes file = model_bytes(tiny_model());
    std::uint64_t size = 0;
    std::memcpy(&size, file.data(), sizeof size);
    const auto data = file.begin() + static_cast<std::ptrdiff_t>(kSizeField + size);
    return Parts{{file.begin() + kSizeField, data}, {data, file.end()}};
  }();
  return parts;
}

Bytes framed(Input header, Input data) {
  Bytes file(kSizeField);
  const std::uint64_t size = header.size();
  std::memcpy(file.data(), &size, sizeof size);
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

void edit(Bytes& bytes, std::size_t offset, std::uint8_t what, std::uint8_t value) {
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  if (what % 3 == 0) *place = value;
  if (what % 3 == 1) bytes.insert(place, value);
  if (what % 3 == 2) bytes.erase(place);
}

// As model.h says; nothing where the header is no longer one of a model.
std::optional<std::uint32_t> checksum_of(const Parts& parts) {
  const auto header =
      nlohmann::json::parse(parts.header.begin(), parts.header.end(), nullptr, false);
  if (!header.is_object() || !header.contains("__metadata__")) return {};
  const auto& texts = header["__metadata__"];
  if (!texts.is_object()) return {};
  Crc32 crc;
  const auto add_size = [&](std::uint64_t size) {
    crc.add(std::span<const std::uint64_t>(&size, 1));
  };
  const auto add_text = [&](const std::string& text) {
    add_size(text.size());
    crc.add(std::span<const char>(text));
  };
  add_size(texts.size() - texts.count("checksum"));
  for (const auto& [key, text] : texts.items()) {
    if (!text.is_string()) return {};
    if (key == "checksum") continue;
    add_text(key);
    add_text(text.get<std::string>());
  }
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") continue;
    const auto numbers = [&tensor = tensor](const char* key) {
      std::vector<std::uint64_t> out;
      if (!tensor.is_object() || !tensor.contains(key)) return out;
      for (const auto& n : tensor[key]) {
        if (n.is_number_unsigned()) out.push_back(n.get<std::uint64_t>());
      }
      return out;
    };
    const auto shape = numbers("shape"), offsets = numbers("data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > parts.data.size()) return {};
    add_text(name);
    add_size(shape.size());
    for (const std::uint64_t n : shape) add_size(n);
    crc.add(std::span(parts.data).subspan(offsets[0], offsets[1] - offsets[0]));
  }
  return crc.value();
}

// Where the header still says a checksum, it says the right one, so that edits in it are read.
void set_checksum(Parts& parts) {
  const auto checksum = checksum_of(parts);
  if (!checksum) return;
  constexpr std::string_view kBefore = "\"checksum\":\"";
  constexpr std::size_t kDigits = 8;
  const std::string_view text(reinterpret_cast<const char*>(parts.header.data()),
                              parts.header.size());
  const std::size_t found = text.find(kBefore);
  if (found == text.npos || text.size() - found < kBefore.size() + kDigits) return;
  for (std::size_t i = 0; i < kDigits; ++i) {
    parts.header[found + kBefore.size() + i] =
        static_cast<std::uint8_t>("0123456789abcdef"[*checksum >> (4 * (kDigits - 1 - i)) & 15]);
  }
}

Bytes file_from(Input input) {
  if (input.empty()) return {};
  const unsigned mode = input[0] % 3;
  Input rest = input.subspan(1);
  if (mode == 0) return {rest.begin(), rest.end()};
  if (mode == 1) return framed(rest, real_parts().data);
  Parts parts = real_parts();
  for (; rest.size() >= 4; rest = rest.subspan(4)) {
    if (parts.header.empty() || parts.data.empty()) break;
    const std::size_t offset =
        (rest[1] + 256u * rest[2]) % (parts.header.size() + parts.data.size());
    if (offset < parts.header.size()) {
      edit(parts.header, offset, rest[0], rest[3]);
    } else {
      edit(parts.data, offset - parts.header.size(), rest[0], rest[3]);
    }
  }
  set_checksum(parts);
  return framed(parts.header, parts.data);
}

std::optional<Model> read(Input file) {
  try {
    return read_model(file, "fuzz");
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check_outputs(const Model& model) {
  constexpr std::size_t kExperts = 3;
  const Network network(model);
  std::vector<float> tokens(kExperts * model.config.features);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = i % 2 == 0 ? 1e38f : -0.5f;
  const std::vector<float> shared(model.config.common(), 1e38f);
  std::vector<float> logits(kExperts);
  const Pooled pooled = Forward(network, kExperts).run(tokens, shared, logits);
  invariant(std::isfinite(pooled.restart) && std::isfinite(pooled.rate), "finite outputs");
  for (const float logit : logits) invariant(std::isfinite(logit), "finite logits");
}

}  // namespace
}  // namespace pcgs::infer

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pcgs::infer;
  const std::optional<Model> model = read(file_from({data, size}));
  if (!model) return 0;

  // From here on even an Error is a bug.
  const Bytes saved = model_bytes(*model);
  const std::optional<Model> again = read(saved);
  pcgs::invariant(again && *again == *model && model_bytes(*again) == saved,
                  "what was written reads the same");
  check_outputs(*model);
  return 0;
}
