// The error of a stream beside equal weights: what a plain loop over published forecasts sums.
#include "serve/error_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "serve/stream.h"

namespace pcgs {

using namespace stream;

namespace {

Stream made_stream(const std::string& loss, const std::string& method = "ml-poly") {
  Stream stream;
  EXPECT_EQ(stream.step(Made{{{"a", "b"}, loss, 0.5, {}, method}}).verdict, Verdict::kDone);
  return stream;
}

}  // namespace

TEST(ErrorRecord, IsThatOfPublishedForecastsHoweverLateOutcomesAre) {
  for (const char* loss : {"squared", "absolute"}) {
    Stream stream = made_stream(loss);
    const TaskLoss task(loss);
    double combination = 0, equal = 0;
    std::vector<double> published;
    for (int t = 0; t < 40; ++t) {
      const double a = 10 + t % 3, b = 20 - t % 5;
      const auto output = stream.step(RoundOpened{std::to_string(t), {{"a", a}, {"b", b}}});
      published.push_back(output.answer->forecast);
      if (t < 7) continue;
      const int due = t - 7;  // a week later
      const double y = 11 + due % 2;
      ASSERT_EQ(stream.step(OutcomeSeen{std::to_string(due), y}).verdict, Verdict::kDone);
      combination += task(published[std::size_t(due)], y);
      equal += task((10 + due % 3 + 20 - due % 5) / 2.0, y);
    }
    const auto measure = [&](double sum) {
      return task.kind() == TaskLoss::Kind::kSquared ? std::sqrt(sum / 33) : sum / 33;
    };
    const ErrorRecord& errors = stream.errors();
    EXPECT_EQ(errors.rounds(), 33u);
    EXPECT_NEAR(*errors.combination(task), measure(combination), 1e-12) << loss;
    EXPECT_NEAR(*errors.equal_weights(task), measure(equal), 1e-12) << loss;
    EXPECT_NEAR(*errors.ratio(task), measure(combination) / measure(equal), 1e-12) << loss;
    EXPECT_LT(*errors.ratio(task), 1) << "a is better, and that is learned";
  }
}

TEST(ErrorRecord, CountsWhatWasLearnedAndNothingElse) {
  Stream stream = made_stream("squared");
  const TaskLoss task("squared");
  EXPECT_EQ(stream.errors().combination(task), std::nullopt);
  EXPECT_EQ(stream.errors().ratio(task), std::nullopt);
  stream.step(RoundOpened{"nobody", {}});
  stream.step(OutcomeSeen{"nobody", 1});
  stream.step(RoundOpened{"abandoned", {{"a", 1}}});
  stream.step(RoundAbandoned{"abandoned"});
  stream.step(RoundOpened{"open", {{"a", 1}}});
  EXPECT_EQ(stream.errors().rounds(), 0u);
  stream.step(OutcomeSeen{"open", 3});
  stream.step(OutcomeSeen{"open", 3});
  EXPECT_EQ(stream.errors().rounds(), 1u);
  EXPECT_EQ(stream.errors().equal_weights(task), 2);
}

TEST(ErrorRecord, StaysANumberWhateverCame) {
  constexpr double kMost = std::numeric_limits<double>::max();
  Stream stream = made_stream("squared");
  const TaskLoss squared("squared");
  stream.step(RoundOpened{"1", {{"a", kMost}, {"b", kMost}}});
  stream.step(OutcomeSeen{"1", -kMost});
  stream.step(RoundOpened{"2", {{"a", 1}, {"b", 1}}});
  stream.step(OutcomeSeen{"2", 1});
  EXPECT_EQ(stream.errors().rounds(), 2u);
  EXPECT_EQ(stream.errors().combination(squared), std::nullopt) << "it is beyond a double";
  EXPECT_EQ(stream.errors().ratio(squared), std::nullopt);
  EXPECT_EQ(Stream::load(stream.save(), "snapshot").save(), stream.save());

  stream = made_stream("log", "blend");
  stream.step(RoundOpened{"1", {{"a", 0}, {"b", 0}}});
  stream.step(OutcomeSeen{"1", 1});
  EXPECT_EQ(stream.errors().equal_weights(TaskLoss("log")), std::nullopt) << "it was ruled out";

  stream = made_stream("squared");
  stream.step(RoundOpened{"1", {{"a", 1}, {"b", 3}}});
  stream.step(OutcomeSeen{"1", 2});
  EXPECT_EQ(stream.errors().equal_weights(squared), 0);
  EXPECT_EQ(stream.errors().ratio(squared), std::nullopt) << "nothing can be divided by it";
}

}  // namespace pcgs
