// Saving and loading an aggregator, and files that somebody has tampered with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/options.h"
#include "support/random.h"
#include "support/recording_controller.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using namespace test;

using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

// Learned rounds, a sleeper, side information, and open rounds of both kinds.
Aggregator busy_aggregator(const LossScale& scale = {}) {
  Random random(1);
  Aggregator aggregator =
      share_aggregator(3, 2, 0.1, {.task = TaskLoss("pinball", 0.3), .scale = scale});
  for (int t = 0; t < 5; ++t) aggregator.learn(random.losses(3));
  aggregator.predict(Numbers{0.5, std::nan(""), 0.25}, Numbers{1, 2});
  aggregator.open(std::vector<std::uint8_t>{1, 0, 1});
  aggregator.predict(Numbers{std::nan(""), std::nan(""), std::nan("")});
  aggregator.learn(aggregator.last_opened(), 0.0);  // skipped
  aggregator.predict(Numbers{0.1, 0.2, 0.3});
  aggregator.learn(aggregator.last_opened(), 0.25);
  return aggregator;
}

Aggregator load(const Bytes& file) {
  return Aggregator::load_bytes(file, "some.state", test::recording_factory);
}

TEST(AggregatorFile, KeepsEverythingButTheSink) {
  Aggregator saved = busy_aggregator();
  Aggregator loaded = load(saved.save_bytes());
  EXPECT_EQ(loaded.experts(), 3u);
  EXPECT_TRUE(same_bits(loaded.weights(), saved.weights()));
  EXPECT_EQ(loaded.rounds(), 6);
  EXPECT_EQ(loaded.skipped(), 1);
  EXPECT_EQ(loaded.open_rounds(), 2u);
  EXPECT_EQ(loaded.last_opened(), saved.last_opened());
  EXPECT_TRUE(same_bits(loaded.total_loss(), saved.total_loss()));
  EXPECT_TRUE(same_bits(loaded.total_forecast_loss(), saved.total_forecast_loss()));
  EXPECT_GT(loaded.total_forecast_loss(), 0);
  EXPECT_EQ(loaded.save_bytes(), saved.save_bytes());

  for (Aggregator* aggregator : {&saved, &loaded}) {  // judged by the same task loss
    aggregator->learn(6, 0.75);
    aggregator->learn(7, Numbers{0.5, 0, 1});
  }
  EXPECT_TRUE(same_bits(loaded.weights(), saved.weights()));
  EXPECT_EQ(loaded.save_bytes(), saved.save_bytes());
}

// What may happen to an aggregator may be saved: here the combined forecast ruled out what
// happened.
TEST(AggregatorFile, AnInfiniteForecastLossCountsAsTheLargestNumber) {
  Aggregator saved =
      share_aggregator(2, 1, 0, {.task = TaskLoss("log"), .scale = LossScale::fixed(5)});
  saved.predict(Numbers{0, 0});
  saved.learn(1.0);
  ASSERT_EQ(saved.total_forecast_loss(), std::numeric_limits<double>::max());
  EXPECT_NEAR(saved.total_loss(), 1, 1e-15);
  EXPECT_EQ(load(saved.save_bytes()).save_bytes(), saved.save_bytes());
}

