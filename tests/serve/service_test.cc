// The service over HTTP, on a port of the loopback.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "pcgs/error.h"
#include "serve/random_log.h"
#include "serve/service_fixture.h"

namespace pcgs {

using test::ask;
using test::HttpAnswer;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kMake = R"({"experts":["a","b","c"]})";

class ServiceTest : public test::ServiceFixture {};

}  // namespace

TEST_F(ServiceTest, AskingAgainChangesNothing) {
  start();
  EXPECT_EQ(put("north", kMake).status, 201);
  const std::string same = R"({"loss":"squared","experts":["a","b","c"],"method":"blend"})";
  for (const auto& [body, status] : std::vector<std::pair<std::string, int>>{
           {kMake, 200}, {same, 200}, {R"({"experts":["a","b"]})", 409}}) {
    EXPECT_EQ(put("north", body).status, status) << body;
  }
  const Json round = {{"id", "1"}, {"forecasts", {{"a", 1.5}, {"b", nullptr}, {"c", 2.5}}}};
  const HttpAnswer first = post("/streams/north/rounds", round);
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.json()["id"], "1");
  EXPECT_TRUE(first.json()["forecast"].is_number());
  EXPECT_EQ(first.json()["weights"]["b"], 0);
  const Json nobody = {{"id", "none"}, {"forecasts", Json::object()}};
  EXPECT_TRUE(post("/streams/north/rounds", nobody).json()["forecast"].is_null());
  for (const auto& [y, status] : {std::pair(2, 200), std::pair(2, 200), std::pair(3, 409)}) {
    EXPECT_EQ(post("/streams/north/rounds", round).body, first.body);
    EXPECT_EQ(post("/streams/north/outcomes", {{"id", "1"}, {"y", y}}).status, status);
  }
  start();
  EXPECT_EQ(post("/streams/north/rounds", round).body, first.body);
  EXPECT_EQ(post("/streams/north/outcomes", {{"id", "1"}, {"y", 3}}).status, 409);
}

TEST_F(ServiceTest, AnswersAreThoseOfAnOfflineRunWhileStreamsComeAndGo) {
  options_.limits.in_memory = 2;
  options_.limits.events_between_snapshots = 9;
  start();
  const test::Lines lines = test::lines_of(4, 30);
  std::map<std::string, std::vector<std::string>> answers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == lines.size() / 2) start();
    const std::string answer = events(lines[i].second).body;
    answers[lines[i].first].push_back(answer.substr(0, answer.size() - 1));
  }
  EXPECT_EQ(answers, test::offline(lines));
}

