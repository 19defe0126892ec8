// The step is a function: a log of events ends in the same bytes however it is delivered.
#include "serve/stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "serve/random_log.h"
#include "support/expect.h"

namespace pcgs {

using namespace serve;
using test::random_log;

namespace {

// What the log means, without streams: calls of an Aggregator.
class Offline {
 public:
  void operator()(const Made& event) {
    Aggregator::Options options;
    options.task = TaskLoss(event.spec.loss);
    options.names = event.spec.experts;
    aggregator_ = make_aggregator(event.spec.method, event.spec.experts.size(), options);
  }
  void operator()(const RoundOpened& event) {
    std::vector<double> forecasts;
    for (const std::string& name : aggregator_->names()) {
      forecasts.push_back(std::numeric_limits<double>::quiet_NaN());
      for (const auto& [who, forecast] : event.forecasts) {
        if (who == name) forecasts.back() = forecast;
      }
    }
    published_.push_back(aggregator_->predict(forecasts));
    round_[event.id] = aggregator_->last_opened();
  }
  void operator()(const OutcomeSeen& event) { aggregator_->learn(round_.at(event.id), event.y); }
  void operator()(const RoundAbandoned& event) { aggregator_->abandon(round_.at(event.id)); }
  void operator()(const ExpertAdded& event) { aggregator_->add_expert(event.name, make_method); }
  void operator()(const ExpertRemoved& event) {
    aggregator_->remove_expert(event.name, make_method);
  }

  std::optional<Aggregator> aggregator_;
  std::map<std::string, std::int64_t> round_;
  std::vector<double> published_;
};

std::vector<std::uint8_t> state_of(const Stream& stream) {
  return stream.aggregator().save_bytes();
}

struct Played {
  std::string method, loss;
};

class Step : public ::testing::TestWithParam<Played> {};

}  // namespace

TEST_P(Step, EndsInTheBytesOfAnOfflineRun) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto log = random_log(GetParam().method, GetParam().loss, 200, seed);
    Offline offline;
    Stream stream;
    std::vector<double> published;
    for (const Event& event : log) {
      std::visit(offline, event);
      const Output output = stream.step(event);
      ASSERT_EQ(output.verdict, Verdict::kDone) << output.why;
      if (output.answer) published.push_back(output.answer->forecast);
    }
    EXPECT_EQ(state_of(stream), offline.aggregator_->save_bytes());
    ASSERT_EQ(published.size(), offline.published_.size());
    for (std::size_t i = 0; i < published.size(); ++i) {
      EXPECT_TRUE(published[i] == offline.published_[i] ||
                  (std::isnan(published[i]) && std::isnan(offline.published_[i])))
          << i;
    }
  }
}

