// The training loop on sequences small enough to train on in a test.
#include "trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "error_matrices.h"
#include "error_pool.h"
#include "network/error_stream.h"
#include "pcgs/error.h"
#include "support/expect.h"
#include "support/temp_dir.h"
#include "tiny.h"

namespace pcgs::train {
namespace {

using test::Tiny;

// The held-out sequences by the measure that is trained, with the net's weights.
double held_out_loss(const Tiny& tiny) {
  torch::NoGradGuard no_gradients;
  const Pool& pool = tiny.held_out[0].pool;
  const auto all = torch::arange(pool.size());
  return training_loss(tiny.options.recipe,
                       controls_on(tiny.net, pool, all, tiny.options.maps, false), pool, all)
      .item<double>();
}

class TrainerRecipe : public testing::TestWithParam<Recipe> {};

TEST_P(TrainerRecipe, TwentyStepsMakeTheHeldOutLossFall) {
  Tiny tiny;
  tiny.options.recipe = GetParam();
  const double before = held_out_loss(tiny);
  double first = 0, last = 0;
  const Report report = tiny.train([&](const Report& r) {
    if (r.step == 0) first = r.score;
    last = held_out_loss(tiny);
  });
  EXPECT_EQ(report.step, 20);
  EXPECT_EQ(report.skipped, 0);
  EXPECT_LT(last, before - 0.02);
  EXPECT_LE(report.score, first);
}

INSTANTIATE_TEST_SUITE_P(All, TrainerRecipe,
                         testing::Values(Recipe{1, 0, 1}, Recipe{0, 1, 1}, Recipe{1, 1, 1}),
                         [](const auto& recipe) {
                           return recipe.param.oracle == 0   ? "Regret"
                                  : recipe.param.regret == 0 ? "Oracle"
                                                             : "Both";
                         });

Pool tiny_error_pool(std::uint64_t first) {
  return make_error_pool(
      16,
      [=](std::size_t i) {
        return make_error_matrix(test::kTinyRounds, test::kTinyExperts, first + i);
      },
      1, torch::kCPU);
}

TEST(Trainer, TwentyStepsMakeTheErrorOfTheCombinationFall) {
  Tiny tiny;
  infer::Config config = test::tiny_config();
  config.features = tokens::errors::kExpertFeatures;
  config.shared = tokens::errors::kSharedFeatures;
  tiny.net = ControllerNet(config, 1, torch::kCPU);
  tiny.pools[0] = tiny_error_pool(0);
  tiny.held_out[0] = {"errors", tiny_error_pool(100)};
  const double before = held_out_loss(tiny);
  const Report report = tiny.train();
  EXPECT_EQ(report.skipped, 0);
  EXPECT_TRUE(report.scores[0].combines);
  EXPECT_LT(held_out_loss(tiny), before - 0.02);
  EXPECT_NEAR(report.scores[0].beyond, held_out_loss(tiny), 1e-6)
      << "it is trained as it is judged";
}

void train_until_the_power_is_gone(Tiny& tiny, int after) {
  int steps = 0;
  const auto stepped = [&] {
    if (++steps == after) throw std::runtime_error("the power is gone");
  };
  EXPECT_THROW(tiny.train([](const Report&) {}, stepped), std::runtime_error);
}

TEST(Trainer, GoesOnFromACheckpointToTheBit) {
  const test::TempDir dir;
  Tiny straight;
  straight.options.steps = 6;
  straight.options.check_every = 3;
  std::vector<double> losses, scores;
  const Report whole = straight.train([&](const Report& r) {
    losses.push_back(r.loss);
    scores.push_back(r.score);
  });

  Tiny stopped;
  stopped.options = straight.options;
  stopped.options.checkpoint = dir / "checkpoint";
  train_until_the_power_is_gone(stopped, 5);

  Tiny resumed;
  resumed.options = stopped.options;
  std::vector<double> rest, rest_scores;
  const Report end = resumed.train([&](const Report& r) {
    rest.push_back(r.loss);
    rest_scores.push_back(r.score);
  });
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0], losses.back());
  EXPECT_EQ(rest_scores[0], scores.back());
  EXPECT_EQ(resumed.model(), straight.model());  // the best weights
  EXPECT_EQ(end.score, whole.score);
  EXPECT_EQ(end.best_step, whole.best_step);
  EXPECT_EQ(end.step, whole.step);
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(Trainer, TheCourseHasEveryCheckAndEveryStep) {
  Tiny tiny;
  tiny.options.steps = 12;
  std::vector<double> losses, scores;
  Watcher watcher;
  watcher.stepped = [&](const Step& step) { losses.push_back(step.loss); };
  watcher.checked = [&](const Report& report) { scores.push_back(report.score); };
  const auto course = tiny.outcome_of_training(watcher).course;
  ASSERT_EQ(course.losses.steps.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(course.losses.steps[i], i + 1);
    EXPECT_EQ(course.losses.loss[i], losses[i]);
    EXPECT_EQ(course.losses.rate[i], learning_rate(tiny.options, static_cast<std::int64_t>(i),
                                                   static_cast<double>(i) / 12));
  }
  ASSERT_EQ(course.checks.size(), 4u);  // as given, after 5, 10 and 12
  EXPECT_EQ(course.checks[0].step, 0u);
  EXPECT_EQ(course.checks[3].step, 12u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(course.checks[i].score, scores[i]);
  EXPECT_EQ(course.checks[1].held_out[0].name, "switch");
  EXPECT_TRUE(course.checks[1].held_out[0].regret.has_value());
}

TEST(Trainer, TheCourseIsThatOfTheWholeTrainingAfterACheckpoint) {
  const test::TempDir dir;
  Tiny straight;
  straight.options.steps = 10;
  Tiny stopped;
  stopped.options = straight.options;
  stopped.options.checkpoint = dir / "checkpoint";
  Watcher cut;
  cut.stepped = [](const Step& step) {
    if (step.step == 7) throw std::runtime_error("the power is gone");
  };
  EXPECT_THROW(stopped.outcome_of_training(cut), std::runtime_error);
  Tiny resumed;
  resumed.options = stopped.options;
  std::vector<std::int64_t> steps;
  Watcher rest;
  rest.stepped = [&](const Step& step) { steps.push_back(step.step); };
  EXPECT_EQ(resumed.outcome_of_training(rest).course, straight.outcome_of_training().course);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{6, 7, 8, 9, 10}));
}

