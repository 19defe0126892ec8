// The pool as a whole: the standard one, its file, saving and loading.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <limits>

#include "forecasters/forecasters.h"
#include "forecasters/series.h"
#include "pcgs/error.h"
#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

std::string names_of(const Experts& experts) {
  std::string names;
  for (const auto& expert : experts) names += (names.empty() ? "" : " ") + expert->name();
  return names;
}

Experts standard(const std::vector<std::size_t>& seasons) { return standard_experts(seasons); }

TEST(StandardPool, OfADayAndAWeekIsTheBenchmarksAndOneMore) {
  const std::vector<std::size_t> seasons = {24, 168};
  const std::string names =
      "lag1 lag2 lag3 lag24 lag48 lag168 mean3 mean6 mean12 mean24 mean168 ewma0.05 ewma0.1 "
      "ewma0.3 ewma0.5 ewma0.8 seasonal-mean24x4 seasonal-change24 rls1-3+24 rls1-6+24+25@0.999 "
      "rls1+2+24@0.99";
  EXPECT_EQ(names_of(benchmark_experts(seasons)), names);
  EXPECT_EQ(names_of(standard(seasons)), names + " rls1-6+23-25+167-169@0.9995");
}

TEST(StandardPool, MakesDoWithoutSeasonsAndWithSeasonsThatCoincide) {
  for (const auto& seasons : std::vector<std::vector<std::size_t>>{
           {}, {2}, {3}, {4}, {6}, {12}, {12, 24}, {7, 30, 364}, {144, 1008}}) {
    const ExpertPool pool(standard(seasons));  // names differ
    EXPECT_GE(pool.size(), 14u);
  }
}

TEST(StandardPool, RefusesSeasonsThatMakeNoSense) {
  for (const auto& seasons :
       std::vector<std::vector<std::size_t>>{{1}, {0}, {24, 24}, {168, 24}, {kLongestReach}}) {
    EXPECT_TRUE(mentions(error_of([&] { standard(seasons); }), "shortest first"));
  }
}

TEST(Pool, RefusesTwoOfTheSameAndNone) {
  Experts twice;
  twice.push_back(lag_expert(3));
  twice.push_back(lag_expert(3));
  EXPECT_TRUE(mentions(error_of([&] { ExpertPool pool(std::move(twice)); }), "lag3"));
  EXPECT_TRUE(mentions(error_of([] { ExpertPool pool({}); }), "at least one"));
}

TEST(Pool, RefusesInfinityAndStaysAsItWas) {
  ExpertPool pool(standard({12}));
  pool.observe(1);
  EXPECT_TRUE(mentions(error_of([&] { pool.observe(1.0 / 0.0); }), "inf"));
  EXPECT_EQ(pool.steps(), 1u);
}

Experts everything() {
  Experts experts = standard({12, 84});
  experts.push_back(holt_winters_expert(12));
  experts.push_back(drift_expert(4));
  experts.push_back(rolling_regression_expert({1, 2, 12}, 50));
  return experts;
}

TEST(Pool, SavedAndLoadedGoesOnToTheBit) {
  const auto series = seasonal_series(500, 11, 0.05);
  ExpertPool whole(everything());
  const TempDir dir;
  std::vector<double> a(whole.size()), b(whole.size());
  for (std::size_t t = 0; t < series.size(); ++t) {
    if (t % 61 == 0) {
      whole.save(dir / "state");
      ExpertPool resumed(everything());
      resumed.load(dir / "state");
      for (std::size_t later = t; later < std::min(t + 100, series.size()); ++later) {
        resumed.observe(series[later]);
      }
      ExpertPool straight(everything());
      for (std::size_t i = 0; i < std::min(t + 100, series.size()); ++i) {
        straight.observe(series[i]);
      }
      resumed.forecast(a);
      straight.forecast(b);
      EXPECT_TRUE(same_bits(a, b));
    }
    whole.observe(series[t]);
  }
}

TEST(Pool, RefusesTheStateOfOtherExperts) {
  ExpertPool pool(standard({12}));
  ExpertPool other(standard({24}));
  EXPECT_TRUE(
      mentions(error_of([&] { other.load_bytes(pool.save_bytes(), "s"); }), "other experts"));
}

