#include "proof/trace_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/trace.h"
#include "support/csv.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"
#include "support/recording_controller.h"
#include "support/temp_dir.h"
#include "support/uniform_method.h"

namespace pcgs {
namespace {

using test::Random;
using test::same_bits;
using test::share_aggregator;
using test::TempDir;

const std::vector<std::string> kNames = {"plain", "with, comma", "with \"quotes\""};

void run_some_rounds(Aggregator& aggregator) {
  Random random(1);
  for (int t = 0; t < 20; ++t) {
    aggregator.learn(random.losses(3));
    aggregator.predict(random.losses(3));
    aggregator.learn(aggregator.last_opened(), random.uniform());
  }
  aggregator.learn(std::vector<double>{5e-324, 1e-17, 1.0 / 3});
}

void trace_some_rounds(TraceFile& file, const std::string& method = "m") {
  Aggregator aggregator = share_aggregator(3, 2, 0.1);
  const auto sink = file.sink(method);
  aggregator.trace(sink.get());
  run_some_rounds(aggregator);
}

// The rows of a trace file, each from column name to cell.
std::vector<std::map<std::string, std::string>> read_rows(const std::string& path) {
  const auto cells = test::csv_rows(path);
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    EXPECT_EQ(cells[i].size(), cells[0].size()) << "line " << i + 1;
    rows.emplace_back();
    for (std::size_t c = 0; c < cells[0].size(); ++c) rows.back()[cells[0][c]] = cells[i].at(c);
  }
  return rows;
}

double number(const std::string& cell) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  EXPECT_TRUE(!cell.empty() && *end == '\0') << "\"" << cell << "\" is no number";
  return value;
}

TEST(TraceFile, ReadsBackToTheSameBits) {
  const TempDir dir;
  Trace memory;
  Aggregator first = share_aggregator(3, 2, 0.1);
  first.trace(&memory);
  run_some_rounds(first);

  WholeFile whole(dir / "trace.csv");
  TraceFile file(whole, kNames);
  trace_some_rounds(file, "fixed-share{eta=2,rho=0.1}");
  whole.commit();

  const auto rows = read_rows(dir / "trace.csv");
  ASSERT_EQ(rows.size(), memory.rows().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Trace::Row& expected = memory.rows()[i];
    auto row = rows[i];
    EXPECT_EQ(row.size(), 10 + 3 * kNames.size());
    EXPECT_EQ(row["method"], "fixed-share{eta=2,rho=0.1}");
    EXPECT_EQ(row["round"], std::to_string(expected.round));
    EXPECT_TRUE(same_bits(number(row["mixture_loss"]), expected.mixture_loss));
    EXPECT_TRUE(same_bits(number(row["learner_loss"]), expected.learner_loss));
    EXPECT_TRUE(same_bits(number(row["scale"]), expected.scale));
    if (std::isnan(expected.forecast_loss)) {
      EXPECT_EQ(row["forecast_loss"], "");
    } else {
      EXPECT_TRUE(same_bits(number(row["forecast_loss"]), expected.forecast_loss));
    }
    EXPECT_TRUE(same_bits(number(row["eta"]), expected.eta));
    EXPECT_TRUE(same_bits(number(row["rho"]), expected.rho));
    EXPECT_TRUE(same_bits(number(row["mix_loss"]), expected.mix_loss));
    EXPECT_TRUE(same_bits(number(row["gap"]), expected.gap));
    for (std::size_t k = 0; k < kNames.size(); ++k) {
      EXPECT_TRUE(same_bits(number(row["weight:" + kNames[k]]), expected.weights[k]));
      EXPECT_TRUE(same_bits(number(row["loss:" + kNames[k]]), expected.losses[k]));
      EXPECT_TRUE(same_bits(number(row["q:" + kNames[k]]), expected.q[k]));
    }
  }
}

