// The service over HTTP, on a port of the loopback.
#include "serve/service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <thread>

#include "pcgs/registry.h"
#include "serve/service_fixture.h"
#include "support/expect.h"

namespace pcgs {

using test::ask;
using test::HttpAnswer;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kMake = R"({"experts":["a","b","c"]})";

class ServiceTest : public test::ServiceFixture {};

// One stream, in the service and beside it.
class Followed {
 public:
  explicit Followed(std::string name)
      : name_(std::move(name)), random_(std::hash<std::string>()(name_)) {
    Aggregator::Options options;
    options.names = {"a", "b", "c"};
    aggregator_ = make_aggregator(kDefaultForForecasts, 3, options);
  }

  // A round and its outcome; whether the service forecast what the aggregator did.
  bool play(int port, std::size_t t) {
    const double y = number();
    Json forecasts = Json::object();
    std::vector<double> x;
    for (const char* expert : {"a", "b", "c"}) {
      const bool sleeps = random_() % 10 == 0;
      x.push_back(sleeps ? std::numeric_limits<double>::quiet_NaN() : y + number() - 100);
      forecasts[expert] = x.back();  // NaN is written as null
    }
    const double expected = aggregator_->predict(x);
    aggregator_->learn(y);
    const Json round = {{"id", fmt::format("t{}", t)}, {"forecasts", forecasts}};
    const HttpAnswer answer = ask(port, "POST", "/streams/" + name_ + "/rounds", round.dump());
    const Json outcome = {{"id", fmt::format("t{}", t)}, {"y", y}};
    const HttpAnswer learned = ask(port, "POST", "/streams/" + name_ + "/outcomes", outcome.dump());
    if (answer.status != 200 || learned.status != 200) return false;
    const auto forecast = answer.json()["forecast"];
    return std::isnan(expected) ? forecast.is_null() : forecast == expected;
  }

 private:
  double number() { return 100 + static_cast<double>(random_() >> 11) * 0x1p-53; }
  std::string name_;
  std::mt19937_64 random_;
  std::optional<Aggregator> aggregator_;
};

}  // namespace

TEST_F(ServiceTest, AskingAgainChangesNothing) {
  start();
  EXPECT_EQ(put("north", kMake).status, 201);
  EXPECT_EQ(put("north", kMake).status, 200);
  EXPECT_EQ(put("north", R"({"loss":"squared","experts":["a","b","c"],"method":"blend"})").status,
            200);
  EXPECT_EQ(put("north", R"({"experts":["a","b"]})").status, 409);
  const Json round = {{"id", "1"}, {"forecasts", {{"a", 1.5}, {"b", nullptr}, {"c", 2.5}}}};
  const HttpAnswer first = post("/streams/north/rounds", round);
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.json()["id"], "1");
  EXPECT_TRUE(first.json()["forecast"].is_number());
  EXPECT_EQ(first.json()["weights"]["b"], 0);
  EXPECT_EQ(post("/streams/north/rounds", round).body, first.body);
  EXPECT_EQ(post("/streams/north/outcomes", {{"id", "1"}, {"y", 2}}).status, 200);
  EXPECT_EQ(post("/streams/north/outcomes", {{"id", "1"}, {"y", 2}}).status, 200);
  EXPECT_EQ(post("/streams/north/outcomes", {{"id", "1"}, {"y", 3}}).status, 409);
  EXPECT_EQ(post("/streams/north/outcomes", {{"id", "2"}, {"y", 3}}).status, 404);
  EXPECT_EQ(post("/streams/south/outcomes", {{"id", "1"}, {"y", 3}}).status, 404);
  EXPECT_EQ(post("/streams/north/rounds", round).body, first.body);
  start();
  EXPECT_EQ(post("/streams/north/rounds", round).body, first.body);
  EXPECT_EQ(post("/streams/north/outcomes", {{"id", "1"}, {"y", 3}}).status, 409);
}

