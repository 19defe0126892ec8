// Whatever a body says, the service answers with a 4xx and one JSON object that says why, and goes on.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "serve/service_fixture.h"

namespace pcgs {

using test::ask;

namespace {

using Texts = std::vector<std::string>;

// Texts between blanks.
Texts split(std::string_view text) {
  Texts out;
  std::istringstream in{std::string(text)};
  for (std::string one; in >> one;) out.push_back(one);
  return out;
}

Texts operator+(Texts a, const Texts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

// Where text of at most so many bytes is wanted.
Texts no_texts(std::size_t longest) {
  return split(
             R"(null true 0 1.5 [] ["x"] {} {"x":"y"} "" x 'x' "a\u0000b" "a\nb" "\u001b[2J" "\u007f" "\u0085"
                  "\ud800" "\udc00\ud800" "\x41" "\u12" "open)") +
         Texts{quoted(std::string(longest + 1, 'x')),
               "\"a\nb\"",
               "\"a\tb\"",
               quoted(std::string("a\0b", 3)),
               "\"\xff\"",
               "\"\xc0\xaf\"",
               "\"\xed\xa0\x80\"",
               "\"\xf4\x90\x80\x80\"",
               "\"\xe2\x82\""};
}

// Where a number is wanted; null is something else in places.
Texts no_numbers() {
  return split(
             R"(true "1" "" [] [1] {} NaN nan Infinity -Infinity inf 1e400 -1e400 1e99999999999 0x10 01 1. .5 +1 -
                  --1 1e 1e+ 1_000 1,5)") +
         Texts{std::string(400, '9'), "-" + std::string(400, '9'), "1 2"};
}

std::string nested(std::size_t depth, const char* open, const char* inside, const char* close) {
  std::string out;
  for (std::size_t i = 0; i < depth; ++i) out += open;
  out += inside;
  for (std::size_t i = 0; i < depth; ++i) out += close;
  return out;
}

// What is no object of fields, whatever these are.
Texts no_objects() {
  return split(
             R"(null false 0 "text" [] {} [{}] { } {] {{}} {"id"} {"id":} {,} {id:1} {'id':'1'} {}{} id=1&y=2
                  <xml/>)") +
         Texts{"",
               " ",
               "{} x",
               "/* c */ {}",
               "// c",
               "\xef\xbb\xbf",
               std::string("{\0}", 3),
               std::string(4, '\0'),
               "\xff\xfe{\0}\0",
               nested(33, "[", "", "]"),
               nested(100000, "[", "", "]"),
               nested(100000, "{\"a\":", "1", "}"),
               std::string(100000, '['),
               std::string(100000, '{'),
               std::string(100000, '"'),
               std::string(100000, '\\')};
}

struct Field {
  std::string name, good;
  Texts bad;
  bool optional = false;
};
using Fields = std::vector<Field>;

std::string object(const Fields& fields, const Field* replaced = nullptr,
                   const std::string* by = nullptr) {
  Texts parts;
  for (const Field& field : fields) {
    if (&field != replaced) parts.push_back(fmt::format("\"{}\":{}", field.name, field.good));
    if (&field == replaced && by) parts.push_back(fmt::format("\"{}\":{}", field.name, *by));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ","));
}

// Each field missing, wrong, twice; one too many.
Texts spoiled(const Fields& fields) {
  Texts out;
  for (const Field& field : fields) {
    if (!field.optional) out.push_back(object(fields, &field));
    for (const std::string& bad : field.bad) out.push_back(object(fields, &field, &bad));
    const std::string twice = fmt::format("{},\"{}\":{}", field.good, field.name, field.good);
    out.push_back(object(fields, &field, &twice));
  }
  const std::string whole = object(fields);
  out.push_back(whole.substr(0, whole.size() - 1) + R"(,"surprise":1})");
  out.push_back(whole.substr(0, whole.size() - 1) + ",}");
  return out;
}

Fields round_fields() {
  Texts forecasts =
      split(
          R"(null true 1 "a" [] [1] {"nobody":1} {"":1} {"a":1,"nobody":2} {"a":1,"a":1} {"a\u0000":1}
                             {"A":1})") +
      Texts{"{\"\xff\":1}", R"({"a ":1})"};
  forecasts.push_back(fmt::format("{{\"{}\":1}}", std::string(100000, 'a')));
  for (const std::string& bad : no_numbers()) forecasts.push_back(fmt::format("{{\"a\":{}}}", bad));
  return {{"id", R"("1")", no_texts(200)}, {"forecasts", R"({"a":1})", forecasts}};
}

Fields outcome_fields() {
  return {{"id", R"("0")", no_texts(200)}, {"y", "1.5", no_numbers() + Texts{"null"}}};
}

Fields make_fields() {
  std::string many = "[\"e\"";
  for (int i = 1; i <= 200; ++i) many += fmt::format(",\"e{}\"", i);
  Texts experts = split(R"(null true 1 "a" {} [] {"a":1} ["a","a"] [["a"]])") + Texts{many + "]"};
  for (const std::string& bad : no_texts(100)) experts.push_back(fmt::format("[\"a\",{}]", bad));
  const Texts seasons = split(
      R"(null 24 "24" {} [0] [1] [-24] [24.5] [1e1] [null] ["24"] [[24]] [24,24] [168,24] [2,3,4] [20001]
               [1000000000] [18446744073709551616] [1e400] [NaN])");
  const Texts methods = split(
      R"("no-such" "fixed-share*" "fixed-share**" "blend{" "blend}" "blend{}x" "blend{no=1}" "blend{season=24}"
               "fixed-share{rho=2}" "fixed-share{rho=}" "fixed-share{rho=0.1,rho=0.1}" "fixed-share{rho=nan}"
               "pcgs-tf{model=/etc/passwd}" "guard{model=\"/etc/passwd\"}" "pcgs-tf{model=../../etc/passwd}" "blend,hedge")");
  return {{"experts", R"(["a","b"])", experts},
          {"loss", R"("pinball")", no_texts(100) + Texts{R"("huber")", R"("Squared")"}, true},
          {"tau", "0.9", no_numbers() + Texts{"null", "0", "1", "-0.5", "2"}, true},
          {"season", "[24]", seasons, true},
          {"method", R"("blend")", no_texts(300) + methods, true}};
}

Fields id_fields() { return {{"id", R"("0")", no_texts(200)}}; }
Fields expert_fields() {
  return {{"id", R"("c comes")", no_texts(200)}, {"name", R"("c")", no_texts(100)}};
}

Texts cut(const std::string& whole) {
  Texts out;
  for (std::size_t size = 1; size < whole.size(); ++size) out.push_back(whole.substr(0, size));
  return out;
}

struct BadBody {
  int status = 400;
  std::string method, path, body;
};

// For PUT /streams/x, POST /streams/n/rounds and POST /streams/n/outcomes, and for /events as a whole.
std::vector<BadBody> bad_bodies() {
  std::vector<BadBody> out;
  const auto add = [&](const char* method, const char* path, const Texts& bodies) {
    for (const std::string& body : bodies) out.push_back({400, method, path, body});
  };
  const Fields round = round_fields(), outcome = outcome_fields(), make = make_fields();
  add("POST", "/streams/n/rounds", no_objects() + spoiled(round) + cut(object(round)));
  add("POST", "/streams/n/outcomes", no_objects() + spoiled(outcome) + cut(object(outcome)));
  add("PUT", "/streams/x", no_objects() + spoiled(make));
  add("PUT", "/streams/x", {R"({"experts":["a"],"tau":0.5})"});
  for (const char* path : {"/streams/none/rounds", "/streams/none/outcomes"}) {
    const bool rounds = std::string(path).ends_with("rounds");
    out.push_back({404, "POST", path, object(rounds ? round : outcome)});
  }
  out.push_back({404, "POST", "/streams/n/outcomes", R"({"id":"never","y":1})"});
  out.push_back({409, "POST", "/streams/n/rounds", R"({"id":"0","forecasts":{"a":2}})"});
  out.push_back({409, "PUT", "/streams/n", R"({"experts":["a"]})"});
  add("POST", "/backups",
      {"", "{}", "[]", R"({"name":1})", R"({"name":""})", R"({"name":"."})", R"({"name":".."})",
       R"({"name":"a/b"})", R"({"name":"../x"})", R"({"name":"a\u0000b"})",
       R"({"name":"a","to":"b"})"});
  for (const char* query : {"streams?details=yes", "streams/n?rounds=0", "streams/n?rounds=201",
                            "streams/n?rounds=-1", "streams/n?rounds=5x", "streams/n?rounds="}) {
    out.push_back({400, "GET", std::string("/") + query, ""});
  }
  out.push_back({404, "POST", "/", "{}"});
  out.push_back({404, "GET", "/live", ""});
  out.push_back({400, "POST", "/events", ""});
  out.push_back({413, "POST", "/events", std::string(1001, '\n')});
  out.push_back({413, "POST", "/events", std::string(9 << 20, ' ')});
  return out;
}

// Lines of /events that are answered with 400.
std::vector<std::string> bad_lines() {
  Texts out = no_objects();
  const auto add = [&](const char* kind, const Fields& fields, const char* stream = "n") {
    for (const std::string& body : spoiled(fields)) {
      out.push_back(fmt::format("{{\"stream\":\"{}\",\"{}\":{}}}", stream, kind, body));
    }
    for (const char* other : {"null", "[]", "\"0\"", "{}"}) {
      out.push_back(fmt::format("{{\"stream\":\"n\",\"{}\":{}}}", kind, other));
    }
    out.push_back(fmt::format("{{\"{}\":{}}}", kind, object(fields)));
    out.push_back(
        fmt::format("{{\"stream\":\"n\",\"{}\":{},\"surprise\":{{}}}}", kind, object(fields)));
  };
  add("make", make_fields(), "x");
  add("round", round_fields());
  add("outcome", outcome_fields());
  add("abandon", id_fields());
  add("add_expert", expert_fields());
  add("remove_expert", expert_fields());
  for (const std::string& bad :
       no_texts(100) + Texts{R"("a/b")", R"("..\/x")", R"("a b")", R"("ä")"}) {
    out.push_back(fmt::format("{{\"stream\":{},\"abandon\":{{\"id\":\"0\"}}}}", bad));
  }
  out.emplace_back(R"({"stream":"n"})");
  out.emplace_back(R"({"stream":"n","surprise":{"id":"0"}})");
  out.emplace_back(R"({"stream":"n","abandon":{"id":"0"},"outcome":{"id":"0","y":1}})");
  // A line with a line end in it is two lines, and answered as such.
  std::erase_if(out, [](const std::string& line) { return line.find('\n') != line.npos; });
  return out;
}

}  // namespace

class BadRequests : public test::Unharmed {};

TEST_F(BadRequests, OfHundredsOfKindsAreAnsweredWithWhatIsWrongAndChangeNothing) {
  const auto before = stored();
  start();
  std::set<std::string> kinds;
  for (const auto& [status, method, path, body] : bad_bodies()) {
    const std::string which = method + " " + path + " " + body.substr(0, 80);
    kinds.insert(method + path + body);
    EXPECT_TRUE(refused(ask(port(), method, path, body), status)) << which;
    ASSERT_TRUE(unharmed()) << which;
  }
  EXPECT_GE(kinds.size(), 300u);
  EXPECT_EQ(stored().events, before.events);
}

TEST_F(BadRequests, BadLinesOfHundredsOfKindsDoNotStopTheOthers) {
  const auto before = stored();
  start();
  const auto lines = bad_lines();
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

TEST_F(BadRequests, NamesThatAreRefusedLeaveTheStoreAlone) {
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
  options_.token = "correct horse battery";
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

}  // namespace pcgs
