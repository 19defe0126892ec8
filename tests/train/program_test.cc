// pcgs-train as a user runs it: fine-tuning on a file of losses, and what it refuses.
#include "cli/program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "data/npy.h"
#include "network/error_stream.h"
#include "network/model.h"
#include "network/token_stream.h"
#include "network/transformer.h"
#include "pcgs/aggregator.h"
#include "research/suite.h"
#include "show/report.h"
#include "show/result.h"
#include "show/training_result.h"
#include "support/data_file.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

const std::string kShipped = data_file("../models/regret.safetensors");
const std::string kCombines = data_file("../models/combine.safetensors");
const std::string kOracle = data_file("../models/oracle.safetensors");

class Program : public ProgramTest {
 protected:
  std::string losses_file(const std::string& name, std::size_t rounds) {
    return npy(name, suite::generate("switch", rounds, 6, 1).losses);
  }

  // The best expert goes round like clockwork, as in no sequence that the model was trained on.
  std::string clockwork_file(const std::string& name) {
    Matrix losses(300, 6);
    for (std::size_t t = 0; t < losses.rows; ++t) {
      for (std::size_t k = 0; k < losses.columns; ++k) {
        losses.row(t)[k] = k == t / 5 % 6 ? 0.1 : 0.9;
      }
    }
    return npy(name, losses);
  }

  // A small network of its own, so that a step takes a moment.
  std::vector<std::string> small(const std::string& losses, const std::string& out) {
    return {"--losses", losses,
            "--out",    out,
            "--width",  "16",
            "--layers", "1",
            "--hidden", "16",
            "--steps",  "4",
            "--quiet",  "--threads",
            "1",        "--rate",
            "0.01",     "--check-every",
            "2",        "--tokens-per-step",
            "2400",     "--window",
            "100"};
  }
};