TEST(Trainer, EveryHeldOutSequenceIsToldOfWhenItIsPlayed) {
  Tiny tiny;
  tiny.options.steps = 5;
  std::int64_t judged = 0;
  Watcher watcher;
  watcher.judged = [&](std::int64_t sequences) { judged += sequences; };
  tiny.outcome_of_training(watcher);
  EXPECT_EQ(judged, 3 * 16);  // as given, at the end, and what was kept
}

TEST(Trainer, KeepsTheBestWeightsAcrossACheckpoint) {
  const test::TempDir dir;
  const auto diverging = [&] {
    Tiny tiny;
    tiny.options.rate = 3;  // every step makes it worse
    tiny.options.steps = 4;
    tiny.options.check_every = 2;
    return tiny;
  };
  Tiny stopped = diverging();
  const auto given = stopped.model();
  stopped.options.checkpoint = dir / "checkpoint";
  train_until_the_power_is_gone(stopped, 3);
  EXPECT_NE(stopped.model(), given);
  Tiny resumed = diverging();
  resumed.options.checkpoint = dir / "checkpoint";
  EXPECT_EQ(resumed.train().best_step, 0);
  EXPECT_EQ(resumed.model(), given);
}

TEST(Trainer, ACheckpointOfATrainingThatIsOverChangesNothing) {
  const test::TempDir dir;
  Tiny first;
  first.options.steps = 4;
  first.options.checkpoint = dir / "checkpoint";
  const Report report = first.train();
  Tiny again;
  again.options = first.options;
  int steps = 0;
  const Report same = again.train([](const Report&) {}, [&] { ++steps; });
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(same.step, 4);
  EXPECT_EQ(same.score, report.score);
  EXPECT_EQ(again.model(), first.model());
}

TEST(Trainer, RefusesCheckpointsThatAreNotItsOwn) {
  const test::TempDir dir;
  Tiny tiny;
  tiny.options.steps = 1;
  tiny.options.checkpoint = dir / "checkpoint";
  tiny.train();
  std::ofstream(dir / "text") << "not a checkpoint";
  tiny.options.checkpoint = dir / "text";
  EXPECT_THROW(tiny.train(), Error);
  std::ostringstream other;  // libtorch's, and nothing else
  torch::save(std::vector<torch::Tensor>{torch::zeros({7}, torch::kDouble)}, other);
  std::ofstream(dir / "other") << other.str();
  tiny.options.checkpoint = dir / "other";
  EXPECT_TRUE(test::mentions(test::error_of([&] { tiny.train(); }), "another version"));
  tiny.options.checkpoint = dir / "no folder/checkpoint";
  EXPECT_THROW(tiny.train(), Error);
}

