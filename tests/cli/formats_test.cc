// Files of every format version that was ever written, kept in tests/golden/formats.
#include <gtest/gtest.h>

#include "network/model.h"
#include "pcgs/quantiles.h"
#include "pcgs/registry.h"
#include "program.h"
#include "show/result.h"
#include "support/data_file.h"
#include "support/expect.h"

namespace pcgs::test {
namespace {

std::string kept(const std::string& name) { return data_file("golden/formats/" + name); }

TEST(Formats, StatesOfEarlierVersionsAreRefusedAndSayWhatToDo) {
  for (const auto& [name, version] :
       {std::pair{"state-1", "version 1"}, {"state-2", "version 2"}}) {
    const std::string message = error_of([&] { load_aggregator(kept(name)); });
    EXPECT_TRUE(mentions(message, name));
    EXPECT_TRUE(mentions(message, version));
    EXPECT_TRUE(mentions(message, "learn its rounds again"));
  }
}

TEST(Formats, StatesOfVersionThreeLoad) {
  const Aggregator loaded = load_aggregator(kept("state-3"));
  EXPECT_EQ(loaded.method().name(), "fixed-share{eta=4,rho=0.01}");
  EXPECT_EQ(loaded.names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(loaded.rounds(), 12);
  ASSERT_NE(loaded.certificate(), nullptr);
  EXPECT_TRUE(loaded.certificate()->combined().holds());
  EXPECT_TRUE(all_near(
      loaded.weights(),
      std::vector<double>{0.9663625749391066, 0.029768953403792559, 0.0038684716571009666}, 1e-12));
}

TEST(Formats, PanelsOfVersionThreeLoad) {
  const QuantilePanel loaded = QuantilePanel::load(kept("panel-3"));
  EXPECT_EQ(loaded.options().levels, (std::vector<double>{0.1, 0.5, 0.9}));
  EXPECT_TRUE(loaded.options().calibrate);
  EXPECT_EQ(loaded.rounds(), 14);
  ASSERT_EQ(loaded.open_rounds(), (std::vector<std::int64_t>{15, 16}));
  EXPECT_TRUE(all_near(
      loaded.forecast(15),
      std::vector<double>{120.8542498517936, 124.94097222405441, 128.98109266040748}, 1e-9));
}

TEST(Formats, CertificatesOfFormatTwoAreProvedFromTheirTraces) {
  const Said said = run_program({"certify", kept("trace-3.csv"), kept("certificate-3.json")});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.out.rfind("holds", 0), 0u) << said.out;
}

TEST(Formats, ResultsWithoutAKindAreRefusedAndSayWhatToDo) {
  const auto text = content(kept("results-without-kind.json"));
  const std::string message = error_of([&] { results::read_result(text, "old.json"); });
  EXPECT_TRUE(mentions(message, "old.json"));
  EXPECT_TRUE(mentions(message, "kind"));
}

TEST(Formats, ResultsWithAKindAreRead) {
  EXPECT_NO_THROW(results::read_result(content(kept("results-run.json")), "run.json"));
}

TEST(Formats, ModelsOfVersionsTwoAndThreeAreRead) {
  EXPECT_NO_THROW(infer::read_model_file(data_file("golden/controller_none.safetensors")));
  EXPECT_NO_THROW(infer::read_model_file(kept("model-3.safetensors")));
}

}  // namespace
}  // namespace pcgs::test
