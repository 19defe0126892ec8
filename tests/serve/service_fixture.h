// A service on a port of the loopback, with a store of its own, and a plain HTTP client, which can also send
// what no library would.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "serve/service.h"
#include "serve/store.h"
#include "support/temp_dir.h"

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

class ServiceFixture : public ::testing::Test {
 protected:
  ServiceFixture() {
    options_.store = dir_ / "store";
    options_.port = 0;
    options_.connections = 16;
  }
  void start() {
    service_.reset();
    service_.emplace(options_);
  }
  int port() const { return service_->port(); }
  HttpAnswer put(const std::string& name, std::string_view body) const {
    return ask(port(), "PUT", "/streams/" + name, body);
  }
  HttpAnswer post(const std::string& path, const nlohmann::ordered_json& body) const {
    return ask(port(), "POST", path, body.dump());
  }
  HttpAnswer events(std::string_view lines) const { return ask(port(), "POST", "/events", lines); }
  HttpAnswer get(const std::string& path) const { return ask(port(), "GET", path); }
  // Of a line of the metrics; -1 if there is none.
  double value(const std::string& name, std::string_view headers = "") const;

  TempDir dir_;
  serve::ServiceOptions options_;
  std::optional<serve::Service> service_;
};

// A service with one stream, which must be the same after whatever was sent.
class Unharmed : public ServiceFixture {
 protected:
  Unharmed();
  void start();  // again, with these options
  // Whether the service answers, and nothing has been logged.
  ::testing::AssertionResult unharmed() const;
  // What is on the disk. Stops the service.
  serve::StoredStream stored();

  // What every refusal is: a status, and one sentence as JSON.
  static ::testing::AssertionResult refused(const HttpAnswer& answer, int status);

  std::string stream_, headers_;  // the stream as it was; what requests bring

 private:
  double logged() const { return value("pcgs_events_total", headers_); }  // since the start
  double logged_ = 0;
  HttpAnswer get(std::string_view path) const { return ask(port(), "GET", path, "", headers_); }
};

}  // namespace pcgs::test
