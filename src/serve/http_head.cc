#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "data/text.h"
#include "serve/http.h"

namespace pcgs::serve {

namespace {

constexpr std::string_view kEnd = "\r\n";
constexpr std::array<std::string_view, 7> kMethods = {"GET",    "HEAD",    "POST", "PUT",
                                                      "DELETE", "OPTIONS", "PATCH"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// What RFC 9110 calls a token.
bool is_token(char c) {
  return is_digit(c) || (small(c) >= 'a' && small(c) <= 'z') ||
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

// Of a target, whose escapes are whole.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned char byte = 0;
    std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16);
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

void read_target(std::string_view target, HttpRequest& request) {
  request.path = unescaped(cut_off(target, '?'));
  std::string query(target);
  std::ranges::replace(query, '+', ' ');
  for (std::string_view left = query; !left.empty();) {
    std::string_view value = cut_off(left, '&');
    const std::string_view name = cut_off(value, '=');
    request.parameters.emplace(unescaped(name), unescaped(value));
  }
}

std::optional<Reply> read_request_line(std::string_view line, HttpRequest& request) {
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
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_target(target)) {
    return error_reply(
        400,
        "the address is not a path; send one that begins with a slash, has no blanks "
        "and escapes every other character as %HH");
  }
  request.method = method;
  request.keeps_connection = version == "HTTP/1.1";
  read_target(target, request);
  return {};
}

std::optional<Reply> read_header(std::string_view line, HttpRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) ||
      std::ranges::any_of(line, is_control)) {
    return error_reply(
        400, "a header is malformed; send NAME: VALUE on one line, without control characters");
  }
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(), small);
  request.headers.emplace_back(std::move(name), trimmed(line.substr(colon + 1), " \t"));
  return {};
}

Reply too_long(bool in_request_line) {
  if (in_request_line) return error_reply(414, "the address is too long; give a shorter name");
  return error_reply(
      431, fmt::format("the headers are too large; send lines of at most {} bytes, {} in all",
                       kLongestLine, kLargestHead));
}

// "bytes=0-99,200-", as it is refused if it is malformed. Else it is ignored: a server may, and a thousand
// ranges would make an answer a thousand times as long.
bool is_range(std::string_view text) {
  if (cut_off(text, '=') != "bytes" || text.empty()) return false;
  while (!text.empty()) {
    std::string_view last = trimmed(cut_off(text, ','));
    const std::string_view first = cut_off(last, '-');
    const auto begin = whole_number(first), end = whole_number(last);
    if ((!begin && !first.empty()) || (!end && !last.empty()) || (!begin && !end)) return false;
    if (begin && end && *begin > *end) return false;
  }
  return true;
}

}  // namespace

std::string HttpRequest::parameter(const std::string& name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? "" : found->second;
}

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, [](const auto& one) { return one.first; });
  return found == headers.end() ? std::string_view() : found->second;
}

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

std::optional<Reply> read_head(std::string_view head, HttpRequest& request) {
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
    if (line.empty() && !first) break;
    if (end + kEnd.size() > kLongestLine) return too_long(first);
    auto wrong = first ? read_request_line(line, request) : read_header(line, request);
    if (wrong) return wrong;
    first = false;
    head.remove_prefix(end + kEnd.size());
  }
  std::string connection(request.header("connection"));
  std::ranges::transform(connection, connection.begin(), small);
  if (connection == "close") request.keeps_connection = false;
  if (connection == "keep-alive") request.keeps_connection = true;
  return {};
}

Reply endless_head_refusal(std::string_view begin) {
  return too_long(begin.find('\n') == std::string_view::npos);
}

// A body must come as it is and with one length: what is unpacked, or has no end, has no limit, and what
// has two lengths, or is not expected, would be taken for the next request.
std::optional<Reply> body_refusal(HttpRequest& request) {
  if (const auto expected = request.header("expect");
      !expected.empty() && expected != "100-continue") {
    return error_reply(417,
                       "the request expects what is not known here; send 100-continue or nothing");
  }
  if (!request.header("content-encoding").empty()) {
    return error_reply(415, "the body is encoded; send it as it is");
  }
  if (request.header("content-type").starts_with("multipart/form-data")) {
    return error_reply(415, "the body is a form of several parts; send JSON");
  }
  if (const auto range = request.header("range"); !range.empty() && !is_range(range)) {
    return error_reply(416, "this is not a range; leave it out");
  }
  const auto lengths = std::ranges::count(request.headers, "content-length",
                                          [](const auto& one) { return one.first; });
  const std::string_view text = request.header("content-length");
  const bool has_body = request.method == "PUT" || request.method == "POST";
  if (!request.header("transfer-encoding").empty() || (has_body && text.empty())) {
    return error_reply(411, "the body has no length; send Content-Length");
  }
  if (lengths == 0) return {};
  const auto length = whole_number(text);
  if (length > kLargestBody || (!length && !text.empty() && std::ranges::all_of(text, is_digit))) {
    return error_reply(413, "the body is too large; send at most 8 MiB");
  }
  if (lengths > 1 || !length || (*length > 0 && !has_body)) {
    return error_reply(
        400,
        "the length is not a number of bytes; send one Content-Length, with PUT and POST only");
  }
  request.length = *length;
  return {};
}

}  // namespace pcgs::serve