TEST(AggregatorFile, FileAndBytesAreTheSame) {
  const test::TempDir dir;
  const Aggregator saved = busy_aggregator();
  saved.save(dir / "a.state");
  EXPECT_EQ(dir.entries(), 1u) << "no temporary is left";
  std::ifstream in(dir / "a.state", std::ios::binary);
  const Bytes file((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(file, saved.save_bytes());
  const Aggregator loaded = Aggregator::load(dir / "a.state", test::recording_factory);
  EXPECT_EQ(loaded.save_bytes(), saved.save_bytes());
}

TEST(AggregatorFile, SaysWhichFileItCouldNotUse) {
  const test::TempDir dir;
  const std::string missing = dir / "missing.state";
  EXPECT_TRUE(test::mentions(error_of([&] { Aggregator::load(missing, test::recording_factory); }),
                             missing));
  const std::string nowhere = dir / "no/such/folder.state";
  EXPECT_TRUE(test::mentions(error_of([&] { busy_aggregator().save(nowhere); }), nowhere));
  EXPECT_TRUE(test::mentions(error_of([] { load(Bytes(100, 0)); }), "some.state"));
}

TEST(AggregatorFile, AnotherArchitectureIsRefused) {
  Bytes file = busy_aggregator().save_bytes();
  test::put_u64(file, 16, architecture_hash("another-method", 3));
  test::seal(file);
  EXPECT_TRUE(test::mentions(error_of([&] { load(file); }), "some.state"));
}

// A factory that gives another method than the one that was saved.
TEST(AggregatorFile, AMethodOfAnotherSizeIsRefused) {
  const Bytes file = busy_aggregator().save_bytes();
  error_of([&] {
    Aggregator::load_bytes(file, "some.state", [](std::string_view, std::size_t experts) {
      return test::recording_method(experts + 1, 2, 0.1);
    });
  });
}

// Whatever a well-sealed file says, reading it must end in an Error or in an aggregator; never in
// another exception, a crash, or an allocation larger than the file could justify.
TEST(AggregatorFile, ForgedFieldsNeverDoWorseThanAnError) {
  for (const LossScale& scale : {LossScale::unit(), LossScale::following()}) {
    const Bytes file = busy_aggregator(scale).save_bytes();
    std::size_t refused = 0;
    for (std::uint64_t forged :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{255}, std::uint64_t{1} << 32,
          std::uint64_t{1} << 61, std::uint64_t{1} << 63, std::uint64_t{0x7ff0000000000000u},
          std::numeric_limits<std::uint64_t>::max()}) {
      for (std::size_t at = test::kStateHeader; at + 12 <= file.size(); ++at) {
        Bytes tampered = file;
        test::put_u64(tampered, at, forged);
        test::seal(tampered);
        try {
          load(tampered);
        } catch (const Error&) {
          ++refused;
        } catch (const std::exception& other) {
          FAIL() << "byte " << at << " forged to " << forged << ": " << other.what();
        }
      }
    }
    EXPECT_GT(refused, 100u) << "counts, lengths and the name are among those bytes";
  }
}

// What the owner of an aggregator keeps with it, and rounds that nobody forecasts.

Aggregator load_by_name(const Bytes& file) {
  return Aggregator::load_bytes(file, "some.state", make_method);
}

TEST(AggregatorNote, IsKeptWithTheState) {
  const test::TempDir dir;
  std::string any;
  for (int byte = 0; byte < 256; ++byte) any += static_cast<char>(byte);
  for (const std::string& note : {std::string(), std::string("until 2026-03-01"), any,
                                  std::string(Aggregator::kLongestNote, 'x')}) {
    Aggregator aggregator = make_aggregator("ml-poly", 2);
    EXPECT_EQ(aggregator.note(), "");
    aggregator.set_note(note);
    EXPECT_EQ(aggregator.note(), note);
    EXPECT_EQ(load_by_name(aggregator.save_bytes()).note(), note);
    EXPECT_EQ(load_by_name(aggregator.save_bytes()).save_bytes(), aggregator.save_bytes());
    aggregator.save(dir / "a.state");
    EXPECT_EQ(load_aggregator(dir / "a.state").note(), note);
  }
}

TEST(AggregatorNote, ChangesNothingElse) {
  Aggregator plain = make_aggregator("boa", 3), noted = make_aggregator("boa", 3);
  test::Random random(1);
  for (int t = 0; t < 20; ++t) {
    noted.set_note(std::to_string(t));
    const Numbers losses = random.losses(3);
    plain.learn(losses);
    noted.learn(losses);
    EXPECT_TRUE(test::same_bits(plain.weights(), noted.weights()));
  }
  noted.set_note("");
  EXPECT_EQ(plain.save_bytes(), noted.save_bytes()) << "an empty note is none";
}

TEST(AggregatorNote, ThatIsTooLongIsRefusedAndTheOldOneStays) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  aggregator.set_note("old");
  const auto message =
      test::error_of([&] { aggregator.set_note(std::string(Aggregator::kLongestNote + 1, 'x')); });
  EXPECT_TRUE(test::mentions(message, std::to_string(Aggregator::kLongestNote)));
  EXPECT_EQ(aggregator.note(), "old");
}

TEST(AggregatorNote, LongerThanAnyIsRefusedInAFileToo) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  const std::string note(Aggregator::kLongestNote, 'n');
  aggregator.set_note(note);
  const Bytes file = aggregator.save_bytes();
  Bytes forged = file;
  const auto text = std::search(file.begin(), file.end(), note.begin(), note.end());
  const auto at = static_cast<std::size_t>(text - file.begin()) - 8;  // of its length
  forged.insert(forged.begin() + static_cast<std::ptrdiff_t>(at) + 8, 'n');
  test::put_u64(forged, at, note.size() + 1);
  test::put_u64(forged, 24, forged.size() - test::kStateHeader - 4);
  test::seal(forged);
  EXPECT_TRUE(test::mentions(test::error_of([&] { load_by_name(forged); }), "note is too long"));
}

