// Whatever is sent, the service answers with a 4xx and one JSON object that says why, and goes on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "serve/loopback.h"
#include "serve/service.h"
#include "support/temp_dir.h"

namespace pcgs {

using test::ask;

namespace {

struct Bad {
  int status;
  std::string method, path, body;
};

std::vector<Bad> bad_requests() {
  const std::string rounds = "/streams/n/rounds", outcomes = "/streams/n/outcomes",
                    made = "/streams/x";
  const std::string long_id(201, 'i');
  std::string many = R"({"experts":["e0")";
  for (int i = 1; i <= 200; ++i) many += fmt::format(R"(,"e{}")", i);
  return {
      {404, "GET", "/nothing", ""},
      {404, "GET", "/live", ""},
      {404, "POST", "/", "{}"},
      {400, "GET", "/streams?details=yes", ""},
      {400, "GET", "/streams/n?rounds=0", ""},
      {400, "GET", "/streams/n?rounds=201", ""},
      {400, "GET", "/streams/n?rounds=-1", ""},
      {400, "GET", "/streams/n?rounds=5x", ""},
      {400, "GET", "/streams/n?rounds=", ""},
      {404, "GET", "/streams/unknown", ""},
      {404, "GET", "/streams/n/rounds", ""},
      {404, "POST", "/streams/n", "{}"},
      {404, "DELETE", "/streams/n", ""},
      {404, "PUT", "/streams/..%2f..%2fetc", R"({"experts":["a"]})"},
      {404, "PUT", "/streams/a/../b/c", R"({"experts":["a"]})"},
      {400, "PUT", "/streams/a%20b", R"({"experts":["a"]})"},
      {400, "PUT", "/streams/a%00b", R"({"experts":["a"]})"},
      {400, "PUT", "/streams/%C3%A4", R"({"experts":["a"]})"},
      {400, "PUT", "/streams/" + std::string(101, 'n'), R"({"experts":["a"]})"},
      {400, "PUT", made, ""},
      {400, "PUT", made, "{"},
      {400, "PUT", made, "[]"},
      {400, "PUT", made, "null"},
      {400, "PUT", made, "{}"},
      {400, "PUT", made, R"({"experts":[]})"},
      {400, "PUT", made, R"({"experts":"a"})"},
      {400, "PUT", made, R"({"experts":[1]})"},
      {400, "PUT", made, R"({"experts":[""]})"},
      {400, "PUT", made, R"({"experts":["a","a"]})"},
      {400, "PUT", made, R"({"experts":["a\u0000"]})"},
      {400, "PUT", made, R"({"experts":["a\n"]})"},
      {400, "PUT", made, many + "]}"},
      {400, "PUT", made, R"({"experts":["a"],"experts":["b"]})"},
      {400, "PUT", made, R"({"experts":["a"],"surprise":1})"},
      {400, "PUT", made, R"({"experts":["a"],"loss":"huber"})"},
      {400, "PUT", made, R"({"experts":["a"],"loss":1})"},
      {400, "PUT", made, R"({"experts":["a"],"tau":0.5})"},
      {400, "PUT", made, R"({"experts":["a"],"loss":"pinball","tau":1})"},
      {400, "PUT", made, R"({"experts":["a"],"season":24})"},
      {400, "PUT", made, R"({"experts":["a"],"season":[0]})"},
      {400, "PUT", made, R"({"experts":["a"],"season":[-24]})"},
      {400, "PUT", made, R"({"experts":["a"],"season":[24.5]})"},
      {400, "PUT", made, R"({"experts":["a"],"season":[168,24]})"},
      {400, "PUT", made, R"({"experts":["a"],"season":[2,3,4]})"},
      {400, "PUT", made, R"({"experts":["a"],"season":[1000000000]})"},
      {400, "PUT", made, R"({"experts":["a"],"method":"no-such"})"},
      {400, "PUT", made, R"({"experts":["a"],"method":"fixed-share*"})"},
      {400, "PUT", made, R"({"experts":["a"],"method":"blend{season=1000000}"})"},
      {400, "PUT", made, R"({"experts":["a"],"method":"pcgs-tf{model=/etc/passwd}"})"},
      {400, "PUT", made, R"({"experts":["a"],"method":"guard{model=\"/etc/passwd\"}"})"},
      {400, "POST", rounds, ""},
      {400, "POST", rounds, "\xff\xfe"},
      {400, "POST", rounds, R"({"id":"1"})"},
      {400, "POST", rounds, R"({"forecasts":{"a":1}})"},
      {400, "POST", rounds, R"({"id":1,"forecasts":{"a":1}})"},
      {400, "POST", rounds, R"({"id":"","forecasts":{"a":1}})"},
      {400, "POST", rounds, fmt::format(R"({{"id":"{}","forecasts":{{"a":1}}}})", long_id)},
      {400, "POST", rounds, R"({"id":"1","forecasts":[1]})"},
      {400, "POST", rounds, R"({"id":"1","forecasts":{"a":"1"}})"},
      {400, "POST", rounds, R"({"id":"1","forecasts":{"a":NaN}})"},
      {400, "POST", rounds, R"({"id":"1","forecasts":{"a":1e999}})"},
      {400, "POST", rounds, R"({"id":"1","forecasts":{"a":true}})"},
      {400, "POST", rounds, R"({"id":"1","forecasts":{"a":1,"a":2}})"},
      {400, "POST", rounds, R"({"id":"1","forecasts":{"nobody":1}})"},
      {400, "POST", rounds, R"({"id":"1","forecasts":{"a":1},"y":1})"},
      {400, "POST", rounds, R"({"id":"1","forecasts":{"a":1}} {})"},
      {400, "POST", rounds, std::string(100000, '[')},
      {400, "POST", outcomes, R"({"id":"0"})"},
      {400, "POST", outcomes, R"({"id":"0","y":null})"},
      {400, "POST", outcomes, R"({"id":"0","y":"1"})"},
      {400, "POST", outcomes, R"({"id":"0","y":1e999})"},
      {404, "POST", outcomes, R"({"id":"never","y":1})"},
      {404, "POST", "/streams/none/rounds", R"({"id":"1","forecasts":{"a":1}})"},
      {400, "POST", "/events", ""},
      {413, "POST", "/events", std::string(9 << 20, ' ')},
  };
}

class BadRequests : public ::testing::Test {
 protected:
  BadRequests() {
    serve::ServiceOptions options;
    options.store = dir_ / "store";
    options.port = 0;
    options.connections = 4;
    service_.emplace(options);
    ask(port(), "PUT", "/streams/n", R"({"experts":["a","b"],"method":"ml-poly"})");
    ask(port(), "POST", "/streams/n/rounds", R"({"id":"0","forecasts":{"a":1}})");
  }
  int port() const { return service_->port(); }
  std::string everything() const { return ask(port(), "GET", "/streams/n").body; }

