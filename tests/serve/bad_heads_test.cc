// What is not HTTP, or HTTP that two readers would read differently. It is answered where that is possible,
// and the connection is closed after it: nobody knows where the next request would begin.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "serve/http.h"
#include "serve/service_fixture.h"

namespace pcgs {

namespace {

struct BadHead {
  int status;
  std::string bytes;
};

std::string post_text(const std::string& headers, const std::string& body = "") {
  return "POST /streams/n/outcomes HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n" + body;
}

const std::string kOutcome = R"({"id":"0","y":1})";

std::vector<BadHead> bad_request_lines() {
  const std::string end = " HTTP/1.1\r\nHost: x\r\n\r\n";
  std::vector<BadHead> out = {
      {400, "\r\n\r\n"},
      {400, "\n\n"},
      {400, "\r\r\n"},
      {400, " GET / HTTP/1.1\r\n\r\n"},
      {400, std::string("\0\1\2\3\r\n\r\n", 8)},
      {400, std::string("\x16\x03\x01\x02\x00\x01\x00", 7)},  // TLS
      {400, "GET\r\n\r\n"},
      {400, "GET /health\r\n\r\n"},
      {400, "GET /health \r\n\r\n"},
      {400, "GET  HTTP/1.1\r\n\r\n"},
      {400, "GET  /health HTTP/1.1\r\n\r\n"},
      {400, "GET /health  HTTP/1.1\r\n\r\n"},
      {400, "GET\t/health\tHTTP/1.1\r\n\r\n"},
      {400, "GET /health HTTP/1.1 x\r\n\r\n"},
      {400, "GET /health http/1.1\r\n\r\n"},
      {400, "GET /health 1.1\r\n\r\n"},
      {505, "GET /health HTTP/0.9\r\n\r\n"},
      {505, "GET /health HTTP/1.2\r\n\r\n"},
      {505, "GET /health HTTP/2\r\n\r\n"},
      {505, "GET /health HTTP/9.9\r\n\r\n"},
      {505, "GET /health HTTP/1.1x\r\n\r\n"},
      {505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {501, "FETCH /health HTTP/1.1\r\n\r\n"},
      {501, "get /health HTTP/1.1\r\n\r\n"},
      {501, "GETT /health HTTP/1.1\r\n\r\n"},
      {501, std::string(7000, 'G') + " /health HTTP/1.1\r\n\r\n"},
      {400, "G(T /health HTTP/1.1\r\n\r\n"},
      {400, std::string("GET /\0", 6) + end},
      {400, "GET /health HTTP/1.1\n\n"},
      {400, "GET /health HTTP/1.1\nHost: x\r\n\r\n"},
      {414, "GET /" + std::string(8300, 'a') + end},
      {414, "GET /" + std::string(100000, 'a') + end},
      {414, "GET /" + std::string(2000000, 'a') + end},
  };
  for (const char* target : {"health", "*", "http://localhost/health", "\\health", "/hea lth",
                             "/health#x", "/streams?a?b", "/%", "/%4", "/%4g", "/%zz", "/%u0041",
                             "/\xc3\xa4", "/\xff", "/\x7f", "/\x01", "/a\rb"}) {
    out.push_back({400, fmt::format("GET {}{}", target, end)});
  }
  return out;
}

std::vector<BadHead> bad_headers() {
  const std::string begin = "GET /health HTTP/1.1\r\n";
  std::string many = begin;
  for (int i = 0; i < 10000; ++i) many += fmt::format("X-{}: x\r\n", i);
  std::vector<BadHead> out;
  for (const char* header :
       {"no colon", ": no name", "Na me: x", "Name : x", "Name\t: x", "N\xc3\xa4me: x", "Na(me: x",
        " Host: x", "Host: x\r\n folded", "Host: x\r\n\tfolded", "Host: a\nb", "Host: a\rb",
        "Host: a\n", "Host: a\x01", "Host: a\x7f", "Host: \x1b[2J"}) {
    out.push_back({400, fmt::format("{}{}\r\n\r\n", begin, header)});
  }
  for (const char* range : {"bytes=x", "bytes=5-1", "lines=1-2", "bytes=99999999999999999999-"}) {
    out.push_back({416, fmt::format("{}Range: {}\r\n\r\n", begin, range)});
  }
  const std::vector<BadHead> others = {
      {400, begin + std::string("Host: a\0b\r\n\r\n", 12)},
      {400, begin + std::string("Ho\0st: a\r\n\r\n", 12)},
      {431, begin + "X: " + std::string(8300, 'x') + "\r\n\r\n"},
      {431, begin + "X: " + std::string(100000, 'x') + "\r\n\r\n"},
      {431, begin + std::string(8300, 'x') + ": x\r\n\r\n"},
      {431, begin + "X: " + std::string(2000000, 'x')},
      {431, many + "\r\n"},
  };
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

std::vector<BadHead> bad_lengths() {
  std::vector<BadHead> out;
  for (const char* length :
       {"-1", "+16", "16x", "x16", "0x10", "16 16", "16,16", "16, 16", "1e1", "16.0", "1_6",
        "\"16\"", "%31%36", "1%36", "-0", "--16", "sixteen", "16;",
        "\xc2\xb9"
        "6"}) {
    out.push_back({400, post_text(fmt::format("Content-Length: {}\r\n", length), kOutcome)});
  }
  for (const char* length :
       {"8388609", "18446744073709551615", "18446744073709551616", "99999999999999999999999999"}) {
    out.push_back({413, post_text(fmt::format("Content-Length: {}\r\n", length), kOutcome)});
  }
  const std::string length = "Content-Length: 16\r\n",
                    chunks = "10\r\n" + kOutcome + "\r\n0\r\n\r\n";
  const std::vector<BadHead> others = {
      {411, post_text("", kOutcome)},
      {411, post_text("Content-Length:\r\n", kOutcome)},
      {400, post_text("Content-Length: 16\r\nContent-Length: 16\r\n", kOutcome)},
      {400, post_text("Content-Length: 16\r\ncontent-length: 17\r\n", kOutcome)},
      {400, post_text("Content-Length: 17\r\nContent-Length: 16\r\n", kOutcome)},
      {411, post_text("Transfer-Encoding: chunked\r\n", chunks)},
      {411, post_text(length + "Transfer-Encoding: chunked\r\n", chunks)},
      {411, post_text("Transfer-Encoding: chunked\r\n" + length, chunks)},
      {411, post_text("Transfer-Encoding: identity\r\n" + length, kOutcome)},
      {411, post_text("Transfer-Encoding: gzip, chunked\r\n", chunks)},
      {411, post_text("transfer-encoding: xchunked\r\n" + length, kOutcome)},
      {411, "GET /health HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {411, "PUT /streams/x HTTP/1.0\r\n\r\n"},
      {415, post_text(length + "Content-Encoding: gzip\r\n", kOutcome)},
      {415, post_text(length + "Content-Encoding: identity\r\n", kOutcome)},
      {415, post_text(length + "Content-Encoding: br, gzip\r\n", kOutcome)},
      {415, post_text(length + "Content-Type: multipart/form-data; boundary=x\r\n", kOutcome)},
      {417, post_text(length + "Expect: 200-ok\r\n", kOutcome)},
      {417, post_text(length + "Expect: 100-continue, x\r\n", kOutcome)},
      // The body is refused before it is asked for.
      {413, post_text("Content-Length: 9999999\r\nExpect: 100-continue\r\n")},
      {411, post_text("Expect: 100-continue\r\n")},
      {400, "GET /streams HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"},
      {400, "DELETE /streams/n HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"},
      {400, "OPTIONS /streams/n HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"},
  };
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

}  // namespace

class BadHeads : public test::Unharmed {
 protected:
  void check(const std::vector<BadHead>& heads) {
    for (const auto& [status, bytes] : heads) {
      test::Loopback connection(port());
      connection.send(bytes);
      // The client goes on as if nothing was wrong; what it asks for must not be done.
      connection.send(test::request_text("POST", "/streams/n/outcomes", kOutcome));
      const auto answer = connection.read();
      const std::string which = bytes.substr(0, 100);
      EXPECT_TRUE(refused(answer, status)) << which;
      EXPECT_NE(answer.head.find("Connection: close\r\n"), std::string::npos) << answer.head;
      EXPECT_TRUE(connection.closed()) << which;
      ASSERT_TRUE(unharmed()) << which;
    }
  }
};

TEST_F(BadHeads, RequestLinesAreRefusedAndTheConnectionIsClosed) { check(bad_request_lines()); }

TEST_F(BadHeads, HeadersAreRefusedAndTheConnectionIsClosed) { check(bad_headers()); }

TEST_F(BadHeads, LengthsAreRefusedAndTheConnectionIsClosed) { check(bad_lengths()); }

TEST_F(BadHeads, ManyRangesDoNotMakeALongAnswer) {
  std::string head = "GET /health HTTP/1.1\r\nRange: bytes=0-0";
  for (int i = 0; i < 1500; ++i) head += ",0-0";
  test::Loopback connection(port());
  connection.send(head + "\r\n\r\n");
  const auto answer = connection.read();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "{\"status\":\"ok\"}\n");
}

TEST_F(BadHeads, TheFirstRefusalOfAPipelineIsTheLastAnswer) {
  test::Loopback connection(port());
  connection.send(
      "GET /health HTTP/1.1\r\n\r\nGET /nothing HTTP/1.1\r\n\r\nBAD\r\n\r\nGET /health "
      "HTTP/1.1\r\n\r\n");
  EXPECT_EQ(connection.read().status, 200);
  EXPECT_TRUE(refused(connection.read(), 404));
  EXPECT_TRUE(refused(connection.read(), 400));
  EXPECT_EQ(connection.read().status, 0);
}

TEST_F(BadHeads, PipelinedRequestsAreAnsweredInTheirOrder) {
  test::Loopback connection(port());
  std::string requests;
  for (int i = 0; i < 200; ++i) {
    requests += test::request_text("POST", "/streams/n/rounds",
                                   fmt::format(R"({{"id":"p{}","forecasts":{{}}}})", i));
  }
  connection.send(requests);
  for (int i = 0; i < 200; ++i) {
    const auto answer = connection.read();
    ASSERT_EQ(answer.status, 200) << i;
    EXPECT_EQ(answer.json()["id"], fmt::format("p{}", i));
  }
}

TEST_F(BadHeads, ABodyIsAskedForIfItIsExpected) {
  test::Loopback connection(port());
  connection.send(post_text("Content-Length: 20\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(connection.read().status, 100);
  connection.send(R"({"id":"never","y":1})");
  EXPECT_TRUE(refused(connection.read(), 404));
}

TEST_F(BadHeads, AnAnswerIsReadThoughTheClientStillSends) {
  test::Loopback connection(port());
  connection.send(post_text("Content-Length: 9000000\r\n"));
  for (int i = 0; i < 9; ++i) connection.send(std::string(1000000, ' '));
  EXPECT_TRUE(refused(connection.read(), 413));
}

TEST_F(BadHeads, UnknownMethodsDoNotFillTheMetrics) {
  for (int i = 0; i < 20; ++i) {
    test::Loopback connection(port());
    connection.send(fmt::format("M{} / HTTP/1.1\r\n\r\n", i));
    EXPECT_TRUE(refused(connection.read(), 501));
  }
  EXPECT_EQ(value(R"(pcgs_requests_total{method="none",status="501"})"), 20);
  EXPECT_EQ(test::ask(port(), "GET", "/metrics").body.find("M1"), std::string::npos);
}

TEST(RequestHead, EndsAfterItsEmptyLineOrWhereItIsNotAHead) {
  using serve::head_end;
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  for (std::size_t size = 0; size < head.size(); ++size) {
    EXPECT_FALSE(head_end(head.substr(0, size), 0)) << size;
    EXPECT_FALSE(head_end(head.substr(0, size), size)) << size;
  }
  for (std::size_t from = 0; from < head.size(); ++from) {
    EXPECT_EQ(head_end(head + "body\n", from), head.size()) << from;
  }
  EXPECT_EQ(head_end("GET /\n", 0), 6u);
  EXPECT_EQ(head_end("\x16", 0), 1u);
  serve::HttpRequest request;
  EXPECT_FALSE(serve::read_head(head, request));
  EXPECT_EQ(request.header("host"), "x");
}

}  // namespace pcgs
