#include <gtest/gtest.h>

#include <string>

#include "pcgs/certify.h"
#include "pcgs/registry.h"
#include "pcgs/suite.h"
#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

TEST(Companion, SavedInTheMiddleTheCertificateGoesOnToTheBit) {
  const auto losses = suite::generate("switch", 200, 7, 3).losses;
  const test::TempDir dir;
  for (const char* method :
       {"hedge", "fixed-share", "genshare", "past-posteriors", "pcgs-tf", "pcgs-tf:oracle"}) {
    auto whole = make_aggregator(method, 7);
    const LiveCertificate& expected = certify_live(whole);
    auto parts = make_aggregator(method, 7);
    certify_live(parts);
    for (std::size_t t = 0; t < losses.rows; ++t) {
      whole.learn(losses.row(t));
      parts.learn(losses.row(t));
      if (t % 63 == 17) {
        parts.save(dir / "state");
        parts = load_certified_aggregator(dir / "state");
      }
    }
    const LiveCertificate* live = live_certificate(parts);
    ASSERT_NE(live, nullptr);
    EXPECT_EQ(live->rounds(), 200);
    EXPECT_EQ(live->weighted().regret, expected.weighted().regret) << method;
    EXPECT_EQ(live->weighted().bound, expected.weighted().bound) << method;
    EXPECT_TRUE(live->weighted().holds()) << method;
    EXPECT_EQ(parts.save_bytes(), whole.save_bytes()) << method;
  }
}

TEST(Companion, DoesNotChangeTheWeights) {
  const auto losses = suite::generate("switch", 100, 5, 4).losses;
  auto alone = make_aggregator("genshare", 5);
  auto certified = make_aggregator("genshare", 5);
  certify_live(certified);
  for (std::size_t t = 0; t < losses.rows; ++t) {
    alone.learn(losses.row(t));
    certified.learn(losses.row(t));
    ASSERT_TRUE(test::all_near(alone.weights(), certified.weights(), 0));
  }
}

TEST(Companion, StateIsRefusedWhereNobodyCanBuildIt) {
  const test::TempDir dir;
  auto aggregator = make_aggregator("hedge", 2);
  certify_live(aggregator);
  aggregator.save(dir / "state");
  const std::string message = test::error_of([&] { load_aggregator(dir / "state"); });
  EXPECT_NE(message.find("live-certificate"), std::string::npos) << message;
}

TEST(Companion, ComesOnlyWithTheShareFormAndFromTheStart) {
  auto boa = make_aggregator("boa", 2);
  EXPECT_THROW(certify_live(boa), Error);
  auto begun = make_aggregator("hedge", 2);
  begun.learn(std::vector<double>{0, 1});
  EXPECT_THROW(certify_live(begun), Error);
  EXPECT_EQ(live_certificate(begun), nullptr);
}

}  // namespace
}  // namespace pcgs