TEST_F(Program, FineTunesTheShippedModelOnAFileOfLosses) {
  const std::string losses = clockwork_file("losses.npy"), out = dir_ / "tuned.safetensors";
  const Said said = run_program({"--init", kShipped, "--losses", losses, "--out", out, "--window",
                                 "80", "--steps", "6", "--check-every", "1", "--warm-up", "1",
                                 "--patience", "0", "--threads", "1"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("sequences/s"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("fixed-share*"), std::string::npos) << said.err;
  const infer::Model before = infer::read_model_file(kShipped), after = infer::read_model_file(out);
  EXPECT_EQ(after.config, before.config);
  EXPECT_EQ(after.token_schema, before.token_schema);
  EXPECT_NE(after.tensors, before.tensors) << said.err;
  EXPECT_EQ(said.out.find("\"best_step\": 0,"), std::string::npos) << said.err;
  EXPECT_NE(transformer_from_file(out), nullptr);
  EXPECT_EQ(dir_.entries(), 2u);
}

// The example of docs/training.md, small: a law that the shipped weights do not know, trained on the
// first 70 % and played, with all else the same, on the rest and on another sequence.
TEST_F(Program, WhatItLearnsFromThePastPaysInLaterRoundsAndOnOtherSequences) {
  const auto shifts = [](std::size_t rounds, std::size_t first) {
    Matrix losses(rounds, 6);
    for (std::size_t t = 0; t < rounds; ++t) {
      for (std::size_t k = 0; k < 6; ++k) {
        const double noise = 0.1 * std::sin(static_cast<double>(7 * t + 3 * k));
        losses.row(t)[k] = (k == (first + t / 6) % 6 ? 0.2 : 0.7) + noise;
      }
    }
    return losses;
  };
  const Matrix all = shifts(600, 0);
  const std::string past = csv("past.csv", "a,b,c,d,e,f", all, 0, 420),
                    mine = dir_ / "mine.safetensors";
  const Said said = run_program({"--init", kShipped, "--losses", past, "--out", mine, "--window",
                                 "100", "--steps", "40", "--rate", "0.001", "--check-every", "10",
                                 "--warm-up", "2", "--threads", "1"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto lost_from = [&](const std::string& model, const Matrix& losses, std::size_t from) {
    Aggregator aggregator(std::make_unique<ShareMethod>(
        6, make_transformer(transformer_from_file(model), "the model")));
    double before = 0;
    for (std::size_t t = 0; t < losses.rows; ++t) {
      if (t == from) before = aggregator.total_loss();
      aggregator.learn(losses.row(t));
    }
    return aggregator.total_loss() - before;
  };
  EXPECT_LT(lost_from(mine, all, 420), 0.97 * lost_from(kShipped, all, 420)) << said.err;
  const Matrix another = shifts(400, 3);
  EXPECT_LT(lost_from(mine, another, 0), 0.95 * lost_from(kShipped, another, 0)) << said.err;
}

TEST_F(Program, WritesItsCourseAndAPageOfIt) {
  const std::string losses = losses_file("losses.npy", 300);
  auto arguments = small(losses, dir_ / "out");
  arguments.insert(arguments.end(), {"--record", dir_ / "course.json", "--eta", "3"});
  const bool pages = report::available();
  if (pages) arguments.insert(arguments.end(), {"--report", dir_ / "page.html"});
  const Said said = run_program(arguments);
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto read = results::read_result(content(dir_ / "course.json"), "course.json");
  const auto& training = *read.get_if<results::TrainingResult>();
  EXPECT_EQ(training.recipe, "regret");
  EXPECT_EQ(training.steps, 4u);
  EXPECT_EQ(training.course.losses.steps, (std::vector<std::size_t>{1, 2, 3, 4}));
  ASSERT_EQ(training.course.checks.size(), 3u);
  EXPECT_EQ(training.course.checks[0].held_out[0].name, "last fifth");
  const std::pair<std::string, std::string> asked[] = {
      {"losses", losses}, {"window", "100"}, {"rate", "0.01"}, {"eta", "3"}, {"width", "16"}};
  for (const auto& option : asked) {
    const auto& all = training.options.by_name;
    EXPECT_NE(std::find(all.begin(), all.end(), option), all.end()) << option.first;
  }
  if (!pages) return;
  report::Material material;
  material.results.push_back({dir_ / "out", training});
  EXPECT_EQ(content(dir_ / "page.html"), report::page(material));
}

TEST_F(Program, LosesNoFileToAnother) {
  auto arguments = small(losses_file("losses.npy", 300), dir_ / "out");
  arguments.insert(arguments.end(), {"--record", dir_ / "out"});
  refuses(arguments, {"out"});
  for (const char* option : {"--record", "--checkpoint", "--report"}) {
    auto over_losses = small(dir_ / "losses.npy", dir_ / "out");
    over_losses.insert(over_losses.end(), {option, dir_ / "losses.npy"});
    refuses(over_losses, {"losses.npy", "is named twice"});
  }
  auto twice = small(dir_ / "losses.npy", dir_ / "out");
  twice.insert(twice.end(), {"--record", dir_ / "both", "--checkpoint", dir_ / "both"});
  refuses(twice, {"both", "is named twice"});
}

TEST_F(Program, WritesTheWeightsOfEveryCheckToAFolder) {
  auto arguments = small(losses_file("losses.npy", 300), dir_ / "out");
  arguments.insert(arguments.end(), {"--snapshots", dir_ / "steps"});
  refuses(arguments, {"steps/step-0.safetensors"});
  std::filesystem::create_directory(dir_ / "steps");
  const Said said = run_program(arguments);
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto kept = infer::read_model_file(dir_ / "out").tensors;
  std::size_t as_kept = 0;
  std::map<std::string, infer::Tensor> before;
  for (const char* step : {"0", "2", "4"}) {
    const auto tensors =
        infer::read_model_file(dir_ / fmt::format("steps/step-{}.safetensors", step)).tensors;
    EXPECT_NE(tensors, before) << step;
    as_kept += tensors == kept;
    before = tensors;
  }
  EXPECT_EQ(as_kept, 1u);
}

TEST_F(Program, ReadsLossesFromCsvAsFromNpy) {
  const Matrix losses = suite::generate("switch", 300, 3, 1).losses;
  npy("losses.npy", losses);
  csv("losses.csv", "a,b,c", losses);
  for (const char* kind : {"npy", "csv"}) {
    const Said said = run_program(small(dir_ / ("losses." + std::string(kind)), dir_ / kind));
    ASSERT_EQ(said.exit_code, 0) << said.err;
  }
  EXPECT_EQ(infer::read_model_file(dir_ / "npy").tensors,
            infer::read_model_file(dir_ / "csv").tensors);
}

TEST_F(Program, TheOraclesRecipePlaysAConstantEtaAndSaysSo) {
  const std::string losses = losses_file("losses.npy", 300), out = dir_ / "out";
  auto arguments = small(losses, out);
  arguments.erase(std::find(arguments.begin(), arguments.end(), "--quiet"));
  arguments.insert(arguments.end(), {"--recipe", "oracle"});
  const Said said = run_program(arguments);
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("eta is 4 in every round"), std::string::npos) << said.err;
  EXPECT_EQ(transformer_from_file(out)->maps().constant_eta, 4);

  arguments.insert(arguments.end(), {"--eta", "7"});
  const Said other = run_program(arguments);
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(other.err.find("eta is"), std::string::npos) << other.err;
  EXPECT_EQ(transformer_from_file(out)->maps().constant_eta, 7);
}

TEST_F(Program, TheOraclesRecipeTrainsNoEtaAndRefusesToPlayAnUntrainedOne) {
  const std::string losses = losses_file("losses.npy", 300), out = dir_ / "out";
  const auto oracle = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--losses", losses, "--out", out, "--recipe", "oracle", "--steps", "1",
                             "--window", "100", "--threads", "1", "--quiet"});
    return more;
  };
  refuses(oracle({"--eta", "0"}), {"--eta 4", "--recipe both"});
  refuses(oracle({"--init", kShipped}), {"regret.safetensors", "--eta 4", "--recipe both"});
  refuses(oracle({"--switch-weight", "0"}), {"--switch-weight", "--rho"});
  const Said constant = run_program(oracle({"--init", kShipped, "--eta", "5"}));
  ASSERT_EQ(constant.exit_code, 0) << constant.err;
  EXPECT_EQ(transformer_from_file(out)->maps().constant_eta, 5);
  // One that has a constant eta keeps it.
  const Said kept = run_program(oracle({"--init", kOracle}));
  ASSERT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_EQ(transformer_from_file(out)->maps(), transformer_from_file(kOracle)->maps());
}

