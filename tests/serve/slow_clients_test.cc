// Clients that take their time, leave in the middle, or never read. None holds a connection for ever.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "serve/service_fixture.h"

namespace pcgs {

using std::chrono::milliseconds;
using test::Loopback;
using test::request_text;

namespace {

const std::string kRounds = "/streams/n/rounds";
std::string round_of(std::string_view id) {
  return fmt::format(R"({{"id":"{}","forecasts":{{"a":1}}}})", id);
}

}  // namespace

class SlowClients : public test::Unharmed {
 protected:
  // One request at work at a time, so that whoever holds its place holds all.
  void start_with(const serve::Patience& patience) {
    options_.patience = patience;
    options_.connections = 1;
    start();
  }
};

TEST_F(SlowClients, OneByteAtATimeIsARequest) {
  Loopback connection(port());
  for (const char byte : request_text("POST", kRounds, round_of("1"))) connection.send({&byte, 1});
  const auto answer = connection.read();
  EXPECT_EQ(answer.status, 200) << answer.body;
}

TEST_F(SlowClients, WhoHasSentAWholeRequestAndEndsIsAnswered) {
  Loopback connection(port());
  connection.send(request_text("POST", kRounds, round_of("1")));
  connection.end_sending();
  EXPECT_EQ(connection.read().status, 200);
  EXPECT_TRUE(connection.closed());
}

TEST_F(SlowClients, WhatIsCutOffAnywhereIsRefusedAndChangesNothing) {
  const std::string whole = request_text("POST", kRounds, round_of("1"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Loopback connection(port());
    connection.send(whole.substr(0, size));
    connection.end_sending();
    const auto answer = connection.read();
    if (size == 0) {
      EXPECT_EQ(answer.status, 0);  // nothing was asked
    } else {
      EXPECT_TRUE(refused(answer, 400)) << size;
    }
    ASSERT_TRUE(unharmed()) << size;
  }
}

TEST_F(SlowClients, WhoLeavesDoesNotStopTheService) {
  const std::string whole = request_text("GET", "/metrics", "");
  for (std::size_t size = 0; size <= whole.size(); ++size)
    Loopback(port()).send(whole.substr(0, size));
  EXPECT_TRUE(unharmed());
}

TEST_F(SlowClients, AnIdleConnectionIsClosed) {
  start_with({.idle = milliseconds(1)});
  Loopback first(port()), second(port());
  EXPECT_EQ(first.read().status, 0);
  EXPECT_EQ(second.read().status, 0);
}

TEST_F(SlowClients, HalfAHeadIsGivenUp) {
  start_with({.request = milliseconds(1)});
  Loopback connection(port());
  connection.send("POST /streams/n/rounds HTTP/1.1\r\nHost:");
  EXPECT_TRUE(refused(connection.read(), 408));
  EXPECT_TRUE(connection.closed());
}

TEST_F(SlowClients, HalfABodyIsGivenUpAndChangesNothing) {
  start_with({.request = milliseconds(1)});
  const std::string whole = request_text("POST", kRounds, round_of("1"));
  Loopback connection(port());
  connection.send(whole.substr(0, whole.size() - 1));
  EXPECT_TRUE(refused(connection.read(), 408));
  EXPECT_TRUE(connection.closed());
  options_.patience = {};
  start();
  EXPECT_TRUE(unharmed());
}

TEST_F(SlowClients, BytesNowAndThenDoNotBuyTime) {
  start_with({.request = milliseconds(50)});
  Loopback connection(port());
  connection.send("POST /streams/n/rounds HTTP/1.1\r\n");
  // As many headers as the connection takes. It ends by time, or by the size of the head.
  while (!connection.answered()) connection.send("X: x\r\n");
  const auto answer = connection.read();
  EXPECT_TRUE(answer.status == 408 || answer.status == 431) << answer.status;
}

TEST_F(SlowClients, WhoNeverReadsIsGivenUpAndWhatItSentIsDone) {
  start_with({.answer = milliseconds(50)});
  Loopback connection(port());
  // Answers that no socket buffer holds.
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += std::string(2000, 'x') + "\n";
  const std::string request = request_text("POST", "/events", lines);
  while (connection.send(request)) {
  }
  EXPECT_TRUE(unharmed());
}

TEST_F(SlowClients, ThousandsThatSayNothingAndOneAtWorkDoNotKeepProbesWaiting) {
  start_with({.idle = std::chrono::hours(1)});
  std::vector<std::unique_ptr<Loopback>> idle;
  for (int i = 0; i < 2000; ++i) idle.push_back(std::make_unique<Loopback>(port()));
  const std::string whole = request_text("POST", kRounds, round_of("1"));
  Loopback at_work(port()), waiting(port());
  at_work.send(whole.substr(0, whole.size() - 1));
  for (const char* probe : {"/health", "/ready", "/metrics", "/"}) {
    EXPECT_EQ(test::ask(port(), "GET", probe).status, 200) << probe;
  }
  waiting.send(request_text("GET", "/streams/n", ""));
  EXPECT_EQ(test::ask(port(), "GET", "/health").status, 200);
  EXPECT_FALSE(waiting.answered()) << "the only place is taken";
  at_work.send(whole.substr(whole.size() - 1));
  EXPECT_EQ(at_work.read().status, 200);
  EXPECT_EQ(waiting.read().json()["open"].size(), 2u);
}

TEST_F(SlowClients, AServiceThatStopsDoesNotWaitForThem) {
  start_with({milliseconds(3600000), milliseconds(3600000), milliseconds(3600000)});
  Loopback idle(port()), half_a_head(port()), half_a_body(port()), waiting(port());
  half_a_head.send("POST /");
  const std::string whole = request_text("POST", kRounds, round_of("1"));
  half_a_body.send(whole.substr(0, whole.size() - 1));
  ASSERT_EQ(test::ask(port(), "GET", "/health").status, 200);
  waiting.send(request_text("GET", "/streams/n", ""));
  ASSERT_EQ(test::ask(port(), "GET", "/health").status, 200);
  const auto events = stored().events;  // stops it
  EXPECT_EQ(events.size(), 2u);
  EXPECT_TRUE(idle.closed());
  EXPECT_TRUE(refused(half_a_body.read(), 503));
  EXPECT_TRUE(refused(waiting.read(), 503));
}

}  // namespace pcgs