// One sentence that says what is different, before any step.
TEST(Trainer, RefusesTheCheckpointOfAnotherTraining) {
  const test::TempDir dir;
  const auto tiny_with_checkpoint = [&] {
    Tiny tiny;
    tiny.options.steps = 1;
    tiny.options.checkpoint = dir / "checkpoint";
    tiny.options.data = {{"number of sequences", "16"}};
    return tiny;
  };
  tiny_with_checkpoint().train();
  const auto refuses = [&](const char* what, const std::function<void(Tiny&)>& change) {
    Tiny tiny = tiny_with_checkpoint();
    tiny.options.steps = 2;
    change(tiny);
    const std::string message =
        test::error_of([&] { tiny.train([](const Report&) { ADD_FAILURE() << "trained"; }); });
    EXPECT_TRUE(test::mentions(
        message, "checkpoint belongs to another training: its " + std::string(what) + " was "));
  };
  refuses("rate", [](Tiny& t) { t.options.rate *= 2; });
  refuses("seed", [](Tiny& t) { t.options.seed += 1; });
  refuses("constant_rho", [](Tiny& t) { t.options.maps.constant_rho = 0.01; });
  refuses("uniform", [](Tiny& t) { t.options.maps.uniform = 1; });
  refuses("recipe's weight of the oracle", [](Tiny& t) { t.options.recipe.oracle = 1; });
  refuses("list of frozen tensors", [](Tiny& t) { t.options.frozen = {"embed"}; });
  refuses("number of sequences", [](Tiny& t) { t.options.data["number of sequences"] = "17"; });
  refuses("file of losses", [](Tiny& t) { t.options.data["file of losses"] = "0123"; });
  refuses("width", [](Tiny& t) {
    infer::Config wider = test::tiny_config();
    wider.width = 20;
    t.net = ControllerNet(wider, 1, torch::kCPU);
  });
  // How long it goes on, and when it is looked at, may change.
  Tiny longer = tiny_with_checkpoint();
  longer.options.steps = 3;
  longer.options.check_every = 1;
  EXPECT_EQ(longer.train().step, 3);
}

TEST(Trainer, RefusesToFreezeWhatThereIsNot) {
  Tiny tiny;
  tiny.options.frozen = {"embed", "heads"};
  const std::string message = test::error_of([&] { tiny.train(); });
  EXPECT_TRUE(test::mentions(message, "heads"));
  EXPECT_TRUE(test::mentions(message, "embed, head, layers, norm, pool"));
}

TEST(Trainer, SkipsAndCountsGradientsThatAreNotFinite) {
  Tiny tiny;
  // A batch is drawn with replacement: of sixteen sequences one is in some of the batches.
  tiny.pools[0].own[3].fill_(std::numeric_limits<double>::quiet_NaN());
  std::vector<double> losses;
  const Report report = tiny.train([&](const Report& r) { losses.push_back(r.loss); });
  EXPECT_GT(report.skipped, 0);
  EXPECT_LT(report.skipped, 20);
  for (const double loss : losses) EXPECT_TRUE(std::isfinite(loss));
  for (const auto& [name, tensor] : tiny.net.tensors()) {
    EXPECT_TRUE(torch::isfinite(tensor).all().item<bool>()) << name;
  }
}

TEST(Trainer, AnAllPoisonedPoolLeavesTheWeightsAsTheyWere) {
  Tiny tiny;
  tiny.options.steps = 3;
  tiny.pools[0].own.fill_(std::numeric_limits<double>::quiet_NaN());
  const auto given = tiny.model();
  EXPECT_EQ(tiny.train().skipped, 3);
  EXPECT_EQ(tiny.model(), given);
}

TEST(Trainer, FrozenTensorsStayAndOthersMove) {
  Tiny tiny;
  const auto given = tiny.model();
  tiny.options.frozen = {"embed", "layers.0.attention"};
  infer::Model last;  // not the best: that may be the given one
  tiny.train([&](const Report&) { last = tiny.model(); });
  for (const auto& [name, tensor] : given.tensors) {
    const bool frozen = name.find("embed") == 0 || name.find("layers.0.attention") == 0;
    EXPECT_EQ(last.tensors.at(name) == tensor, frozen) << name;
  }
  tiny.options.frozen = {""};  // every name contains this
  EXPECT_THROW(tiny.train(), Error);
}

TEST(Trainer, TheScheduleWarmsUpAndEndsLow) {
  TrainerOptions options;
  options.rate = 1;
  options.warm_up = 10;
  EXPECT_NEAR(learning_rate(options, 0, 0), 0.1, 1e-12);
  EXPECT_NEAR(learning_rate(options, 9, 0), 1, 1e-12);
  EXPECT_NEAR(learning_rate(options, 100, 0.5), 0.51, 1e-12);
  EXPECT_NEAR(learning_rate(options, 100, 1), 0.02, 1e-12);
  for (int i = 1; i <= 100; ++i) {
    EXPECT_LT(learning_rate(options, 100, i / 100.0), learning_rate(options, 100, (i - 1) / 100.0));
  }
}

TEST(Trainer, StopsWhenNothingBetterComes) {
  Tiny tiny;
  tiny.options.rate = 3;  // every step makes it worse
  tiny.options.steps = 1000;
  tiny.options.check_every = 1;
  tiny.options.patience = 2;
  const auto given = tiny.model();
  const Report report = tiny.train();
  EXPECT_LT(report.step, 50);
  EXPECT_EQ(report.step - report.best_step, 2);
  EXPECT_EQ(tiny.model() == given, report.best_step == 0);
}

TEST(Trainer, TheWeightsThatStayHaveTheBestScoreSeen) {
  Tiny tiny;
  double best = 1e300;
  const Report report = tiny.train([&](const Report& r) { best = std::min(best, r.score); });
  EXPECT_EQ(report.score, best);
  EXPECT_EQ(held_out_scores(tiny.net, tiny.options, tiny.held_out)[0].beyond, best);
}

}  // namespace
}  // namespace pcgs::train
