#include "serve/bad_bodies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <string_view>

namespace pcgs::test {

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

}  // namespace

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

}  // namespace pcgs::test