TEST_P(Step, DoesNotCareWhereALogIsCutOrRepeated) {
  for (std::uint64_t seed = 10; seed < 30; ++seed) {
    const auto log = random_log(GetParam().method, GetParam().loss, 150, seed);
    Stream whole;
    std::vector<Output> outputs;
    for (const Event& event : log) outputs.push_back(whole.step(event));
    std::mt19937_64 random(seed);
    Stream stream;
    for (std::size_t i = 0; i < log.size(); ++i) {
      ASSERT_EQ(stream.step(event_from(event_bytes(log[i]), "log")).verdict, Verdict::kDone);
      if (random() % 8 == 0) stream = Stream::load(stream.save(), "cut");
      if (random() % 8 != 0) continue;
      for (std::size_t j = random() % (i + 1); j <= i; ++j) {
        const Output again = stream.step(log[j]);
        ASSERT_EQ(again.verdict, Verdict::kRepeated) << again.why;
        ASSERT_EQ(again.answer.has_value(), outputs[j].answer.has_value());
        if (!again.answer) continue;
        EXPECT_TRUE(test::same_bits(again.answer->forecast, outputs[j].answer->forecast));
        EXPECT_TRUE(test::same_bits(again.answer->weights, outputs[j].answer->weights));
        EXPECT_EQ(*again.answer->experts, *outputs[j].answer->experts);
      }
    }
    EXPECT_EQ(stream.save(), whole.save());
    EXPECT_EQ(state_of(stream), state_of(whole));
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Step,
                         ::testing::Values(Played{"blend", "squared"}, Played{"blend", "log"},
                                           Played{"ml-poly", "absolute"},
                                           Played{"fixed-share{rho=0.01}", "pinball"}),
                         [](const auto& played) {
                           return std::to_string(played.index) + played.param.loss;
                         });

namespace {

Stream made_stream(const std::string& loss = "squared", const std::string& method = "ml-poly") {
  Stream stream;
  EXPECT_EQ(stream.step(Made{{{"a", "b"}, loss, 0.5, {}, method}}).verdict, Verdict::kDone);
  return stream;
}

// The verdict of an event that must leave everything as it was.
Verdict refused(Stream& stream, const Event& event) {
  const std::string before = stream.save();
  const Output output = stream.step(event);
  EXPECT_EQ(stream.save(), before);
  EXPECT_FALSE(output.accepted()) << "nothing was wrong";
  EXPECT_NE(output.why, "");
  return output.verdict;
}

}  // namespace

TEST(StepRefusals, LeaveTheStateAsItWas) {
  Stream nothing;
  EXPECT_EQ(nothing.step(RoundOpened{"1", {}}).verdict, Verdict::kUnknown);
  EXPECT_EQ(nothing.step(Made{{{"a"}, "squared", 0.5, {}, "no-such"}}).verdict, Verdict::kInvalid);
  EXPECT_FALSE(nothing.made());
  Stream stream = made_stream();
  stream.step(RoundOpened{"1", {{"a", 1}, {"b", 2}}});
  stream.step(RoundOpened{"2", {{"a", 1}}});
  stream.step(RoundOpened{"3", {{"a", 1}}});
  stream.step(OutcomeSeen{"1", 1.5});
  stream.step(RoundAbandoned{"2"});
  stream.step(ExpertAdded{"c1", "c"});
  const std::vector<std::pair<Event, Verdict>> kRefused = {
      {Made{{{"a"}, "squared", 0.5, {}, "ml-poly"}}, Verdict::kConflict},
      {RoundOpened{"1", {{"a", 1}, {"b", 3}}}, Verdict::kConflict},
      {RoundOpened{"1", {{"a", 1}}}, Verdict::kConflict},
      {RoundOpened{"c1", {}}, Verdict::kConflict},
      {RoundOpened{"4", {{"x", 1}}}, Verdict::kInvalid},
      {RoundOpened{"4", {{"a", 1}, {"a", 2}}}, Verdict::kInvalid},
      {RoundOpened{"4", {{"a", std::numeric_limits<double>::infinity()}}}, Verdict::kInvalid},
      {OutcomeSeen{"9", 1}, Verdict::kUnknown},
      {OutcomeSeen{"1", 1.25}, Verdict::kConflict},
      {OutcomeSeen{"2", 1}, Verdict::kConflict},
      {OutcomeSeen{"c1", 1}, Verdict::kConflict},
      {OutcomeSeen{"3", std::numeric_limits<double>::quiet_NaN()}, Verdict::kInvalid},
      {RoundAbandoned{"1"}, Verdict::kConflict},
      {RoundAbandoned{"9"}, Verdict::kUnknown},
      {ExpertAdded{"c1", "d"}, Verdict::kConflict},
      {ExpertAdded{"c2", "a"}, Verdict::kConflict},
      {ExpertAdded{"1", "d"}, Verdict::kConflict},
      {ExpertRemoved{"c1", "c"}, Verdict::kConflict},
      {ExpertRemoved{"c2", "x"}, Verdict::kConflict},
  };
  for (std::size_t i = 0; i < kRefused.size(); ++i) {
    EXPECT_EQ(refused(stream, kRefused[i].first), kRefused[i].second) << "case " << i;
  }
}

TEST(StepLimits, OpenRoundsAreBounded) {
  Stream stream = made_stream();
  for (std::size_t i = 0; i < kMostOpenRounds; ++i) {
    ASSERT_EQ(stream.step(RoundOpened{std::to_string(i), {{"a", 1}}}).verdict, Verdict::kDone);
  }
  EXPECT_EQ(refused(stream, RoundOpened{"one more", {{"a", 1}}}), Verdict::kTooMany);
  EXPECT_EQ(stream.step(OutcomeSeen{"7", 1}).verdict, Verdict::kDone);
  EXPECT_EQ(stream.step(RoundOpened{"one more", {{"a", 1}}}).verdict, Verdict::kDone);
}

TEST(StepLimits, TheLastClosedIdsAreRemembered) {
  Stream stream = made_stream();
  for (std::size_t i = 0; i <= kRemembered; ++i) {
    stream.step(RoundOpened{std::to_string(i), {{"a", 1}}});
    stream.step(OutcomeSeen{std::to_string(i), 1});
  }
  stream = Stream::load(stream.save(), "snapshot");
  EXPECT_EQ(stream.step(OutcomeSeen{"1", 1}).verdict, Verdict::kRepeated);
  EXPECT_EQ(stream.step(OutcomeSeen{"0", 1}).verdict, Verdict::kUnknown);
}

TEST(SavedBytes, OfEventsAndSnapshotsAreRefusedWhereDamaged) {
  const auto refuses = [](const std::string& whole, std::size_t step, const auto& load) {
    for (std::size_t i = 0; i < whole.size(); i += step) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 4);
      EXPECT_THROW(load(damaged), Error) << "byte " << i;
      EXPECT_THROW(load(whole.substr(0, i)), Error) << "cut at " << i;
    }
  };
  refuses(event_bytes(RoundOpened{"1", {{"a", 1}, {"b", 2}}}), 1,
          [](const std::string& bytes) { event_from(bytes, "log"); });
  Stream stream = made_stream();
  stream.step(RoundOpened{"1", {{"a", 1}, {"b", 2}}});
  stream.step(OutcomeSeen{"1", 1.5});
  stream.step(RoundOpened{"2", {{"a", 1}}});
  stream.step(ExpertAdded{"c comes", "c"});
  refuses(stream.save(), 7, [](const std::string& bytes) { Stream::load(bytes, "snapshot"); });
}