// A state whose `word`-th number is another; its checksum is right.
std::vector<std::uint8_t> forged(std::span<const std::uint8_t> file, std::size_t word,
                                 std::uint64_t value) {
  constexpr std::size_t kHeader = 32, kChecksum = 4;
  StateWriter out;
  for (std::size_t at = kHeader; at + kChecksum < file.size(); at += 8) {
    std::uint64_t number = 0;
    std::memcpy(&number, file.data() + at, 8);
    out.u64(at == kHeader + 8 * word ? value : number);
  }
  return out.file(StateReader(file, "s").architecture());
}

std::size_t words(std::span<const std::uint8_t> file) { return (file.size() - 36) / 8; }

constexpr auto kInfinity = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());

TEST(Pool, LoadsAllOrNothing) {
  const auto series = seasonal_series(400, 16);
  ExpertPool older(everything()), pool(everything());
  for (std::size_t t = 0; t < series.size(); ++t) {
    if (t < 200) older.observe(series[t]);
    pool.observe(series[t]);
  }
  const auto other = older.save_bytes(), own = pool.save_bytes();
  std::size_t refused = 0;
  for (std::size_t word = 0; word < words(other); word += 7) {
    try {
      pool.load_bytes(forged(other, word, kInfinity), "s");
      pool.load_bytes(own, "s");  // some take it: a count of steps may look like that
    } catch (const Error&) {
      ++refused;
    }
    ASSERT_TRUE(pool.save_bytes() == own) << word;
  }
  EXPECT_GT(refused, 50u);
}

// Values at the ends of the range of a double: forecasts are numbers or none, and states load.
TEST(Pool, ExtremesLeaveNumbersAndAStateThatGoesOn) {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  test::Random random(3);
  ExpertPool pool(everything()), loaded(everything());
  std::vector<double> out(pool.names().size()), again(out.size());
  for (int t = 0; t < 600; ++t) {
    const double far_out[] = {kMost, -kMost, 1e300, kLeast, -kLeast, 0, 1e155, std::nan("")};
    const bool calm = t / 100 % 2 == 1;
    pool.observe(calm ? random.uniform(-1, 1) : far_out[random.below(std::size(far_out))]);
    pool.forecast(out);
    for (const double f : out) ASSERT_FALSE(std::isinf(f)) << "step " << t;
    if (t % 20 != 19) continue;
    loaded.load_bytes(pool.save_bytes(), "s");
    loaded.forecast(again);
    ASSERT_TRUE(test::same_bits(again, out)) << "step " << t;
  }
}

TEST(Pool, RefusesNumbersThatNoExpertSaves) {
  for (const char* kind : {R"({"kind": "holt-winters", "season": 6})",
                           R"({"kind": "regression", "lags": [1, 2, 12], "window": 50})",
                           R"({"kind": "regression", "lags": [1, 2, 12]})"}) {
    ExpertPool pool(parse_experts(fmt::format(R"({{"experts": [{}]}})", kind), "pool.json"));
    for (const double y : seasonal_series(100, 17)) pool.observe(y);
    const auto own = pool.save_bytes();
    for (std::size_t word = 0; word < words(own); ++word) {
      const auto file = forged(own, word, kInfinity);
      EXPECT_TRUE(mentions(error_of([&] { pool.load_bytes(file, "s"); }), "s"))
          << pool.names()[0] << " word " << word;
    }
  }
}

TEST(Pool, LoadsWhatItSavedAfterValuesBeyondReason) {
  auto series = seasonal_series(600, 18);
  for (const double huge : {1e160, -1e200, std::numeric_limits<double>::max()}) {
    for (const std::size_t t : {5u, 30u, 300u, 301u}) series[t] = huge;
    ExpertPool pool(everything()), resumed(everything());
    for (const double y : series) {
      pool.observe(y);
      const auto bytes = pool.save_bytes();
      resumed.load_bytes(bytes, "s");
      ASSERT_EQ(resumed.save_bytes(), bytes);
    }
  }
}

