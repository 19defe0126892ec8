#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/whole_file.h"
#include "network/model.h"
#include "network/random_model.h"
#include "support/data_file.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/temp_dir.h"

namespace pcgs::infer {
namespace {

using nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

Model small_model() {
  Config config =
      test::config_of(AttentionKind::kInduced, {.features = 2, .shared = 1, .side = 1},
                      {.width = 4, .heads = 2, .hidden = 5, .inducing = 2, .pool_hidden = 3});
  config.controls = {{"eps", 0.01}, {"rho_max", 0.5}};
  Model model = test::random_model(config, 1);
  model.metadata["provenance"] = R"({"seed": 1, "note": "é"})";
  return model;
}

// A model file in pieces that can be changed, put together again with a checksum that fits.
struct Parts {
  json header;
  Bytes data;

  explicit Parts(const Bytes& file) {
    std::uint64_t size = 0;
    std::memcpy(&size, file.data(), sizeof size);
    const auto begin = file.begin() + 8;
    const auto end = begin + static_cast<std::ptrdiff_t>(size);
    header = json::parse(begin, end);
    data.assign(end, file.end());
  }
  json& metadata() { return header["__metadata__"]; }
  void change_config(const std::function<void(json&)>& change) {
    json config = json::parse(metadata()["config"].get<std::string>());
    change(config);
    metadata()["config"] = config.dump();
    seal();
  }
  // As model.h says, whatever still has the form that it needs.
  void seal() {
    Bytes covered;
    const auto add_size = [&](std::size_t size) {
      covered.resize(covered.size() + 8);
      test::put_u64(covered, covered.size() - 8, size);
    };
    const auto add_text = [&](const std::string& text) {
      add_size(text.size());
      covered.insert(covered.end(), text.begin(), text.end());
    };
    metadata().erase("checksum");
    add_size(metadata().size());
    for (const auto& [key, text] : metadata().items()) {
      add_text(key);
      add_text(text.get<std::string>());
    }
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      add_text(name);
      add_size(entry["shape"].size());
      for (const auto& n : entry["shape"]) add_size(n.get<std::size_t>());
      const auto& offsets = entry["data_offsets"];
      covered.insert(covered.end(), data.begin() + offsets[0].get<std::ptrdiff_t>(),
                     data.begin() + offsets[1].get<std::ptrdiff_t>());
    }
    metadata()["checksum"] = fmt::format("{:08x}", test::crc32(covered));
  }
  Bytes file() const { return with_header(header.dump()); }
  Bytes with_header(const std::string& text) const {
    Bytes bytes(8 + text.size() + data.size());
    test::put_u64(bytes, 0, text.size());
    std::copy(data.begin(), data.end(), std::copy(text.begin(), text.end(), bytes.begin() + 8));
    return bytes;
  }
};

Parts parts() { return Parts(model_bytes(small_model())); }

// Every refusal is one sentence that names the file and ends with what to do.
std::string refusal(const Bytes& file) {
  const std::string message = test::error_of([&] { read_model(file, "m.safetensors"); });
  EXPECT_EQ(message.rfind("m.safetensors: ", 0), 0u) << message;
  EXPECT_TRUE(test::mentions(message, "; give a ")) << message;
  EXPECT_LT(message.size(), 400u) << message;
  return message;
}

// A file with this change in its header is refused with these words.
void expect_refused(const std::function<void(Parts&)>& change, const std::string& why) {
  Parts changed = parts();
  change(changed);
  EXPECT_TRUE(test::mentions(refusal(changed.file()), why));
}

void expect_config_refused(const std::function<void(json&)>& change, const std::string& why) {
  expect_refused([&](Parts& file) { file.change_config(change); }, why);
}

TEST(ModelFile, ComesBackAsItWas) {
  for (const AttentionKind kind :
       {AttentionKind::kNone, AttentionKind::kFull, AttentionKind::kInduced}) {
    Model model = test::random_model(test::odd_config(kind), 2);
    model.config.controls = {{"eta_min", 0.05}};
    model.metadata = {{"provenance", "a line\nand \"another\""}, {"license", ""}};
    const Bytes bytes = model_bytes(model);
    EXPECT_EQ(bytes, model_bytes(model));
    const Model back = read_model(bytes, "m.safetensors");
    EXPECT_TRUE(back == model);
    EXPECT_EQ(model_bytes(back), bytes);
  }
}

TEST(ModelFile, TheChecksumCoversWhatIsNotDataToo) {
  for (const char* key : {"provenance", "token_schema", "a"}) {
    expect_refused([&](Parts& f) { f.metadata()[key] = "other"; }, "checksum");
  }
  const auto other_config = [](Parts& f) {
    std::string config = f.metadata()["config"];
    config.replace(config.find("0.5"), 3, "0.2");
    f.metadata()["config"] = config;
  };
  expect_refused(other_config, "checksum");
}

TEST(ModelFile, IsWrittenAndReadAsAFile) {
  const test::TempDir folder;
  write_model_file(small_model(), folder / "m.safetensors");
  EXPECT_TRUE(read_model_file(folder / "m.safetensors") == small_model());
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(ModelFile, TakesTensorsInAnyOrder) {
  Parts changed = parts();
  Bytes reversed;
  std::vector<std::string> names;
  for (const auto& [name, entry] : changed.header.items()) {
    if (name != "__metadata__") names.push_back(name);
  }
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    json& offsets = changed.header[*name]["data_offsets"];
    const auto begin = offsets[0].get<std::ptrdiff_t>(), end = offsets[1].get<std::ptrdiff_t>();
    offsets = {reversed.size(), reversed.size() + static_cast<std::size_t>(end - begin)};
    reversed.insert(reversed.end(), changed.data.begin() + begin, changed.data.begin() + end);
  }
  changed.data = reversed;
  changed.seal();
  EXPECT_TRUE(read_model(changed.file(), "m.safetensors") == small_model());
}

TEST(ModelFile, RefusesEveryTruncationAndExtension) {
  const Bytes file = model_bytes(small_model());
  for (std::size_t size = 0; size < file.size(); size += size < 16 ? 1 : 37) {
    refusal({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)});
  }
  Bytes longer = file;
  longer.insert(longer.end(), 4, 0);
  EXPECT_TRUE(test::mentions(refusal(longer), "cover"));
}

