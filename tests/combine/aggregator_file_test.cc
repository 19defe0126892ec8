// Saving and loading an aggregator, and files that somebody has tampered with.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/random.h"
#include "support/recording_controller.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::error_of;
using test::Random;
using test::same_bits;
using test::share_aggregator;

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

TEST(AggregatorFile, SavingReplacesAnOlderFile) {
  const test::TempDir dir;
  Aggregator aggregator = busy_aggregator();
  aggregator.save(dir / "a.state");
  aggregator.learn(Numbers{1, 0, 1});
  aggregator.save(dir / "a.state");
  EXPECT_EQ(Aggregator::load(dir / "a.state", test::recording_factory).rounds(), 7);
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

TEST(AggregatorFile, EveryBitFlipAndTruncationIsRefused) {
  const Bytes file = busy_aggregator().save_bytes();
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    Bytes flipped = file;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    SCOPED_TRACE("bit " + std::to_string(bit));
    error_of([&] { load(flipped); });
  }
  for (std::size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(std::to_string(size) + " bytes");
    error_of([&] { load(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size))); });
  }
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

}  // namespace
}  // namespace pcgs
