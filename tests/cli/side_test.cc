// pcgs run with side information, in columns of its own or in a file of its own.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/npy.h"
#include "network/model.h"
#include "pcgs/registry.h"
#include "program.h"
#include "research/suite.h"
#include "support/random.h"
#include "support/random_controller.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

constexpr std::size_t kRounds = 60, kExperts = 3;

class RunSide : public ProgramTest {
 protected:
  RunSide() : losses_(suite::generate("switch", kRounds, kExperts, 5).losses), side_(kRounds, 2) {
    Random random(1);
    for (double& x : side_.values) x = random.uniform(-3, 3);
    infer::write_model_file(random_controller(2, 4), model_);
    npy("losses.npy", losses_);
    npy("side.npy", side_);
    std::ofstream csv(dir_ / "all.csv");
    csv.precision(17);
    csv << "a,hour,b,c,load\n";
    for (std::size_t t = 0; t < kRounds; ++t) {
      csv << losses_.row(t)[0] << ',' << side_.row(t)[0] << ',' << losses_.row(t)[1] << ','
          << losses_.row(t)[2] << ',' << side_.row(t)[1] << '\n';
    }
  }

  double total_loss(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--method", method_, "--json"});
    const Said said = run_program(arguments);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return nlohmann::json::parse(said.out)["methods"][0]["total_loss"].get<double>();
  }

  void refuses(std::vector<std::string> arguments, const std::vector<std::string>& mentions) const {
    arguments.insert(arguments.begin(), "run");
    ProgramTest::refuses(arguments, mentions);
  }

  const std::string model_ = dir_ / "side.safetensors", method_ = "pcgs-tf{model=" + model_ + "}";
  Matrix losses_, side_;
};

TEST_F(RunSide, IsTheLibrarysFromColumnsAndFromFiles) {
  Aggregator aggregator = make_aggregator(method_, kExperts);
  for (std::size_t t = 0; t < kRounds; ++t) {
    aggregator.learn(aggregator.open({}, side_.row(t)), losses_.row(t));
  }
  const double expected = aggregator.total_loss();
  EXPECT_EQ(total_loss({dir_ / "all.csv", "--side", "hour,load"}), expected);
  EXPECT_EQ(total_loss({dir_ / "losses.npy", "--side-file", dir_ / "side.npy"}), expected);
  EXPECT_NE(total_loss({dir_ / "all.csv", "--side", "load,hour"}), expected);
}

TEST_F(RunSide, OfAnotherShapeIsRefusedInOneSentence) {
  const std::string losses = dir_ / "losses.npy", side = dir_ / "side.npy";
  refuses({losses, "--method", method_},
          {method_, "needs 2 numbers of side information", "here are 0", "--side"});
  refuses({dir_ / "all.csv", "--side", "hour", "--ignore", "load", "--method", method_},
          {"needs 2", "here are 1"});
  npy("short.npy", Matrix(kRounds - 1, 2));
  refuses({losses, "--side-file", dir_ / "short.npy", "--method", method_},
          {"short.npy", "59", "60"});
  refuses({dir_ / "all.csv", "--side", "hour", "--side-file", side, "--method", "hedge"},
          {"--side"});
  refuses({losses, "--side-file", dir_ / "none.npy"}, {"none.npy"});
  refuses({losses, "--side-file", side, "--trace", side}, {"named twice"});
  ProgramTest::refuses({"suite", "--study", "main", "--method", method_, "--sequences", "1"},
                       {"side information"});
}

}  // namespace
}  // namespace pcgs::test