// The error of a stream beside equal weights: what a plain loop over published forecasts sums.
TEST(StreamErrors, AreThoseOfPublishedForecastsHoweverLateOutcomesAre) {
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
    const auto errors = stream.errors();
    EXPECT_EQ(errors->rounds, 33u);
    EXPECT_NEAR(*errors->combination, measure(combination), 1e-12) << loss;
    EXPECT_NEAR(*errors->equal_weights, measure(equal), 1e-12) << loss;
    EXPECT_NEAR(*errors->ratio, measure(combination) / measure(equal), 1e-12) << loss;
    EXPECT_LT(*errors->ratio, 1) << "a is better, and that is learned";
  }
}

TEST(StreamErrors, CountWhatWasLearnedAndNothingElse) {
  Stream stream = made_stream();
  stream.step(RoundOpened{"missing", {}});
  stream.step(OutcomeSeen{"missing", 1});
  stream.step(RoundOpened{"abandoned", {{"a", 1}}});
  stream.step(RoundAbandoned{"abandoned"});
  stream.step(RoundOpened{"open", {{"a", 1}}});
  EXPECT_FALSE(stream.errors());
  stream.step(OutcomeSeen{"open", 3});
  stream.step(OutcomeSeen{"open", 3});
  EXPECT_EQ(stream.errors()->rounds, 1u);
  EXPECT_EQ(stream.errors()->equal_weights, 2);
}

TEST(StreamErrors, StayNumbersWhateverCame) {
  constexpr double kMost = std::numeric_limits<double>::max();
  Stream stream = made_stream();
  stream.step(RoundOpened{"1", {{"a", kMost}, {"b", kMost}}});
  stream.step(OutcomeSeen{"1", -kMost});
  stream.step(RoundOpened{"2", {{"a", 1}, {"b", 1}}});
  stream.step(OutcomeSeen{"2", 1});
  EXPECT_EQ(stream.errors()->rounds, 2u);
  EXPECT_EQ(stream.errors()->combination, std::nullopt) << "it is beyond a double";
  EXPECT_EQ(stream.errors()->ratio, std::nullopt);
  EXPECT_EQ(Stream::load(stream.save(), "snapshot").save(), stream.save());

  stream = made_stream("log", "blend");
  stream.step(RoundOpened{"1", {{"a", 0}, {"b", 0}}});
  stream.step(OutcomeSeen{"1", 1});
  EXPECT_EQ(stream.errors()->equal_weights, std::nullopt) << "it was ruled out";

  stream = made_stream();
  stream.step(RoundOpened{"1", {{"a", 1}, {"b", 3}}});
  stream.step(OutcomeSeen{"1", 2});
  EXPECT_EQ(stream.errors()->equal_weights, 0);
  EXPECT_EQ(stream.errors()->ratio, std::nullopt) << "nothing can be divided by it";
}

}  // namespace pcgs