TEST(AggregatorSkip, CountsRoundsAndNothingElse) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  aggregator.skip(5);
  EXPECT_EQ(aggregator.last_opened(), 5);
  EXPECT_EQ(aggregator.open_rounds(), 0u);
  EXPECT_EQ(aggregator.rounds(), 0);
  EXPECT_EQ(aggregator.skipped(), 0);
  aggregator.predict(Numbers{1, 2});
  EXPECT_EQ(aggregator.last_opened(), 6);
  aggregator.skip(3);  // with a round open
  aggregator.skip(0);
  EXPECT_EQ(aggregator.last_opened(), 9);
  aggregator.learn(6, 1.5);
  EXPECT_EQ(aggregator.rounds(), 1);
  EXPECT_EQ(load_by_name(aggregator.save_bytes()).last_opened(), 9);
}

TEST(AggregatorSkip, RefusesToGoBackAndToOverflow) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  aggregator.skip(10);
  const Bytes before = aggregator.save_bytes();
  for (const std::int64_t rounds : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()}) {
    test::error_of([&] { aggregator.skip(rounds); });
    EXPECT_EQ(aggregator.save_bytes(), before);
  }
}

// Two phases, told apart by nothing but the clock: an expert is right in each, and a round is missing
// now and then.
TEST(AggregatorSkip, PhasesOfASeasonKeepToTheClock) {
  Aggregator keeps = make_aggregator("blend{season=2}", 2),
             loses = make_aggregator("blend{season=2}", 2);
  test::Random random(3);
  double with = 0, without = 0;
  std::int64_t clock = 0;
  for (int t = 0; t < 600; ++t) {
    const std::int64_t gap = random.chance(0.3) ? 1 : 0;
    clock += 1 + gap;
    keeps.skip(gap);
    const double y = random.uniform(-5, 5), off = random.uniform(2, 3);
    const Numbers forecasts = {y + (clock % 2 == 0 ? 0 : off), y + (clock % 2 == 0 ? off : 0)};
    const double one = keeps.predict(forecasts), other = loses.predict(forecasts);
    keeps.learn(y);
    loses.learn(y);
    if (t < 200) continue;
    with += (one - y) * (one - y);
    without += (other - y) * (other - y);
  }
  EXPECT_LT(with, 0.5 * without);
}

// Losses without a known range: the scale that follows them.

constexpr std::size_t kExperts = 4;

Numbers raw_losses(Random& random) {
  Numbers losses = random.losses(kExperts);
  for (double& l : losses) l *= 50;
  return losses;
}

TEST(AggregatorScale, LearnsFromTheFirstRoundOn) {
  Aggregator aggregator = share_aggregator(2, 2, 0.1);
  const Numbers first = copy(aggregator.weights());
  aggregator.predict(Numbers{50, 60});
  aggregator.learn(100.0);
  EXPECT_EQ(aggregator.rounds(), 1);
  EXPECT_LT(aggregator.weights()[0], first[0]);
  EXPECT_GT(aggregator.weights()[1], first[1]);
}

TEST(AggregatorScale, ShowsMethodsTheLossesDividedByItsScale) {
  Random random(1);
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(kExperts, 2, 0.1, seen),
                        test::scaled(LossScale::following()));
  LossScale expected = LossScale::following();
  std::int64_t capped = 0;
  for (std::size_t t = 0; t < 100; ++t) {
    Numbers losses = raw_losses(random);
    if (t % 10 == 3) losses[t % kExperts] = 1e6;
    aggregator.learn(losses);
    const double c = expected.advance(losses, {}, LossSource::kGiven);
    ASSERT_EQ(seen->size(), t + 1);
    EXPECT_EQ((*seen)[t].scale, c);
    for (std::size_t k = 0; k < kExperts; ++k) {
      ASSERT_EQ((*seen)[t].losses[k], scaled_loss(losses[k], c));
    }
    capped += *std::max_element(losses.begin(), losses.end()) > c ? 1 : 0;
  }
  EXPECT_EQ(aggregator.capped(), capped);
  EXPECT_EQ(capped, 10);
}

TEST(AggregatorScale, ShowsMethodsTheLossesAsTheyAreBounded) {
  Random random(3);
  auto seen = std::make_shared<SeenRounds>();
  const LossScale scale = LossScale::fixed(40).bounded_by(LossBound::kCatoni);
  Aggregator aggregator(test::recording_method(kExperts, 2, 0.1, seen), test::scaled(scale));
  std::int64_t capped = 0;
  for (std::size_t t = 0; t < 60; ++t) {
    Numbers losses = raw_losses(random);
    if (t % 10 == 3) losses[t % kExperts] = 1e300;
    if (t % 10 == 4) losses[t % kExperts] = 50;  // beyond the scale, and still less than 1
    aggregator.learn(losses);
    for (std::size_t k = 0; k < kExperts; ++k) {
      ASSERT_EQ((*seen)[t].losses[k], catoni_bounded(losses[k] / 40));
    }
    capped += *std::max_element(losses.begin(), losses.end()) > scale.counts_as_one(40) ? 1 : 0;
  }
  EXPECT_EQ(aggregator.capped(), capped);
  aggregator.predict(Numbers{1, 2, 3, 4});
  aggregator.learn(9.0);
  EXPECT_EQ(seen->back().losses[0], catoni_bounded(64.0 / 40));
  EXPECT_EQ(seen->back().losses[3], catoni_bounded(25.0 / 40));
  EXPECT_LT(seen->back().learner_loss, 1);
}