TEST(PoolFile, DescribesEveryKind) {
  const auto experts = parse_experts(R"({"seasons": [6], "experts": [
      {"kind": "lag", "lag": 48}, {"kind": "mean", "window": 7}, {"kind": "ewma", "rate": 0.25},
      {"kind": "drift", "window": 24}, {"kind": "seasonal-mean", "season": 24, "seasons": 3},
      {"kind": "seasonal-mean", "season": 24}, {"kind": "seasonal-change", "season": 24},
      {"kind": "regression", "lags": [2, 1, 24], "forgetting": 0.995, "prior": 10, "unit": 2},
      {"kind": "regression", "lags": [1, 24], "window": 1440},
      {"kind": "holt-winters", "season": 24, "level": 0.3, "trend": 0, "seasonal": 0.05}]})",
                                     "pool.json");
  EXPECT_EQ(names_of(experts), names_of(standard({6})) +
                                   " lag48 mean7 ewma0.25 drift24 seasonal-mean24x3 "
                                   "seasonal-mean24x4 seasonal-change24 "
                                   "rls1+2+24@0.995@prior10@unit2 rls1+24@last1440 "
                                   "holt-winters24@0.3+0+0.05");
}

TEST(PoolFile, RefusesWhatItDoesNotKnowInASentence) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> bad = {
      {"{", {"not JSON", "experts"}},
      {"[]", {"not a JSON object"}},
      {"{}", {"empty"}},
      {R"({"experts": []})", {"empty"}},
      {R"({"experts": {}})", {"not a list"}},
      {R"({"expert": []})", {"no key \"expert\"", "seasons, experts"}},
      {R"({"experts": [3]})", {"expert 1", "kind", "holt-winters"}},
      {R"({"experts": [{"lag": 3}]})", {"expert 1", "kind"}},
      {R"({"experts": [{"kind": "magic\n"}]})", {"expert 1", "magic\\n", "ewma"}},
      {R"({"experts": [{"kind": "lag", "lag": 1}, {"kind": "lag", "lags": [1]}]})",
       {"expert 2", "\"lags\"", "kind, lag"}},
      {R"({"experts": [{"kind": "lag"}]})", {"expert 1", "\"lag\" is missing"}},
      {R"({"experts": [{"kind": "lag", "lag": -1}]})", {"expert 1", "-1", "whole number"}},
      {R"({"experts": [{"kind": "lag", "lag": 1.5}]})", {"expert 1", "1.5", "whole number"}},
      {R"({"experts": [{"kind": "lag", "lag": 0}]})", {"expert 1", "the lag is 0"}},
      {R"({"experts": [{"kind": "lag", "lag": 99999999999999}]})", {"expert 1", "the lag"}},
      {R"({"experts": [{"kind": "ewma", "rate": "x"}]})", {"expert 1", "\"x\"", "a number"}},
      {R"({"experts": [{"kind": "regression", "lags": 1}]})", {"expert 1", "a list"}},
      {R"({"experts": [{"kind": "regression", "lags": [1], "window": 9, "prior": 1}]})",
       {"expert 1", "exclude"}},
      {R"({"seasons": [24], "experts": [{"kind": "lag", "lag": 24}]})",
       {"expert 1", "lag24", "already"}},
      {R"({"seasons": [1]})", {"season 1"}},
      {R"({"seasons": 24})", {"a list"}},
  };
  for (const auto& [text, parts] : bad) {
    const auto message = error_of([&, &json = text] { parse_experts(json, "pool.json"); });
    EXPECT_EQ(message.find("pool.json: "), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const auto& part : parts) EXPECT_TRUE(mentions(message, part)) << text;
  }
}

TEST(PoolFile, IsReadFromDisk) {
  const TempDir dir;
  std::ofstream(dir / "pool.json") << R"({"experts": [{"kind": "lag", "lag": 2}]})";
  EXPECT_EQ(read_experts(dir / "pool.json").size(), 1u);
  EXPECT_TRUE(mentions(error_of([&] { read_experts(dir / "none.json"); }), "none.json"));
}

}  // namespace
}  // namespace pcgs::test
