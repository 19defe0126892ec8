// How streams stand, as the live page asks for it, and the page itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "serve/service_fixture.h"

namespace pcgs {

using test::ask;
using test::HttpAnswer;
using Json = nlohmann::json;

namespace {

class StreamViews : public test::ServiceFixture {};

}  // namespace

TEST_F(StreamViews, ErrorsAreThoseOfWhatWasPublishedBesideEqualWeights) {
  start();
  put("north", R"({"experts":["a","b"]})");
  put("south", R"({"experts":["a","b"],"loss":"absolute"})");
  EXPECT_TRUE(get("/streams/north").json()["errors"].is_null());
  double squares = 0;
  for (int t = 0; t < 3; ++t) {
    const Json round = {{"id", std::to_string(t)}, {"forecasts", {{"a", t}, {"b", t + 4}}}};
    const double forecast = post("/streams/north/rounds", round).json()["forecast"];
    post("/streams/south/rounds", round);
    EXPECT_TRUE(t > 0 || get("/streams/north").json()["errors"].is_null()) << "nothing is learned";
    for (const char* stream : {"north", "south"}) {
      post(fmt::format("/streams/{}/outcomes", stream), {{"id", std::to_string(t)}, {"y", t}});
    }
    squares += (forecast - t) * (forecast - t);
  }
  const auto squared = get("/streams/north").json()["errors"];
  EXPECT_EQ(squared["measure"], "RMSE");
  EXPECT_EQ(squared["rounds"], 3);
  EXPECT_NEAR(squared["combination"].get<double>(), std::sqrt(squares / 3), 1e-12);
  EXPECT_EQ(squared["equal_weights"], 2);
  EXPECT_NEAR(squared["ratio"].get<double>(), std::sqrt(squares / 3) / 2, 1e-12);
  const auto absolute = get("/streams/south").json()["errors"];
  EXPECT_EQ(absolute["measure"], "MAE");
  EXPECT_EQ(absolute["equal_weights"], 2);
  const std::string before = get("/streams/north").body;
  start();
  EXPECT_EQ(get("/streams/north").body, before);
}

TEST_F(StreamViews, TheLastRoundsComeInTheirOrder) {
  start();
  put("north", R"({"experts":["a","b"],"method":"ml-poly"})");
  for (const char* id : {"1", "2", "3", "4"}) {
    post("/streams/north/rounds", {{"id", id}, {"forecasts", {{"a", 1}, {"b", 3}}}});
  }
  post("/streams/north/outcomes", {{"id", "3"}, {"y", 2.5}});
  ask(service_->port(), "POST", "/events", R"({"stream":"north","abandon":{"id":"2"}})");
  ask(service_->port(), "POST", "/events",
      R"({"stream":"north","add_expert":{"id":"c","name":"c"}})");
  EXPECT_FALSE(get("/streams/north").json().contains("rounds"));
  const auto rounds = get("/streams/north?rounds=3").json()["rounds"];
  ASSERT_EQ(rounds.size(), 3u);
  const std::vector<std::pair<std::string, std::string>> kExpected = {
      {"2", "abandoned"}, {"3", "learned"}, {"4", "open"}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rounds[i]["id"], kExpected[i].first);
    EXPECT_EQ(rounds[i]["state"], kExpected[i].second);
    EXPECT_EQ(rounds[i]["number"], i + 2);
    EXPECT_EQ(rounds[i]["weights"], (Json{{"a", 0.5}, {"b", 0.5}}));
    EXPECT_EQ(rounds[i]["forecast"], 2);
    EXPECT_EQ(rounds[i]["y"], i == 1 ? Json(2.5) : Json());
  }
  EXPECT_EQ(get("/streams/north?rounds=200").json()["rounds"].size(), 4u);
}

TEST_F(StreamViews, TheListSaysHowStreamsInMemoryStand) {
  options_.limits.in_memory = 1;
  start();
  put("north", R"({"experts":["a"]})");
  put("south", R"({"experts":["a"]})");
  post("/streams/south/rounds", {{"id", "1"}, {"forecasts", {{"a", 1}}}});
  const auto list = get("/streams?details=1").json();
  EXPECT_EQ(list["all"], 2);
  EXPECT_EQ(list["streams"][0], (Json{{"name", "north"}, {"in_memory", false}}));
  EXPECT_EQ(list["streams"][1], (Json{{"name", "south"},
                                      {"in_memory", true},
                                      {"learned", 0},
                                      {"open", 1},
                                      {"errors", nullptr}}));
  EXPECT_EQ(get("/metrics").body.find("pcgs_loads_total 1\n"), std::string::npos)
      << "a list loads nothing";
}

TEST_F(StreamViews, TheListIsSearchedPageByPage) {
  start();
  for (int first = 0; first < 12000; first += 1000) {
    std::string lines;
    for (int i = first; i < first + 1000; ++i) {
      lines += fmt::format("{{\"stream\":\"{}{:05}\",\"make\":{}}}\n", i % 100 == 7 ? "Odd" : "s",
                           i, R"({"experts":["a"],"method":"ml-poly"})");
    }
    ask(service_->port(), "POST", "/events", lines);
  }
  auto page = get("/streams?details=1&contains=oDD").json();
  EXPECT_EQ(page["streams"].size(), serve::kDetailsOnAPage);
  EXPECT_EQ(page["after"], "Odd09907");
  page = get("/streams?details=1&contains=oDD&after=Odd09907").json();
  EXPECT_EQ(page["streams"].size(), 20u);
  EXPECT_FALSE(page.contains("after"));
  // Found beyond what is looked at in one go.
  EXPECT_EQ(get("/streams?contains=s11999").json(), (Json{{"streams", {"s11999"}}}));
  EXPECT_EQ(get("/streams?contains=nowhere").json(), (Json{{"streams", Json::array()}}));
}

TEST_F(StreamViews, ReadyEndsWhenAStopIsAnnouncedAndHealthDoesNot) {
  start();
  EXPECT_EQ(get("/ready").status, 200);
  service_->announce_stop();
  const HttpAnswer stopping = get("/ready");
  EXPECT_EQ(stopping.status, 503);
  EXPECT_EQ(stopping.json()["error"], "the service is stopping");
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(put("north", R"({"experts":["a"]})").status, 201);
}

TEST_F(StreamViews, ThePageMayLoadItselfAndNothingElse) {
  start();
  for (const auto& [path, type] : std::vector<std::pair<std::string, std::string>>{
           {"/", "text/html"}, {"/live.css", "text/css"}, {"/live.js", "text/javascript"}}) {
    const HttpAnswer answer = get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_NE(answer.head.find("Content-Type: " + type), std::string::npos) << answer.head;
    EXPECT_NE(answer.head.find("Content-Security-Policy: default-src 'none'; script-src 'self'; "
                               "style-src 'self'; connect-src 'self'; "),
              std::string::npos)
        << answer.head;
    EXPECT_EQ(answer.head.find("unsafe"), std::string::npos);
    EXPECT_EQ(answer.body.find("://"), answer.body.find("://www.w3.org/2000/svg")) << path;
  }
}

}  // namespace pcgs