TEST(ModelFile, RefusesEveryChangedByteOfItsWeights) {
  const Bytes file = model_bytes(small_model());
  const std::size_t data = parts().data.size();
  for (std::size_t i = file.size() - data; i < file.size(); i += 11) {
    Bytes changed = file;
    changed[i] ^= 1;
    EXPECT_TRUE(test::mentions(refusal(changed), "checksum"));
  }
}

TEST(ModelFile, RefusesHeadersThatAreNone) {
  const Parts file = parts();
  for (const char* text : {"", "{", "[]", "7", "null", "\xff\xfe", "{\"a\":}"}) {
    EXPECT_TRUE(test::mentions(refusal(file.with_header(text)), "m.safetensors: ")) << text;
  }
  EXPECT_TRUE(test::mentions(refusal(file.with_header(std::string(100000, '['))), "nested"));
  Bytes large = file.file();
  for (const std::uint64_t size : {kLargestHeader + 1, std::size_t{1} << 40, ~std::size_t{0}}) {
    test::put_u64(large, 0, size);
    EXPECT_TRUE(test::mentions(refusal(large), "header takes"));
  }
  test::put_u64(large, 0, kLargestHeader);
  EXPECT_TRUE(test::mentions(refusal(large), "ends inside its header"));
}

TEST(ModelFile, RefusesAnotherFormatVersionOrSchema) {
  const auto set = [](const char* key, const json& value) {
    return [=](Parts& f) { f.metadata()[key] = value; };
  };
  expect_refused(set("format", "pt"), "its format is \"pt\"");
  expect_refused(set("format_version", "1"),
                 "format version \"1\", and this program reads version 3");
  expect_refused(set("checksum", "0"), "checksum");
  for (const char* key : {"format", "format_version", "config", "token_schema", "checksum"}) {
    const auto without = [&](Parts& f) {
      f.metadata().erase(key);
      if (std::string(key) != "checksum") f.seal();
    };
    expect_refused(without, key);
  }
  expect_refused([](Parts& f) { f.metadata() = 3; }, "metadata");
  expect_refused(set("x", 3), "metadata");

  const Model model = small_model();
  require_token_schema(model, "test", "m.safetensors");
  EXPECT_TRUE(test::mentions(
      test::error_of([&] { require_token_schema(model, "other", "m.safetensors"); }),
      "m.safetensors: cannot use this model: it was trained on the token schema \"test\""));
}

