#include "serve/request_refusal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "serve/service.h"

namespace pcgs::serve {

namespace {

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
    return error_reply(400, "the length is none; send one Content-Length, with PUT and POST only");
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