TEST(AggregatorScale, AFixedScaleGivesWhatDividedLossesGive) {
  Random random(2);
  Aggregator scaled = share_aggregator(kExperts, 2, 0.1, test::scaled(LossScale::fixed(32)));
  Aggregator unit = share_aggregator(kExperts, 2, 0.1);
  for (int t = 0; t < 40; ++t) {
    Numbers losses = raw_losses(random);
    scaled.learn(losses);
    for (double& l : losses) l = std::min(l / 32, 1.0);
    unit.learn(losses);
  }
  EXPECT_TRUE(same_bits(scaled.weights(), unit.weights()));
  EXPECT_TRUE(same_bits(scaled.total_loss(), unit.total_loss()));
}

// In the order of arrival: the scale of a late round knows what came before it.
TEST(AggregatorScale, WorksWithForecastsSleepersAndLateOutcomes) {
  const double nan = std::nan("");
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(kExperts, 2, 0.1, seen),
                        test::scaled(LossScale::following()));
  aggregator.predict(Numbers{1, nan, 3, 4});               // round 1
  aggregator.open(std::vector<std::uint8_t>{1, 1, 0, 0});  // round 2
  aggregator.predict(Numbers{nan, 2, nan, 6});             // round 3
  aggregator.learn(3, 0.0);                                // losses 4 and 36
  aggregator.learn(2, Numbers{5, 7, nan, 1e9});            // a sleeper's entry does not count
  aggregator.learn(1, 2.0);                                // losses 1, 1, 4
  ASSERT_EQ(seen->size(), 3u);
  EXPECT_EQ((*seen)[0].scale, 20 * 36.0) << "the upper of two";
  EXPECT_EQ((*seen)[1].scale, 20 * 36.0);
  EXPECT_EQ((*seen)[2].scale, 20 * (36 + 7) / 2.0);
  EXPECT_NEAR((*seen)[2].learner_loss, (aggregator.total_forecast_loss() - 16) / 430, 1e-15)
      << "the forecast of round 3 was the mean, 4, and lost 16";
}

TEST(AggregatorScale, TheSameAggregatorTakesLossesInTheUnitIntervalAndForecasts) {
  Aggregator aggregator = share_aggregator(2, 2, 0.1);
  aggregator.learn(Numbers{0.5, 1});
  test::error_of([&] { aggregator.learn(Numbers{0.5, 1.5}); });
  aggregator.predict(Numbers{100, 200});
  aggregator.learn(150.0);
  EXPECT_EQ(aggregator.rounds(), 2);
  EXPECT_NEAR(aggregator.total_loss(), 0.75 + 1.0 / 20, 1e-12);
}

TEST(AggregatorScale, ResumesAtAnyRound) {
  for (std::size_t stop = 0; stop <= 5; ++stop) {
    Random random(4);
    const auto scale =
        LossScale::following().bounded_by(stop % 2 == 0 ? LossBound::kClip : LossBound::kCatoni);
    Aggregator straight = share_aggregator(kExperts, 2, 0.1, test::scaled(scale));
    Aggregator resumed = share_aggregator(kExperts, 2, 0.1, test::scaled(scale));
    for (std::size_t t = 0; t < 20; ++t) {
      if (t == stop) {
        resumed = Aggregator::load_bytes(resumed.save_bytes(), "memory", test::recording_factory);
      }
      const Numbers losses = raw_losses(random);
      straight.learn(losses);
      resumed.learn(losses);
      ASSERT_TRUE(same_bits(straight.weights(), resumed.weights())) << stop << ", round " << t;
    }
    EXPECT_EQ(straight.save_bytes(), resumed.save_bytes());
  }
}

TEST(AggregatorScale, RoundsWithoutAnyLossAreLearned) {
  Aggregator aggregator = share_aggregator(kExperts, 2, 0.1, test::scaled(LossScale::following()));
  aggregator.learn(Numbers(kExperts, 0));
  EXPECT_EQ(aggregator.rounds(), 1);
  EXPECT_EQ(aggregator.total_loss(), 0);
  aggregator.learn(Numbers{1, 2, 3, 4});
  EXPECT_TRUE(test::on_simplex(aggregator.weights()));
  EXPECT_NEAR(aggregator.total_loss(), 2.5 / 60, 1e-15);
}

}  // namespace

}  // namespace pcgs