TEST_F(Program, SaysOnceWhatTheHeldOutScoreIs) {
  auto arguments = small(losses_file("losses.npy", 300), dir_ / "out");
  arguments.erase(std::find(arguments.begin(), arguments.end(), "--quiet"));
  const Said said = run_program(arguments);
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const std::string meaning = "held out: loss beyond that of the Fixed Share that is best";
  const auto at = said.err.find(meaning);
  EXPECT_LT(at, said.err.find("as given     held out")) << said.err;
  EXPECT_EQ(said.err.find(meaning, at + 1), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("step      4  loss"), std::string::npos) << said.err;
  EXPECT_EQ(said.err.find("\r"), std::string::npos) << "no bar where there is no terminal";
}

TEST_F(Program, OnATerminalOneLineHasTheLossTheLatestAndTheBestScore) {
  auto arguments = small(losses_file("losses.npy", 300), dir_ / "out");
  arguments.erase(std::find(arguments.begin(), arguments.end(), "--quiet"));
  int terminal = -1;
  winsize size{24, 120, 0, 0};
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::vector<char*> argv = {const_cast<char*>(program_path())};
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  std::string shown;
  char bytes[4096];
  for (ssize_t n; (n = read(terminal, bytes, sizeof bytes)) > 0;) {
    shown.append(bytes, static_cast<std::size_t>(n));
  }
  close(terminal);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0) << shown;
  EXPECT_NE(shown.find("\r\x1b[Ktraining ["), std::string::npos) << shown;
  const auto last = shown.find("step 4  loss ");
  ASSERT_NE(last, std::string::npos) << shown;
  const std::string line = shown.substr(last, shown.find_first_of("\r\n", last) - last);
  EXPECT_NE(line.find("  held out "), std::string::npos) << line;
  EXPECT_NE(line.find("  best "), std::string::npos) << line;
  EXPECT_EQ(shown.find("sequences/s"), std::string::npos) << "those lines are for files";
}

TEST_F(Program, TrainsAFreshNetworkTheSameWayTwice) {
  const std::string losses = losses_file("losses.npy", 300);
  for (const char* name : {"a", "b"}) {
    const Said said = run_program(small(losses, dir_ / name));
    ASSERT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.err, "");
  }
  EXPECT_EQ(infer::read_model_file(dir_ / "a").tensors, infer::read_model_file(dir_ / "b").tensors);
}

