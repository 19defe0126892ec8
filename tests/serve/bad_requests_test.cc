// Whatever a body says, the service answers with a 4xx and one JSON object that says why, and goes on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "serve/bad_bodies.h"
#include "serve/unharmed.h"

namespace pcgs {

using test::ask;

class BadRequests : public test::Unharmed {};

TEST_F(BadRequests, OfHundredsOfKindsAreAnsweredWithWhatIsWrongAndChangeNothing) {
  const auto before = stored();
  start();
  std::set<std::string> kinds;
  for (const auto& [status, method, path, body] : test::bad_bodies()) {
    const std::string which = method + " " + path + " " + body.substr(0, 80);
    kinds.insert(method + path + body);
    EXPECT_TRUE(refused(ask(port(), method, path, body), status)) << which;
    ASSERT_TRUE(unharmed()) << which;
  }
  EXPECT_GE(kinds.size(), 300u);
  const auto after = stored();
  EXPECT_EQ(after.events, before.events);
  EXPECT_EQ(after.snapshot.has_value(), before.snapshot.has_value());
}

TEST_F(BadRequests, BadLinesOfHundredsOfKindsDoNotStopTheOthers) {
  const auto before = stored();
  start();
  const auto lines = test::bad_lines();
  EXPECT_GE(std::set(lines.begin(), lines.end()).size(), 300u);
  for (const std::string& line : lines) {
    const auto body = fmt::format("{}\n{}\n", line, R"({"stream":"n","abandon":{"id":"x"}})");
    const auto answer = ask(port(), "POST", "/events", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body.find("{\"status\":400,"), 0u) << line << "\n" << answer.body;
    EXPECT_LT(answer.body.size(), 800u) << answer.body;
    ASSERT_TRUE(unharmed()) << line;
    EXPECT_NE(answer.body.find("\n{\"status\":404,"), std::string::npos) << line << answer.body;
  }
  EXPECT_EQ(stored().events, before.events);
}

TEST_F(BadRequests, WrongMethodsAreRefusedOnEveryRoute) {
  const std::vector<std::pair<std::string, std::set<std::string>>> kRoutes = {
      {"/", {"GET", "HEAD"}},
      {"/streams", {"GET", "HEAD"}},
      {"/streams/n", {"GET", "HEAD", "PUT"}},
      {"/streams/n/rounds", {"POST"}},
      {"/streams/n/outcomes", {"POST"}},
      {"/streams/n/weights", {}},
      {"/events", {"POST"}},
      {"/backups", {"POST"}},
      {"/health", {"GET", "HEAD"}},
      {"/ready", {"GET", "HEAD"}},
      {"/metrics", {"GET", "HEAD"}},
  };
  for (const auto& [path, taken] : kRoutes) {
    for (const std::string method : {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS",
                                     "CONNECT", "TRACE", "PRI", "BREW", "get", "G\x01T"}) {
      if (taken.contains(method)) continue;
      test::Loopback connection(port());
      connection.send(test::request_text(method, path, ""));
      const bool has_body = method != "HEAD";
      const auto answer = connection.read(has_body);
      const bool known =
          std::set<std::string>{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
              .contains(method);
      const int status = known ? 404 : method == "G\x01T" ? 400 : 501;
      EXPECT_EQ(answer.status, status) << method << " " << path;
      if (has_body) {
        EXPECT_TRUE(refused(answer, status)) << method << " " << path;
      }
      ASSERT_TRUE(unharmed()) << method << " " << path;
    }
  }
  EXPECT_TRUE(unharmed());
}

TEST_F(BadRequests, NamesThatAreNoneStayInTheStore) {
  for (const char* name :
       {"a%20b", "a%00b", "%C3%A4", "%ff", "%0a",   "%0d%0aX:%201", "a%2e%2e%2f..", "a+b",
        "a~",    "a@b",   "a:b",    "a;b", "a,b",   "a=b",          "a&b",          "$(x)",
        "'a'",   "*",     "!",      "%25", "%2525", "a%7f"}) {
    const auto answer =
        ask(port(), "PUT", fmt::format("/streams/{}", name), R"({"experts":["a"]})");
    // A slash, however it is written, is another route.
    EXPECT_TRUE(refused(answer, std::string(name).find("%2f") == std::string::npos ? 400 : 404))
        << name;
    ASSERT_TRUE(unharmed()) << name;
  }
  for (const char* path :
       {"/streams/", "//streams/n", "/streams//n", "/streams/n/", "/streams/a/../b/c",
        "/streams/..%2f..%2fetc%2fpasswd", "/../etc/passwd", "/..%2fetc", "/./streams/n/x",
        "/streams/%2e%2e/%2e%2e/etc", "/STREAMS/n", "/streams%2fn%2frounds%2f"}) {
    EXPECT_TRUE(refused(ask(port(), "PUT", path, R"({"experts":["a"]})"), 404)) << path;
    ASSERT_TRUE(unharmed()) << path;
  }
  const std::string long_name(101, 'n'), longest(7900, 'n');
  EXPECT_TRUE(refused(ask(port(), "PUT", "/streams/" + long_name, R"({"experts":["a"]})"), 400));
  EXPECT_TRUE(refused(ask(port(), "PUT", "/streams/" + longest, R"({"experts":["a"]})"), 400));
  EXPECT_TRUE(refused(ask(port(), "GET", "/streams/" + long_name), 400));
  EXPECT_TRUE(refused(ask(port(), "GET", "/streams/unknown"), 404));
  EXPECT_TRUE(unharmed());
}

TEST_F(BadRequests, TokensThatAreAlmostRightAreWrong) {
  options_.token = serve::BearerToken("correct horse battery");
  headers_ = "Authorization: Bearer correct horse battery\r\n";
  start();
  for (const char* header :
       {"", "Authorization:\r\n", "Authorization: Bearer\r\n", "Authorization: Bearer \r\n",
        "Authorization: correct horse battery\r\n",
        "Authorization: Basic correct horse battery\r\n",
        "Authorization: bearer correct horse battery\r\n",
        "Authorization: Bearer correct horse\r\n",
        "Authorization: Bearer correct horse battery staple\r\n",
        "Authorization: Bearer Correct horse battery\r\n",
        "Authorization: Bearer correct horse batterz\r\n",
        "Authorization: Bearer  correct horse battery\r\n",
        "Authorization: Bearer correct%20horse%00battery\r\n",
        "X-Authorization: Bearer correct horse battery\r\n",
        "Cookie: token=correct horse battery\r\n",
        "Authorization: Bearer wrong\r\nAuthorization: Bearer correct horse battery\r\n"}) {
    for (const char* path : {"/streams/n", "/streams", "/metrics", "/nothing"}) {
      EXPECT_TRUE(refused(ask(port(), "GET", path, "", header), 401)) << header;
    }
    EXPECT_TRUE(refused(ask(port(), "POST", "/events", "{}", header), 401)) << header;
    ASSERT_TRUE(unharmed()) << header;
  }
  EXPECT_TRUE(refused(ask(port(), "GET", "/streams/n?token=correct horse battery"), 400));
  EXPECT_TRUE(unharmed());
}

TEST_F(BadRequests, FuzzedBodiesNeitherStopTheServiceNorSpoilAnotherStream) {
  const std::vector<std::string> seeds = {
      R"({"stream":"f","make":{"experts":["a","b"],"loss":"squared","season":[24],"method":"ml-poly"}})",
      R"({"stream":"f","round":{"id":"1","forecasts":{"a":1.5,"b":null}}})",
      R"({"stream":"f","outcome":{"id":"1","y":-2e3}})",
      R"({"stream":"f","add_expert":{"id":"c","name":"\u00e4"}})"};
  std::mt19937_64 random(7);
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  for (int request = 0; request < 60; ++request) {
    std::string body;
    for (int i = 0; i < 50; ++i) {
      std::string line = seeds[draw(seeds.size())];
      for (std::size_t edits = draw(4); edits > 0 && !line.empty(); --edits) {
        const std::size_t at = draw(line.size());
        if (draw(3) == 0)
          line.erase(at, 1 + draw(5));
        else if (draw(2) == 0)
          line.insert(at, 1, static_cast<char>(draw(256)));
        else
          line[at] = R"({}[]",:0-9.eE\unt)"[draw(17)];
      }
      body += line + "\n";
    }
    const auto answer = ask(port(), "POST", "/events", body);
    ASSERT_EQ(answer.status, 200) << request;
    std::istringstream lines(answer.body);
    for (std::string line; std::getline(lines, line);) {
      const auto json = nlohmann::json::parse(line);
      const int status = json["status"];
      EXPECT_TRUE(status >= 200 && status < 500) << line;
      EXPECT_EQ(json.contains("error"), status >= 400) << line;
    }
  }
  EXPECT_EQ(ask(port(), "GET", "/streams/n").body, stream_);
}

}  // namespace pcgs