TEST(ModelFile, RefusesConfigurationsThatDoNotFit) {
  const auto set = [](const char* key, const json& value) {
    return [=](json& config) { config[key] = value; };
  };
  expect_config_refused([](json& config) { config = 3; }, "not a JSON object");
  for (const char* key : {"heads", "shared", "side"}) {
    expect_config_refused([&](json& config) { config.erase(key); }, std::string("has no ") + key);
  }
  expect_config_refused(set("side", 1022), "1025 together");
  expect_config_refused(set("dropout", 0.1), "unknown key \"dropout\"");
  expect_config_refused(set("attention", "sparse"), "must be none, full or induced");
  expect_config_refused(set("attention", 1), "must be none, full or induced");
  expect_config_refused(set("controls", {{"eps", "small"}}), "controls");
  expect_config_refused(set("controls", 1), "controls");
  expect_config_refused(set("heads", 3), "heads");
  expect_config_refused(set("inducing", 0), "inducing is 0");
  expect_config_refused(set("layers", 65), "layers is 65");
  for (const char* key : {"features", "width", "heads", "hidden", "pool_hidden"}) {
    expect_config_refused(set(key, 0), std::string(key) + " is 0");
    expect_config_refused(set(key, ~std::uint64_t{0}), key);
    expect_config_refused(set(key, -1), key);
    expect_config_refused(set(key, 2.5), key);
  }
  expect_config_refused(set("attention", "full"), "not one that its configuration asks for");
  expect_config_refused(set("layers", 2), "is missing");
  expect_config_refused(set("hidden", 6), "has the shape");
}

TEST(ModelFile, RefusesTensorsThatDoNotFit) {
  struct Case {
    const char* key;
    json value;
    const char* why;
  };
  const std::vector<Case> cases = {
      {"dtype", "F16", "\"F16\", and only F32"},
      {"dtype", 1, "dtype"},
      {"shape", json::array(), "shape"},
      {"shape", {1, 2, 2}, "shape"},
      {"shape", {-4}, "shape"},
      {"shape", {5}, "shape needs"},
      {"shape", {0}, "shape needs"},
      {"shape", {std::uint64_t{1} << 62, 4}, "shape needs"},
      {"data_offsets", {0}, "data_offsets"},
      {"data_offsets", {16, 0}, "lies at"},
      {"data_offsets", {0, ~std::uint64_t{0}}, "lies at"},
      {"data_offsets", {0, 16}, "comes next"},  // an overlap
      {"data_offsets", {1, 16}, "shape needs"},
  };
  for (const auto& [key, value, why] : cases) {
    SCOPED_TRACE(key);
    expect_refused([&key = key, &value = value](Parts& f) { f.header["norm.bias"][key] = value; },
                   why);
  }
  expect_refused([](Parts& f) { f.header["norm.bias"] = 1; }, "object");
  const auto other_shape = [](Parts& f) {
    f.header["norm.bias"]["shape"] = {2, 2};
    f.seal();
  };
  expect_refused(other_shape, "asks for [4]");
  expect_refused([](Parts& f) { f.header.erase("norm.bias"); }, "comes next");  // a gap
  const auto other_name = [](Parts& f) {
    f.header[std::string(10000, 'x')] = f.header["norm.bias"];
    f.header.erase("norm.bias");
    f.seal();
  };
  expect_refused(other_name, "not one that its configuration asks for");
}

TEST(ModelFile, RefusesWeightsThatAreNoNumbersOrHuge) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float value : {std::nanf(""), kInfinity, -kInfinity, 1.01e4f, -1e30f}) {
    Parts file = parts();
    const auto at = file.header["head.weight"]["data_offsets"][0].get<std::size_t>();
    std::memcpy(file.data.data() + at, &value, sizeof value);
    file.seal();
    EXPECT_TRUE(test::mentions(refusal(file.file()), "head.weight"));
    Model model = small_model();
    model.tensors["head.weight"].values[0] = value;
    EXPECT_TRUE(test::mentions(test::error_of([&] { model_bytes(model); }), "head.weight"));
  }
}

TEST(ModelFile, NamesAFileThatCannotBeRead) {
  EXPECT_TRUE(test::mentions(test::error_of([] { read_model_file("/nowhere/m"); }), "/nowhere/m"));
}

}  // namespace
}  // namespace pcgs::infer
