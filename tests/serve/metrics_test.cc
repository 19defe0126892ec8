// What Prometheus is told.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "serve/service_fixture.h"

namespace pcgs {

using test::ask;

namespace {

class MetricsTest : public test::ServiceFixture {
 protected:
  // The value of a line; -1 if there is none.
  double value(const std::string& name) const {
    const std::string text = "\n" + get("/metrics").body;
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  }
  // Experts that forecast y + a and y + b, for so many rounds.
  void play(const std::string& stream, double a, double b, int rounds) const {
    std::string lines =
        fmt::format("{}\n", R"({"stream":")" + stream +
                                R"(","make":{"experts":["a","b"],"method":"ml-poly"}})");
    for (int t = 0; t < rounds; ++t) {
      lines +=
          fmt::format(R"({{"stream":"{0}","round":{{"id":"{1}","forecasts":{{"a":{2},"b":{3}}}}}}})"
                      "\n"
                      R"({{"stream":"{0}","outcome":{{"id":"{1}","y":{1}}}}})"
                      "\n",
                      stream, t, t + a, t + b);
    }
    ask(service_->port(), "POST", "/events", lines);
  }
};

}  // namespace

TEST_F(MetricsTest, CountsRoundsOutcomesHitsAndBytes) {
  start();
  play("north", 1, 2, 5);
  post("/streams/north/rounds", {{"id", "x"}, {"forecasts", {{"a", 1}}}});
  EXPECT_EQ(value("pcgs_rounds_total"), 6);
  EXPECT_EQ(value("pcgs_outcomes_total"), 5);
  EXPECT_EQ(value("pcgs_open_rounds"), 1);
  EXPECT_EQ(value("pcgs_cache_hits_total"), 11);
  EXPECT_EQ(value("pcgs_loads_total"), 0);
  EXPECT_GT(value("pcgs_commit_bytes_total"), 1000);
  start();
  EXPECT_EQ(value("pcgs_rounds_total"), 0);
  get("/streams/north");
  EXPECT_EQ(value("pcgs_loads_total"), 1);
  EXPECT_EQ(value("pcgs_open_rounds"), 1);
}

TEST_F(MetricsTest, NamesTheTenStreamsThatAreWorstBesideEqualWeights) {
  start();
  play("few", -5, 5.1, 29);
  for (int s = 0; s < 12; ++s) play(fmt::format("stream-{}", s), -5, 5.5 + s, 30);
  const std::string text = get("/metrics").body;
  std::size_t shown = 0;
  for (std::size_t at = 0; (at = text.find("\npcgs_stream_error_ratio{", at + 1)) < text.size();) {
    ++shown;
  }
  EXPECT_EQ(shown, 10u) << text;
  EXPECT_EQ(text.find("{stream=\"few\"}"), std::string::npos) << "it has learned too little";
  const auto errors = get("/streams/stream-0").json()["errors"];
  EXPECT_EQ(errors["rounds"], 30);
  EXPECT_NEAR(value("pcgs_stream_error_ratio{stream=\"stream-0\"}"), errors["ratio"].get<double>(),
              1e-9);
}

}  // namespace pcgs