TEST_F(ServiceTest, NobodyAwakeHasNoForecast) {
  start();
  put("north", kMake);
  const HttpAnswer answer =
      post("/streams/north/rounds", {{"id", "1"}, {"forecasts", Json::object()}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.json()["forecast"].is_null());
}

TEST_F(ServiceTest, ForecastsAreThoseOfAnAggregatorWhileStreamsComeAndGo) {
  options_.limits.in_memory = 2;
  options_.limits.events_between_snapshots = 9;
  start();
  std::vector<Followed> streams;
  for (const char* name : {"north", "south", "east", "west"}) {
    put(name, kMake);
    streams.emplace_back(name);
  }
  for (std::size_t t = 0; t < 30; ++t) {
    if (t == 15) start();
    for (Followed& stream : streams) ASSERT_TRUE(stream.play(service_->port(), t)) << t;
  }
}

TEST_F(ServiceTest, ManyClientsAtOnceGetWhatEachWouldAlone) {
  start();
  constexpr std::size_t kClients = 8;
  std::vector<std::size_t> right(kClients);
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      const std::string name = fmt::format("stream-{}", c);
      Followed stream(name);
      put(name, kMake);
      for (std::size_t t = 0; t < 25; ++t) {
        if (stream.play(service_->port(), t)) ++right[c];
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, std::vector<std::size_t>(kClients, 25));
  EXPECT_NE(get("/metrics").body.find("pcgs_events_total 408\n"), std::string::npos)
      << get("/metrics").body;
}

TEST_F(ServiceTest, EventsAreAnsweredLineByLine) {
  start();
  const std::string lines = R"({"stream":"n","make":{"experts":["a","b"]}})"
                            "\n"
                            R"({"stream":"n","round":{"id":"1","forecasts":{"a":1,"b":3}}})"
                            "\n"
                            R"({"stream":"n","outcome":{"id":"1","y":2}})"
                            "\n"
                            "nonsense\n"
                            R"({"stream":"n","add_expert":{"id":"c","name":"c"}})"
                            "\n"
                            R"({"stream":"n","round":{"id":"2","forecasts":{"c":5}}})"
                            "\n"
                            R"({"stream":"n","abandon":{"id":"2"}})"
                            "\n"
                            R"({"stream":"n","remove_expert":{"id":"-a","name":"a"}})"
                            "\n"
                            R"({"stream":"m","outcome":{"id":"1","y":2}})";
  const HttpAnswer answer = ask(service_->port(), "POST", "/events", lines);
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
  EXPECT_EQ(ask(service_->port(), "POST", "/events", std::string(1001, '\n')).status, 413);
}

TEST_F(ServiceTest, TakesALargeBodyThatCurlCallsAForm) {
  start();
  put("north", kMake);
  std::string body = R"({"id":"1","forecasts":{"a":1}})";
  body.insert(1, 100000, ' ');
  const HttpAnswer answer = ask(service_->port(), "POST", "/streams/north/rounds", body,
                                "Content-Type: application/x-www-form-urlencoded\r\n");
  EXPECT_EQ(answer.status, 200) << answer.body;
}

TEST_F(ServiceTest, ListsStreamsPageByPage) {
  start();
  for (const char first : {'s', 'u'}) {
    std::string lines;
    for (int i = 0; i < 600; ++i) {
      lines += fmt::format("{{\"stream\":\"{}{:04}\",\"make\":{}}}\n", first, i,
                           R"({"experts":["a"],"method":"ml-poly"})");
    }
    ask(service_->port(), "POST", "/events", lines);
  }
  const auto first = get("/streams").json();
  EXPECT_EQ(first["streams"].size(), serve::kNamesOnAPage);
  const auto second = get("/streams?after=" + first["after"].get<std::string>()).json();
  EXPECT_EQ(second["streams"].size(), 200u);
  EXPECT_EQ(second["streams"].back(), "u0599");
  EXPECT_FALSE(second.contains("after"));
}

TEST_F(ServiceTest, AsksForItsToken) {
  const std::string path = dir_ / "token";
  std::ofstream(path) << "correct horse battery\n";
  options_.token = serve::BearerToken::from_file(path);
  start();
  const auto status = [&](const char* route, std::string_view headers) {
    return ask(service_->port(), "GET", route, "", headers).status;
  };
  EXPECT_EQ(status("/streams", ""), 401);
  EXPECT_EQ(status("/streams", "Authorization: Bearer correct horse batterz\r\n"), 401);
  EXPECT_EQ(status("/streams", "Authorization: Bearer correct horse\r\n"), 401);
  EXPECT_EQ(status("/streams", "Authorization: Bearer correct horse battery \r\n"), 200);
  EXPECT_EQ(status("/streams", "Authorization: Basic correct horse battery\r\n"), 401);
  EXPECT_EQ(status("/metrics", ""), 401);
  for (const char* route : {"/health", "/ready", "/", "/live.css", "/live.js"}) {
    EXPECT_EQ(status(route, ""), 200) << route;
  }
  std::ofstream(path) << "short\n";
  EXPECT_NE(test::error_of([&] { serve::BearerToken::from_file(path); }), "");
}

TEST_F(ServiceTest, KeepsAConnectionForManyRequests) {
  start();
  test::Loopback connection(service_->port());
  for (int i = 0; i < 300; ++i) {
    connection.send(test::request_text("GET", "/health", ""));
    ASSERT_EQ(connection.read().status, 200) << i;
  }
}

TEST_F(ServiceTest, APortThatIsTakenIsRefused) {
  start();
  serve::ServiceOptions other = options_;
  other.store = dir_ / "other";
  other.port = service_->port();
  EXPECT_NE(test::error_of([&] { serve::Service second(other); }).find("cannot listen"),
            std::string::npos);
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
    EXPECT_NE(test::error_of([&] { serve::set_address(options, wrong); }), "") << wrong;
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

}  // namespace pcgs