TEST_F(ServiceTest, ManyClientsAtOnceGetWhatEachWouldAlone) {
  start();
  constexpr std::size_t kClients = 8;
  const test::Lines lines = test::lines_of(kClients, 25);
  std::vector<std::string> answers(kClients);
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      for (const auto& [stream, line] : lines) {
        if (stream == fmt::format("s{}", c)) answers[c] += events(line).body;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  auto expected = test::offline(lines);
  for (std::size_t c = 0; c < kClients; ++c) {
    const auto& alone = expected[fmt::format("s{}", c)];
    EXPECT_EQ(answers[c], fmt::format("{}\n", fmt::join(alone, "\n"))) << c;
  }
  EXPECT_EQ(value("pcgs_events_total"), 408);
}

TEST_F(ServiceTest, EventsAreAnsweredLineByLine) {
  start();
  const std::string lines = R"({"stream":"n","make":{"experts":["a","b"]}}
{"stream":"n","round":{"id":"1","forecasts":{"a":1,"b":3}}}
{"stream":"n","outcome":{"id":"1","y":2}}
nonsense
{"stream":"n","add_expert":{"id":"c","name":"c"}}
{"stream":"n","round":{"id":"2","forecasts":{"c":5}}}
{"stream":"n","abandon":{"id":"2"}}
{"stream":"n","remove_expert":{"id":"-a","name":"a"}}
{"stream":"m","outcome":{"id":"1","y":2}})";
  const HttpAnswer answer = events(lines);
  ASSERT_EQ(answer.status, 200) << answer.body;
  std::vector<int> statuses;
  std::istringstream in(answer.body);
  for (std::string line; std::getline(in, line);) {
    const auto json = Json::parse(line);
    statuses.push_back(json["status"]);
    EXPECT_EQ(json.contains("error"), json["status"] >= 400) << line;
  }
  EXPECT_EQ(statuses, (std::vector<int>{201, 200, 200, 400, 200, 200, 200, 200, 404}));
  const auto now = get("/streams/n").json();
  EXPECT_EQ(now["experts"], (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(now["learned"], 1);
  EXPECT_EQ(now["open"].dump(), "[]");
}

TEST_F(ServiceTest, TakesALargeBodyThatCurlCallsAForm) {
  start();
  put("north", kMake);
  std::string body = R"({"id":"1","forecasts":{"a":1}})";
  body.insert(1, 100000, ' ');
  const HttpAnswer answer = ask(port(), "POST", "/streams/north/rounds", body,
                                "Content-Type: application/x-www-form-urlencoded\r\n");
  EXPECT_EQ(answer.status, 200) << answer.body;
}

TEST_F(ServiceTest, AsksForItsToken) {
  const std::string path = dir_ / "token";
  std::ofstream(path) << "correct horse battery\n";
  options_.token = serve::read_token(path);
  start();
  EXPECT_EQ(get("/streams").status, 401);
  EXPECT_EQ(
      ask(port(), "GET", "/streams", "", "Authorization: Bearer correct horse battery \r\n").status,
      200);
  for (const char* route : {"/health", "/ready", "/", "/live.css", "/live.js"}) {
    EXPECT_EQ(get(route).status, 200) << route;
  }
  std::ofstream(path) << "short\n";
  EXPECT_THROW(serve::read_token(path), Error);
}

TEST_F(ServiceTest, APortThatIsTakenIsRefused) {
  start();
  serve::ServiceOptions other = options_;
  other.store = dir_ / "other";
  other.port = port();
  EXPECT_THROW(serve::Service{other}, Error);
}

TEST(ServiceAddress, IsAHostAndAPort) {
  serve::ServiceOptions options;
  serve::set_address(options, "[::1]:90");
  EXPECT_EQ(options.host, "::1");
  EXPECT_EQ(options.port, 90);
  serve::set_address(options, ":0");
  EXPECT_EQ(options.port, 0);
  for (const char* wrong :
       {"", "80", "host:", "host:x", "host:70000", "host:-1", "::1:80", "h:80x"}) {
    EXPECT_THROW(serve::set_address(options, wrong), Error) << wrong;
  }
}

TEST_F(ServiceTest, ABackupIsTheStoreOfThatMomentAndNothingIsOverwritten) {
  start();
  put("n", R"({"experts":["a","b"]})");
  post("/streams/n/rounds", {{"id", "1"}, {"forecasts", {{"a", 1}, {"b", 3}}}});
  const auto then = get("/streams/n").json();
  EXPECT_EQ(post("/backups", {{"name", "monday"}}).status, 201);
  post("/streams/n/outcomes", {{"id", "1"}, {"y", 2}});
  EXPECT_EQ(post("/backups", {{"name", "monday"}}).status, 409);
  const auto now = get("/streams/n").json();
  EXPECT_NE(now, then);
  options_.store = dir_ / "store/backups/monday";
  start();
  EXPECT_EQ(get("/streams/n").json(), then);
  post("/streams/n/outcomes", {{"id", "1"}, {"y", 2}});
  EXPECT_EQ(get("/streams/n").json(), now);
}

// How streams stand, as the live page asks for it, and the page itself.
class StreamViews : public test::ServiceFixture {};

TEST_F(StreamViews, ErrorsComeWithTheirMeasureAndOutliveAStart) {
  start();
  for (const auto& [loss, measure] : {std::pair("squared", "RMSE"), std::pair("absolute", "MAE")}) {
    const std::string stream = fmt::format("/streams/{}", loss);
    put(loss, fmt::format(R"({{"experts":["a","b"],"method":"ml-poly","loss":"{}"}})", loss));
    post(stream + "/rounds", {{"id", "0"}, {"forecasts", {{"a", 0}, {"b", 4}}}});
    EXPECT_TRUE(get(stream).json()["errors"].is_null()) << "nothing is learned";
    post(stream + "/outcomes", {{"id", "0"}, {"y", 0}});
    const nlohmann::json expected = {{"measure", measure},
                                     {"rounds", 1},
                                     {"combination", 2.0},
                                     {"equal_weights", 2.0},
                                     {"ratio", 1.0}};
    EXPECT_EQ(get(stream).json()["errors"], expected);
    start();
    EXPECT_EQ(get(stream).json()["errors"], expected);
  }
}

TEST_F(StreamViews, TheLastRoundsComeInTheirOrder) {
  start();
  put("north", R"({"experts":["a","b"],"method":"ml-poly"})");
  for (const char* id : {"1", "2", "3", "4"}) {
    post("/streams/north/rounds", {{"id", id}, {"forecasts", {{"a", 1}, {"b", 3}}}});
  }
  post("/streams/north/outcomes", {{"id", "3"}, {"y", 2.5}});
  events(R"({"stream":"north","abandon":{"id":"2"}})");
  events(R"({"stream":"north","add_expert":{"id":"c","name":"c"}})");
  EXPECT_FALSE(get("/streams/north").json().contains("rounds"));
  const auto rounds = get("/streams/north?rounds=3").json()["rounds"];
  ASSERT_EQ(rounds.size(), 3u);
  const std::vector<std::pair<std::string, std::string>> kExpected = {
      {"2", "abandoned"}, {"3", "learned"}, {"4", "open"}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rounds[i]["id"], kExpected[i].first);
    EXPECT_EQ(rounds[i]["state"], kExpected[i].second);
    EXPECT_EQ(rounds[i]["number"], i + 2);
    EXPECT_EQ(rounds[i]["weights"], (nlohmann::json{{"a", 0.5}, {"b", 0.5}}));
    EXPECT_EQ(rounds[i]["forecast"], 2);
    EXPECT_EQ(rounds[i]["y"], i == 1 ? nlohmann::json(2.5) : nlohmann::json());
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
  EXPECT_EQ(list["streams"][0], (nlohmann::json{{"name", "north"}, {"in_memory", false}}));
  EXPECT_EQ(list["streams"][1], (nlohmann::json{{"name", "south"},
                                                {"in_memory", true},
                                                {"learned", 0},
                                                {"open", 1},
                                                {"errors", nullptr}}));
  EXPECT_EQ(value("pcgs_loads_total"), 0) << "a list loads nothing";
}

TEST_F(StreamViews, TheListIsSearchedPageByPage) {
  start();
  for (int first = 0; first < 12000; first += 1000) {
    std::string lines;
    for (int i = first; i < first + 1000; ++i) {
      lines += fmt::format("{{\"stream\":\"{}{:05}\",\"make\":{}}}\n", i % 100 == 7 ? "Odd" : "s",
                           i, R"({"experts":["a"],"method":"ml-poly"})");
    }
    events(lines);
  }
  auto page = get("/streams").json();
  EXPECT_EQ(page["streams"].size(), serve::kNamesOnAPage);
  EXPECT_EQ(get("/streams?after=s11998").json(), (nlohmann::json{{"streams", {"s11999"}}}));
  page = get("/streams?details=1&contains=oDD").json();
  EXPECT_EQ(page["streams"].size(), serve::kDetailsOnAPage);
  EXPECT_EQ(page["after"], "Odd09907");
  page = get("/streams?details=1&contains=oDD&after=Odd09907").json();
  EXPECT_EQ(page["streams"].size(), 20u);
  EXPECT_FALSE(page.contains("after"));
  // Found beyond what is looked at in one go.
  EXPECT_EQ(get("/streams?contains=s11999").json(), (nlohmann::json{{"streams", {"s11999"}}}));
  EXPECT_EQ(get("/streams?contains=nowhere").json(), (nlohmann::json{{"streams", Json::array()}}));
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

// What Prometheus is told.
class MetricsTest : public test::ServiceFixture {
 protected:
  // Experts that forecast y + a and y + b, for so many rounds.
  void play(const std::string& stream, double a, double b, int rounds) const {
    std::string lines;
    const auto add = [&](const std::string& event) {
      lines += fmt::format("{{\"stream\":\"{}\",{}}}\n", stream, event);
    };
    add(R"("make":{"experts":["a","b"],"method":"ml-poly"})");
    for (int t = 0; t < rounds; ++t) {
      add(fmt::format(R"("round":{{"id":"{}","forecasts":{{"a":{},"b":{}}}}})", t, t + a, t + b));
      add(fmt::format(R"("outcome":{{"id":"{0}","y":{0}}})", t));
    }
    events(lines);
  }
};

TEST_F(MetricsTest, CountWhatTheTableCounts) {
  start();
  play("north", 1, 2, 5);
  EXPECT_EQ(value("pcgs_rounds_total"), 5);
  EXPECT_EQ(value("pcgs_cache_hits_total"), 10);
  EXPECT_GT(value("pcgs_commit_bytes_total"), 1000);
  start();
  EXPECT_EQ(value("pcgs_rounds_total"), 0);
  get("/streams/north");
  EXPECT_EQ(value("pcgs_loads_total"), 1);
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