  test::TempDir dir_;
  std::optional<serve::Service> service_;
};

}  // namespace

TEST_F(BadRequests, AreAnsweredWithWhatIsWrongAndChangeNothing) {
  const std::string before = everything();
  for (const Bad& bad : bad_requests()) {
    const auto answer = ask(port(), bad.method, bad.path, bad.body);
    const std::string which = bad.method + " " + bad.path + " " + bad.body.substr(0, 80);
    EXPECT_EQ(answer.status, bad.status) << which << "\n" << answer.body;
    const auto json = nlohmann::json::parse(answer.body, nullptr, false);
    ASSERT_TRUE(json.is_object() && json.size() == 1 && json.contains("error")) << which;
    EXPECT_GT(json["error"].get<std::string>().size(), 10u) << which;
    EXPECT_LT(answer.body.size(), 600u) << which;
  }
  EXPECT_EQ(everything(), before);
  EXPECT_EQ(ask(port(), "GET", "/streams").json()["streams"].size(), 1u);
}

TEST_F(BadRequests, BadLinesDoNotStopTheOthers) {
  for (const char* line :
       {"{}", R"({"stream":"n"})", R"({"stream":"a/b","abandon":{"id":"1"}})",
        R"({"stream":"n","abandon":{"id":"0"},"outcome":{"id":"0","y":1}})",
        R"({"stream":"n","abandon":"0"})", R"({"stream":"n","add_expert":{"id":"c"}})",
        R"({"stream":"n","surprise":{"id":"c"}})", "", "[]"}) {
    const auto body = fmt::format("{}\n{}\n", line, R"({"stream":"n","abandon":{"id":"x"}})");
    const auto answer = ask(port(), "POST", "/events", body);
    EXPECT_EQ(answer.body.find(R"({"status":400,"error")"), 0u) << line << "\n" << answer.body;
    EXPECT_NE(answer.body.find("\n{\"status\":404,"), std::string::npos) << answer.body;
  }
  EXPECT_NE(everything().find(R"("open":["0"])"), std::string::npos) << everything();
}

TEST_F(BadRequests, BodiesWithoutALimitAreRefusedUnread) {
  const auto encoded = ask(port(), "POST", "/events", "x", "Content-Encoding: gzip\r\n");
  EXPECT_EQ(encoded.status, 415);
  EXPECT_NE(encoded.head.find("Connection: close\r\n"), std::string::npos) << encoded.head;
  const std::vector<std::pair<int, std::string>> kHeads = {
      {415,
       "POST /events HTTP/1.1\r\nContent-Length: 9\r\nContent-Type: multipart/form-data; "
       "boundary=x\r\n"},
      {411, "POST /events HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"},
      {411, "POST /events HTTP/1.1\r\n"},
      {413, "POST /events HTTP/1.1\r\nContent-Length: 8388609\r\n"},
      {413, "PUT /streams/x HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n"},
      {400, "PUT /streams/x HTTP/1.1\r\nContent-Length: -1\r\n"},
      {400, "PUT /streams/x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n"},
      {400, "PUT /streams/x HTTP/1.1\r\nContent-Length: 1x\r\n"},
      {400, "GET /streams HTTP/1.1\r\nContent-Length: 5\r\n"},
      {400, "DELETE /streams/n HTTP/1.1\r\nContent-Length: 5\r\n"},
  };
  for (const auto& [status, head] : kHeads) {
    test::Loopback connection(port());
    connection.send(head + "\r\n");
    const auto answer = connection.read();
    EXPECT_EQ(answer.status, status) << head << answer.body;
    EXPECT_NE(answer.head.find("Connection: close\r\n"), std::string::npos) << answer.head;
  }
}

TEST_F(BadRequests, WhatIsNotHttpHarmsNobody) {
  for (const std::string& bytes :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("\0\1\2\3\r\n\r\n", 8), "GET /" + std::string(7000, 'a') + " HTTP/1.1\r\n\r\n",
        "GET /streams/" + std::string(7000, 'a') + " HTTP/1.1\r\n\r\n",
        "GET /" + std::string(100000, 'a') + " HTTP/1.1\r\n\r\n"}) {
    test::Loopback connection(port());
    connection.send(bytes);
    const auto answer = connection.read();
    EXPECT_TRUE(answer.status == 0 || answer.status >= 400) << bytes.substr(0, 40);
  }
  for (int i = 0; i < 20; ++i) {  // clients that do not wait for their answer
    test::Loopback(port()).send(test::request_text("GET", "/metrics", ""));
  }
  EXPECT_EQ(ask(port(), "GET", "/health").status, 200);
}

}  // namespace pcgs
