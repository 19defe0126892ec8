// A plain HTTP client on the loopback, which can also send what no library would.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace pcgs::test {

struct HttpAnswer {
  int status = 0;  // 0: the server closed the connection without one
  std::string head, body;
  nlohmann::json json() const { return nlohmann::json::parse(body); }
};

// One connection. Throws std::runtime_error if there is none.
class Loopback {
 public:
  explicit Loopback(int port);
  ~Loopback();
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;

  bool send(std::string_view bytes) const;  // false: the server has had enough
  void end_sending() const;                 // the other half stays open
  // The next answer, as long as its Content-Length says; to HEAD it has no body.
  HttpAnswer read(bool has_body = true);
  bool answered() const;  // whether read() has something to read
  // Waits until the server closes the connection; what it sends before is lost. False if it does not.
  bool closed();

 private:
  bool receive();
  int socket_;
  std::string received_;
};

// With a length; `headers` are lines that end in \r\n.
std::string request_text(std::string_view method, std::string_view path, std::string_view body,
                         std::string_view headers = "");
// On a connection of its own, which is closed afterwards.
HttpAnswer ask(int port, std::string_view method, std::string_view path, std::string_view body = "",
               std::string_view headers = "");

}  // namespace pcgs::test