TEST_F(Program, NeverLeavesWeightsThatAreWorseThanThoseGiven) {
  const std::string losses = losses_file("losses.npy", 300), out = dir_ / "tuned";
  const Said said = run_program({"--init", kShipped, "--losses", losses, "--out", out, "--window",
                                 "80", "--steps", "2", "--check-every", "1", "--warm-up", "0",
                                 "--rate", "30", "--threads", "1"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(infer::read_model_file(out).tensors, infer::read_model_file(kShipped).tensors);
  EXPECT_NE(said.err.find("the weights are those given"), std::string::npos) << said.err;
}

TEST_F(Program, RefusesBadInputInOneSentence) {
  const std::string losses = losses_file("losses.npy", 300), out = dir_ / "out";
  const std::string none = dir_ / "none.npy";
  refuses(small(none, out), {"none.npy"});
  refuses(small(losses_file("short.npy", 149), out), {"short.npy", "149", "150"});
  Matrix outside = suite::generate("switch", 300, 6, 1).losses;
  outside.values[9] = 1.5;
  npy("outside.npy", outside);
  refuses(small(dir_ / "outside.npy", out), {"outside.npy", "row 2", "1.5"});
  std::ofstream(dir_ / "text.npy") << "1,2,3\n";
  refuses(small(dir_ / "text.npy", out), {"text.npy"});
  refuses({"--losses", losses}, {"--out"});
  refuses(small(losses, dir_ / "no folder/out"), {"no folder/out"});
  refuses({"--losses", losses, "--out", out, "--init", dir_ / "none"}, {"none"});
  refuses({"--losses", losses, "--out", out, "--init", losses}, {"losses.npy"});
  refuses({"--losses", losses, "--out", out, "--steps", "0"}, {"--steps"});
  refuses({"--losses", losses, "--out", out, "--recipe", "luck"}, {"--recipe"});
  refuses({"--losses", losses, "--out", out, "--width", "7"}, {"heads"});
  refuses({"--losses", losses, "--out", out, "--freeze", "."}, {"frozen"});
  refuses({"--losses", losses, "--out", out, "--freeze", "embd"}, {"embd"});
  refuses({"--losses", losses, "--out", out, "--uniform", "0"}, {"--uniform"});
  refuses({"--losses", losses, "--out", out, "--uniform", "0.1", "--uniform-q"}, {"--uniform"});
  refuses({"--losses", losses, "--out", out, "--rho", "1"}, {"--rho"});
  refuses({"--losses", losses, "--out", out, "--init", kShipped, "--rho", "0.1"}, {"--rho"});
  refuses({"--losses", losses, "--out", out, "--init", kOracle, "--attention", "none"},
          {"--attention"});
  refuses({"--losses", losses, "--out", out, "--rank", "1"}, {"--rank"});
  refuses({"--losses", losses, "--out", out, "--processes", "2"}, {"--rendezvous"});
}

TEST_F(Program, WritesTheMapsItTrainedWithIntoTheModel) {
  const std::string losses = losses_file("losses.npy", 300), out = dir_ / "out.safetensors";
  auto arguments = small(losses, out);
  arguments.insert(arguments.end(), {"--eta", "3", "--rho", "0.02", "--uniform-q", "--freeze",
                                     "head", "--rho-max", "0.25"});
  const Said said = run_program(arguments);
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const ControlMaps expected = {0.25, 1, 0.05, 3, 0.02};
  EXPECT_EQ(transformer_from_file(out)->maps(), expected);
  const auto provenance = nlohmann::json::parse(said.out);
  EXPECT_EQ(provenance["maps"], nlohmann::json(constants_of(expected)));
  EXPECT_EQ(provenance["window"], 100);
  EXPECT_EQ(provenance["switches"], 12);
  EXPECT_EQ(provenance["tokens"], tokens::TokenStream::schema_name());
  EXPECT_EQ(provenance["bfloat16"], false);
  EXPECT_EQ(provenance["freeze"], nlohmann::json({"head"}));

  // A model that is trained further keeps them.
  const std::string next = dir_ / "next.safetensors";
  const Said again = run_program({"--init", out, "--losses", losses, "--out", next, "--steps", "1",
                                  "--window", "100", "--quiet", "--threads", "1"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(transformer_from_file(next)->maps(), expected);
}

TEST_F(Program, RefusesTheCheckpointOfAnotherTraining) {
  const std::string losses = losses_file("losses.npy", 300), out = dir_ / "out";
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--checkpoint", dir_ / "checkpoint"});
    return more;
  };
  ASSERT_EQ(run_program(with(small(losses, out))).exit_code, 0);
  refuses(with(small(clockwork_file("other.npy"), out)), {"checkpoint", "file of losses"});
  auto seeded = small(losses, out);
  seeded.insert(seeded.end(), {"--seed", "2"});
  refuses(with(seeded), {"checkpoint", "its seed was 1 and here it is 2"});
  auto switched = small(losses, out);
  switched.insert(switched.end(), {"--switches", "3"});
  refuses(with(switched), {"checkpoint", "number of switches"});
}

TEST_F(Program, GivesAModelThatTakesSideInformation) {
  const std::string losses = clockwork_file("losses.npy"), side = dir_ / "side.npy",
                    out = dir_ / "out.safetensors";
  Matrix clock(300, 2);
  for (std::size_t t = 0; t < clock.rows; ++t) clock.row(t)[0] = static_cast<double>(t % 5);
  npy("side.npy", clock);
  const std::vector<std::string> quick = {"--window", "80",      "--steps",   "6", "--check-every",
                                          "1",        "--quiet", "--threads", "1", "--warm-up",
                                          "1"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), quick.begin(), quick.end());
    return arguments;
  };
  const Said said =
      run_program(with({"--init", kShipped, "--losses", losses, "--side", side, "--out", out}));
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.out.find("\"side_features\": 2"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("side.npy"), std::string::npos) << said.out;
  const infer::Model model = infer::read_model_file(out);
  EXPECT_EQ(model.config.side, 2u);
  EXPECT_EQ(transformer_from_file(out)->side(), 2u);
  // Both columns began at zero; only the one that says something has moved.
  const infer::Tensor& embed = model.tensors.at("embed.weight");
  double moved = 0, still = 0;
  for (std::size_t row = 0; row < embed.shape[0]; ++row) {
    const float* end = embed.values.data() + (row + 1) * embed.shape[1];
    moved += std::abs(double{end[-2]});
    still += std::abs(double{end[-1]});
  }
  EXPECT_GT(moved, 0);
  EXPECT_EQ(still, 0);

  refuses(with({"--losses", losses, "--init", out, "--out", dir_ / "b"}),
          {"takes 2 numbers of side information", "--side"});
  npy("short.npy", Matrix(299, 2));
  refuses(with({"--losses", losses, "--side", dir_ / "short.npy", "--out", dir_ / "b"}),
          {"short.npy", "299", "300"});
  refuses(with({"--side", side, "--out", dir_ / "b"}), {"--losses"});
}

TEST_F(Program, RefusesAModelForOtherTokens) {
  infer::Model model = infer::read_model_file(kShipped);
  model.token_schema = "pcgs-tokens-0-00000000";
  infer::write_model_file(model, dir_ / "other");
  refuses(
      {"--losses", losses_file("losses.npy", 300), "--out", dir_ / "out", "--init", dir_ / "other"},
      {"other", "pcgs-tokens-0-00000000"});
}

// ---- A controller that combines -----------------------------------------------------------------

std::vector<std::string> combine(const std::string& out, std::vector<std::string> more = {}) {
  std::vector<std::string> all = {
      "--recipe",  "combine", "--out",         out, "--sequences",       "1",    "--held-out", "1",
      "--steps",   "2",       "--check-every", "1", "--tokens-per-step", "2400", "--warm-up",  "1",
      "--threads", "1",       "--quiet"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
const std::vector<std::string> kNarrow = {"--width", "8", "--layers",    "1",   "--hidden", "8",
                                          "--heads", "2", "--attention", "none"};

TEST_F(Program, TrainsAControllerThatCombines) {
  const std::string out = dir_ / "out.safetensors";
  const Said said = run_program(combine(out, kNarrow));
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.err, "");
  EXPECT_TRUE(transformer_from_file(out)->combines());
  EXPECT_EQ(infer::read_model_file(out).config.width, 8u);
  const auto provenance = nlohmann::json::parse(said.out);
  EXPECT_EQ(provenance["recipe"], "combine");
  EXPECT_EQ(provenance["tokens"], tokens::ErrorStream::schema_name());
  EXPECT_EQ(provenance["oracle_weight"], 0);
  EXPECT_EQ(provenance["families"], 0);
  EXPECT_EQ(provenance["skipped_steps"], 0);
  for (const char* kind : {"errors", "few experts", "many rounds", "forecasts"}) {
    const double ratio = provenance["held_out"][kind]["error_to_best_candidate"];
    EXPECT_TRUE(ratio > 0.5 && ratio < 2) << kind << " " << ratio;
  }
  EXPECT_EQ(nlohmann::json::parse(infer::read_model_file(out).metadata.at("provenance")),
            provenance);
}

TEST_F(Program, GoesOnFromAModelThatCombines) {
  const std::string out = dir_ / "out.safetensors";
  const Said said = run_program(combine(out, {"--init", kCombines}));
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(infer::read_model_file(out).config, infer::read_model_file(kCombines).config);
  EXPECT_TRUE(transformer_from_file(out)->combines());
}

TEST_F(Program, RefusesWhatAControllerThatCombinesCannotLearnFrom) {
  const std::string losses = losses_file("losses.npy", 300), out = dir_ / "out";
  refuses({"--recipe", "combine", "--losses", losses, "--out", out},
          {"--recipe combine", "--losses"});
  refuses(combine(out, {"--family", "switch"}), {"--recipe combine", "--family"});
  refuses({"--losses", losses, "--out", out, "--family", "switch"}, {"--losses", "--family"});
  refuses(combine(out, {"--favour", "switch", "0.1"}), {"--recipe combine", "--favour"});
  refuses(combine(out, {"--init", kShipped}), {"regret.safetensors", "--recipe regret"});
  refuses({"--losses", losses, "--out", out, "--init", kCombines},
          {"combine.safetensors", "--recipe combine"});
}

TEST_F(Program, RefusesFavouredFamiliesThatLeaveNothingForTheOthers) {
  const std::string losses = losses_file("losses.npy", 300), out = dir_ / "out";
  refuses({"--out", out, "--favour", "switch", "0.4", "--favour", "mix", "0.6"},
          {"--favour", "add up to 1", "--family"});
  refuses({"--out", out, "--favour", "switch", "0"}, {"--favour switch 0", "above 0"});
  refuses({"--out", out, "--favour", "switch", "nan"}, {"--favour switch nan", "above 0"});
  refuses({"--out", out, "--favour", "swich", "0.1", "--sequences", "20"}, {"swich"});
  refuses({"--out", out, "--favour", "switch", "0.1", "--family", "mix"}, {"--favour", "--family"});
  refuses({"--losses", losses, "--out", out, "--favour", "switch", "0.1"},
          {"--losses", "--favour"});
}

TEST_F(Program, TwoProcessesAgreeWithOne) {
  const std::string losses = losses_file("losses.npy", 300);
  ASSERT_EQ(run_program(small(losses, dir_ / "alone")).exit_code, 0);
  const auto run = [&](const std::string& rank) {
    auto arguments = small(losses, dir_ / "together");
    arguments.insert(arguments.end(), {"--processes", "2", "--rank", rank, "--rendezvous",
                                       dir_ / "rendezvous", "--checkpoint", dir_ / "checkpoint"});
    return run_program(arguments);
  };
  Said second;
  std::thread other([&] { second = run("1"); });
  const Said first = run("0");
  other.join();
  if (first.err.find("built for one process alone") != std::string::npos) {
    GTEST_SKIP() << first.err;
  }
  ASSERT_EQ(first.exit_code, 0) << first.err;
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.out + second.err, "");  // only the first speaks
  const infer::Model alone = infer::read_model_file(dir_ / "alone"),
                     together = infer::read_model_file(dir_ / "together");
  for (const auto& [name, tensor] : alone.tensors) {
    // A softmax is blind to what it adds to all: these have no gradient but rounding errors, which
    // the optimiser makes into steps of the usual size.
    if (name == "head.bias" || name.ends_with(".k.bias") || name.ends_with(".k2.bias")) continue;
    const auto& others = together.tensors.at(name).values;
    for (std::size_t i = 0; i < others.size(); ++i) {
      ASSERT_NEAR(others[i], tensor.values[i], 1e-5) << name;
    }
  }
}

}  // namespace
}  // namespace pcgs::test
