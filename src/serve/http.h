// HTTP/1.1 for the service, over Boost.Asio.
//
// One thread does whatever concerns the network, so a client that says nothing costs a socket and a few
// kilobytes. What waits for the disk is answered by the threads of a pool.
//
// Heads are read here and nowhere else, strictly: what two readers would read differently is refused.
// Beast's parser takes folded headers and repeated lengths, and its streams close at a time-out, which
// would leave no way to say 408.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/service_json.h"

namespace pcgs::serve {

inline constexpr std::size_t kLargestHead = 32768;  // bytes of a request line and headers
inline constexpr std::size_t kLongestLine = 8192;   // of it, with its end
inline constexpr std::size_t kLargestBody = std::size_t{8} << 20;  // bytes of a request

struct HttpRequest {
  std::string method, path;                                  // the path without escapes
  std::string star;                                          // what is where its route has one
  std::map<std::string, std::string> parameters;             // of the address
  std::vector<std::pair<std::string, std::string>> headers;  // names in small letters
  bool keeps_connection = true;                              // after the answer
  std::size_t length = 0;                                    // of the body
  std::string body;

  // The first one of this name; empty if there is none.
  std::string parameter(const std::string& name) const;
  std::string_view header(std::string_view name) const;
};

struct HttpAnswer {
  int status = 200;
  std::string body{};
  const char* type = "application/json";
  std::string_view headers{};  // further ones, lines that end in CR LF
};
HttpAnswer http_answer(const Reply& reply);

// Where the head ends that `received` begins with: after its empty line, or after the first byte that shows
// that it is not a head. Nothing while more has to come. Bytes before `from` were looked at before.
std::optional<std::size_t> head_end(std::string_view received, std::size_t from);
// Reads a head that has ended. What is wrong with it; nothing if that is all right.
std::optional<Reply> read_head(std::string_view head, HttpRequest& request);
// What is wrong with a head that goes on after kLargestHead bytes.
Reply endless_head_refusal(std::string_view begin);
// What a request with this head asks for that is refused; nothing, and its length, if its body can be read.
std::optional<Reply> body_refusal(HttpRequest& request);

// How long a client may take. Without a limit on the whole, a byte now and then would hold a connection
// for ever.
struct Patience {
  std::chrono::milliseconds idle{5000};      // from an answer to the first byte of the next request
  std::chrono::milliseconds request{30000};  // from there to its last byte
  std::chrono::milliseconds answer{30000};   // until all of the answer is taken
};

struct HttpRoute {
  std::string_view method, path;  // a star in the path is one name
  bool waits = false;             // for the disk: in a thread of the pool
  std::function<HttpAnswer(const HttpRequest&)> answer{};
};

struct HttpOptions {
  std::string host;
  int port = 0;  // 0: any that is free
  Patience patience{};
  std::size_t at_work =
      0;  // requests that have a body or wait for the disk, at the same time; others wait
  std::size_t open = 0;  // connections; others wait in the queue of the system, and cost no files
  std::vector<HttpRoute> routes{};
  // What is wrong with a request before its body is read.
  std::function<std::optional<Reply>(const HttpRequest&)> refusal{};
  // Called with each answer. The method of a request that is not HTTP is "none".
  std::function<void(const std::string& method, int status, double seconds)> answered{};
};

class HttpServer {
 public:
  // Answers from then on. Throws Error if it cannot listen.
  explicit HttpServer(HttpOptions options);
  // Stops listening, answers what was asked, and closes connections that are idle or in the middle of a
  // request.
  ~HttpServer();

  int port() const;

  struct Parts;

 private:
  const std::unique_ptr<Parts> parts_;
};

}  // namespace pcgs::serve