TEST(TraceFile, HoldsSeveralMethodsAndLeavesEmptyWhatTheyLack) {
  const TempDir dir;
  WholeFile whole(dir / "trace.csv");
  TraceFile file(whole, std::vector<std::string>{"a", "b"});
  const auto share_sink = file.sink("hedge{eta=1}");
  const auto other_sink = file.sink("uniform");
  Aggregator share = share_aggregator(2, 1, 0);
  Aggregator other(std::make_unique<test::Uniform>(2), {});
  share.trace(share_sink.get());
  other.trace(other_sink.get());
  for (int t = 0; t < 2; ++t) {
    share.learn(std::vector<double>{0, 1});
    other.learn(std::vector<double>{0, 1});
  }
  whole.commit();
  auto rows = read_rows(dir / "trace.csv");
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t i : {1u, 3u}) {
    EXPECT_EQ(rows[i]["method"], "uniform");
    EXPECT_EQ(number(rows[i]["weight:a"]), 0.5);
    for (const char* column : {"eta", "rho", "mix_loss", "gap", "q:a", "q:b"}) {
      ASSERT_EQ(rows[i].count(column), 1u) << column;
      EXPECT_EQ(rows[i][column], "") << column;
      EXPECT_NE(rows[i - 1][column], "") << column;
    }
  }
}

using test::copy;

TEST(Trace, KeepsEveryRoundAsItWasPlayed) {
  Aggregator aggregator = share_aggregator(2, 3, 0.125);
  Trace trace;
  aggregator.trace(&trace);
  const std::int64_t early = aggregator.open();
  const std::vector<double> played = copy(aggregator.played(early));
  aggregator.learn(std::vector<double>{0, 1});
  const ShareStep first = aggregator.method().share()->last();
  aggregator.learn(early, std::vector<double>{1, 0.5});
  aggregator.trace(nullptr);
  aggregator.learn(std::vector<double>{0, 1});

  ASSERT_EQ(trace.rows().size(), 2u);
  EXPECT_EQ(trace.rows()[0].round, 2);
  EXPECT_TRUE(same_bits(trace.rows()[0].losses, std::vector<double>{0, 1}));
  EXPECT_EQ(trace.rows()[0].eta, 3);
  EXPECT_EQ(trace.rows()[0].rho, 0.125);
  EXPECT_EQ(trace.rows()[0].q, (std::vector<double>{0.5, 0.5})) << "uniform is written out";
  EXPECT_TRUE(same_bits(trace.rows()[0].mix_loss, first.mix_loss));
  EXPECT_TRUE(same_bits(trace.rows()[0].gap, first.gap));
  EXPECT_EQ(trace.rows()[1].round, 1);
  EXPECT_TRUE(same_bits(trace.rows()[1].weights, played)) << "not the weights of today";
  EXPECT_NEAR(trace.rows()[1].mixture_loss, 0.75, 1e-15);
  EXPECT_NEAR(trace.rows()[1].learner_loss, 0.75, 1e-15);
}

TEST(Trace, SaysNothingAboutStepsOfOtherMethods) {
  Aggregator aggregator(std::make_unique<test::Uniform>(2), {});
  Trace trace;
  aggregator.trace(&trace);
  aggregator.learn(std::vector<double>{0, 1});
  ASSERT_EQ(trace.rows().size(), 1u);
  EXPECT_TRUE(trace.rows()[0].q.empty());
  EXPECT_EQ(trace.rows()[0].mixture_loss, 0.5);
}

TEST(Trace, SaysTheScaleAndTheLossOfTheCombinedForecast) {
  Aggregator aggregator = share_aggregator(2, 3, 0);
  Trace trace;
  aggregator.trace(&trace);
  aggregator.predict(std::vector<double>{0, 4});
  aggregator.learn(10.0);
  aggregator.learn(std::vector<double>{0, 1});
  ASSERT_EQ(trace.rows().size(), 2u);
  EXPECT_EQ(trace.rows()[0].scale, 20 * 100.0) << "twenty times the upper of two losses";
  EXPECT_EQ(trace.rows()[0].losses, (std::vector<double>{100 / 2000.0, 36 / 2000.0}));
  EXPECT_EQ(trace.rows()[0].forecast_loss, 64);
  EXPECT_EQ(trace.rows()[1].scale, 1);
  EXPECT_TRUE(std::isnan(trace.rows()[1].forecast_loss)) << "there is none";
}

}  // namespace

}  // namespace pcgs
