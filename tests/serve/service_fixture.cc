#include "serve/service_fixture.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "core/kernels.h"

namespace pcgs::test {

Loopback::Loopback(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A server that says nothing fails a test, and does not hang it.
  const timeval minute{60, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &minute, sizeof minute);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    ::close(socket_);
    throw std::runtime_error(fmt::format("nobody listens on port {}", port));
  }
}

Loopback::~Loopback() { ::close(socket_); }

bool Loopback::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;  // what it says is still to be read
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Loopback::answered() const {
  char byte = 0;
  return ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

void Loopback::end_sending() const { ::shutdown(socket_, SHUT_WR); }

bool Loopback::closed() {
  while (receive()) received_.clear();
  return errno != EAGAIN;
}

bool Loopback::receive() {
  char buffer[65536];
  errno = 0;
  const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
  if (count > 0) received_.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

HttpAnswer Loopback::read(bool has_body) {
  HttpAnswer answer;
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive()) return answer;
  }
  answer.head = received_.substr(0, end + 2);
  received_.erase(0, end + 4);
  answer.status = std::stoi(answer.head.substr(answer.head.find(' ') + 1));
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t at = answer.head.find(kLength);
  const std::size_t length = at == std::string::npos || !has_body
                                 ? 0
                                 : std::stoul(answer.head.substr(at + kLength.size()));
  while (received_.size() < length && receive()) {
  }
  answer.body = received_.substr(0, length);
  received_.erase(0, length);
  return answer;
}

std::string request_text(std::string_view method, std::string_view path, std::string_view body,
                         std::string_view headers) {
  return fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}\r\n{}", method,
                     path, body.size(), headers, body);
}

HttpAnswer ask(int port, std::string_view method, std::string_view path, std::string_view body,
               std::string_view headers) {
  Loopback connection(port);
  connection.send(
      request_text(method, path, body, fmt::format("Connection: close\r\n{}", headers)));
  return connection.read();
}

Unharmed::Unharmed() {
  options_.connections = 4;
  start();
  ask(port(), "PUT", "/streams/n", R"({"experts":["a","b"],"method":"ml-poly"})");
  ask(port(), "POST", "/streams/n/rounds", R"({"id":"0","forecasts":{"a":1}})");
  stream_ = get("/streams/n").body;
  logged_ = logged();
}

double ServiceFixture::value(const std::string& name, std::string_view headers) const {
  const std::string text = "\n" + ask(port(), "GET", "/metrics", "", headers).body;
  const std::size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

void Unharmed::start() {
  ServiceFixture::start();
  logged_ = 0;  // not asked for: some start with no patience at all
}

::testing::AssertionResult Unharmed::unharmed() const {
  if (const auto health = get("/health"); health.status != 200) {
    return ::testing::AssertionFailure() << "health is " << health.status << ": " << health.body;
  }
  if (const auto now = get("/streams/n").body; now != stream_) {
    return ::testing::AssertionFailure() << "the stream is " << now;
  }
  const std::string names = get("/streams").body;
  if (names != "{\"streams\":[\"n\"]}\n") return ::testing::AssertionFailure() << names;
  if (const auto now = logged(); now != logged_) {
    return ::testing::AssertionFailure() << now << ", which was " << logged_;
  }
  return ::testing::AssertionSuccess();
}

serve::StoredStream Unharmed::stored() {
  service_.reset();
  return serve::Store(options_.store, instruction_set()).read("n");
}

::testing::AssertionResult Unharmed::refused(const HttpAnswer& answer, int status) {
  if (answer.status != status) {
    return ::testing::AssertionFailure()
           << "answered " << answer.status << ", not " << status << ": " << answer.body;
  }
  const auto json = nlohmann::json::parse(answer.body, nullptr, false);
  if (!json.is_object() || json.size() != 1 || !json.contains("error") ||
      json["error"].get<std::string>().size() < 10 || answer.body.size() > 600) {
    return ::testing::AssertionFailure() << "is no sentence: " << answer.body;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace pcgs::test
