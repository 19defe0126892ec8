#include "serve/http_request.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "data/text.h"

namespace pcgs::serve {

namespace {

constexpr std::string_view kEnd = "\r\n";
// Those that httplib routes.
constexpr std::array<std::string_view, 7> kMethods = {"GET",    "HEAD",    "POST", "PUT",
                                                      "DELETE", "OPTIONS", "PATCH"};

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// What RFC 9110 calls a token.
bool is_token(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_token(c); });
}

bool is_control(char c) { return (c >= 0 && c < ' ' && c != '\t') || c == '\x7f'; }

bool is_target(std::string_view text) {
  if (!text.starts_with('/') || std::ranges::count(text, '?') > 1) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] <= ' ' || text[i] > '~' || text[i] == '#') return false;
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
  }
  return true;
}

std::optional<Reply> request_line_refusal(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || !is_token(line.substr(0, first))) {
    return error_reply(400, "the first line is not a request; send METHOD /PATH HTTP/1.1");
  }
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return error_reply(version.starts_with("HTTP/") ? 505 : 400,
                       "this is not a version of HTTP that is spoken here; send HTTP/1.1");
  }
  const std::string_view method = line.substr(0, first);
  if (std::ranges::find(kMethods, method) == kMethods.end()) {
    return error_reply(
        501, fmt::format("the method {} is not known; send GET, PUT or POST", excerpt(method)));
  }
  if (!is_target(line.substr(first + 1, last - first - 1))) {
    return error_reply(
        400,
        "the address is not a path; send one that begins with a slash, has no blanks "
        "and escapes every other character as %HH");
  }
  return {};
}

bool is_length(std::string_view name) {
  return std::ranges::equal(name, std::string_view("content-length"),
                            [](char a, char b) { return (a | 0x20) == b || a == b; });
}

std::optional<Reply> header_refusal(std::string_view line) {
  const std::size_t colon = line.find(':');
  // httplib decodes escapes in values, which nobody before it does.
  const bool escaped_length = is_length(line.substr(0, colon)) && line.find('%') != line.npos;
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) ||
      std::ranges::any_of(line, is_control) || escaped_length) {
    return error_reply(
        400, "a header is malformed; send NAME: VALUE on one line, without control characters");
  }
  return {};
}

Reply too_long(bool in_request_line) {
  if (in_request_line) return error_reply(414, "the address is too long; give a shorter name");
  return error_reply(
      431, fmt::format("the headers are too large; send lines of at most {} bytes, {} in all",
                       kLongestLine, kLargestHead));
}

// A body must come as it is and with one length: what is unpacked, or has no end, has no limit, and what
// has two lengths, or is not expected, would be taken for the next request.
std::optional<Reply> body_refusal(const httplib::Request& request) {
  if (request.has_header("Content-Encoding")) {
    return error_reply(415, "the body is encoded; send it as it is");
  }
  if (request.is_multipart_form_data()) {
    return error_reply(415, "the body is a form of several parts; send JSON");
  }
  const std::size_t lengths = request.get_header_value_count("Content-Length");
  const bool has_body = request.method == "PUT" || request.method == "POST";
  if (request.has_header("Transfer-Encoding") || (has_body && lengths == 0)) {
    return error_reply(411, "the body has no length; send Content-Length");
  }
  if (lengths == 0) return {};
  const std::string text = request.get_header_value("Content-Length");
  std::size_t length = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, length);
  if (failed == std::errc::result_out_of_range || length > kLargestBody) {
    return error_reply(413, "the body is too large; send at most 8 MiB");
  }
  if (lengths > 1 || failed != std::errc() || rest != end || (length > 0 && !has_body)) {
    return error_reply(
        400,
        "the length is not a number of bytes; send one Content-Length, with PUT and POST only");
  }
  return {};
}

// The live page asks for the token itself; probes have none.
bool is_public(std::string_view path) {
  constexpr std::array<std::string_view, 5> kPublic = {"/", "/live.css", "/live.js", "/health",
                                                       "/ready"};
  return std::ranges::find(kPublic, path) != kPublic.end();
}

}  // namespace

std::optional<std::size_t> head_end(std::string_view received, std::size_t from) {
  // TLS, say, which may have no line end for long.
  if (!received.empty() && !is_token(received[0])) return 1;
  for (std::size_t at = received.find('\n', from); at != std::string_view::npos;
       at = received.find('\n', at + 1)) {
    const std::string_view before = received.substr(0, at + 1);
    if (!before.ends_with(kEnd) || before.ends_with("\r\n\r\n")) return at + 1;
  }
  return {};
}

std::optional<Reply> head_refusal(std::string_view head) {
  bool first = true;
  while (true) {
    const std::size_t end = head.find(kEnd);
    if (end == std::string_view::npos) {
      return error_reply(400, "this is not HTTP; send lines that end in CR LF");
    }
    const std::string_view line = head.substr(0, end);
    if (line.find_first_of(kEnd) != std::string_view::npos) {
      return error_reply(400, "a line ends in CR or LF alone; send both");
    }
    if (line.empty() && !first) return {};
    if (end + kEnd.size() > kLongestLine) return too_long(first);
    auto reply = first ? request_line_refusal(line) : header_refusal(line);
    if (reply) return reply;
    first = false;
    head.remove_prefix(end + kEnd.size());
  }
}

Reply endless_head_refusal(std::string_view begin) {
  return too_long(begin.find('\n') == std::string_view::npos);
}

std::optional<Reply> refusal(const httplib::Request& request, const BearerToken& token) {
  if (!is_public(request.path) && !token.admits(request.get_header_value("Authorization"))) {
    return error_reply(401, "the token is missing or wrong; send Authorization: Bearer TOKEN");
  }
  if (request.has_header("Expect") && request.get_header_value("Expect") != "100-continue") {
    return error_reply(417,
                       "the request expects what is not known here; send 100-continue or nothing");
  }
  return body_refusal(request);
}

}  // namespace pcgs::serve
