// What PyTorch computes with small networks (scripts/torch_golden.py wrote the files).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "network/model.h"
#include "network/network.h"
#include "support/data_file.h"

namespace pcgs::infer {
namespace {

constexpr double kTolerance = 1e-5;

std::vector<float> golden_tokens(std::size_t experts, std::size_t features) {
  std::vector<float> tokens;
  for (std::size_t i = 0; i < experts; ++i) {
    for (std::size_t j = 0; j < features; ++j) {
      const auto k = static_cast<double>(i), f = static_cast<double>(j);
      tokens.push_back(static_cast<float>(std::sin(0.7 * k + 1.3 * f + 0.1 * k * f)));
    }
  }
  return tokens;
}

TEST(Forward, MatchesTorchOnGoldenInputs) {
  std::size_t compared = 0;
  for (const char* attention : {"none", "full", "induced"}) {
    const std::string stem = test::data_file("golden/controller_") + attention;
    const Model model = read_model_file(stem + ".safetensors");
    EXPECT_EQ(name_of(model.config.attention), attention);
    const Network network(model);
    std::ifstream file(stem + ".json");
    const nlohmann::json golden = nlohmann::json::parse(file);
    for (const auto& expected : golden.at("cases")) {
      const auto experts = expected.at("experts").get<std::size_t>();
      const std::vector<float> tokens = golden_tokens(experts, model.config.features);
      std::vector<float> logits(experts);
      const Pooled pooled = Forward(network, experts).run(tokens, {}, logits);
      EXPECT_NEAR(pooled.restart, expected.at("restart").get<double>(), kTolerance);
      EXPECT_NEAR(pooled.rate, expected.at("rate").get<double>(), kTolerance);
      for (const auto& [k, logit] : expected.at("logits").items()) {
        EXPECT_NEAR(logits.at(std::stoul(k)), logit.get<double>(), kTolerance)
            << attention << ", expert " << k << " of " << experts;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 3u * (1 + 7 + 32 + 32 + 10)) << "logits of 1, 7, 32 and 1024 experts";
}

}  // namespace
}  // namespace pcgs::infer
