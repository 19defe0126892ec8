// httplib's server over connections of our own, whose heads are checked before httplib reads them
// (http_request.h).
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "serve/service.h"

namespace pcgs::serve {

// One client, with limits: so much time for each request and answer, so many bytes for a head. What arrives
// after a request stays for the next one.
class Connection final : public httplib::Stream {
 public:
  // `stopping` becomes readable when the service stops; no request is waited for then.
  Connection(socket_t socket, const Patience& patience, int stopping);
  // Closes it. Where it was ended by end_after_answer() the client can read the answer first: closing
  // while its bytes arrive would take it back.
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  enum class Arrival { kHead, kNothing, kCut, kLate, kTooLarge };
  // Waits for the next head.
  Arrival await_head();
  std::string_view head() const;  // or what has arrived of it

  // Why a read failed, where the client did not end it: it ran out of time, or the service stops.
  bool late() const { return late_; }
  bool stopped() const { return stopped_; }
  // What follows on this connection is not a request.
  void end_after_answer() { ended_ = true; }
  bool ended() const { return ended_; }

  // The one that this thread answers. Requires that it does.
  static Connection& current();

  // For httplib.
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  // Nobody here asks for addresses.
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  // httplib asks whether it is small enough for select(); we poll.
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short events, Clock::time_point until);
  ssize_t receive();
  void let_the_client_read();

  const socket_t socket_;
  const Patience patience_;
  const int stopping_;
  std::string received_;   // a head, and whatever came with it
  std::size_t head_ = 0;   // bytes of it
  std::size_t taken_ = 0;  // of what was received
  Clock::time_point request_by_{};
  Clock::time_point answer_by_{};  // 0 before it begins
  bool late_ = false, stopped_ = false, ended_ = false, broken_ = false;
  Connection* const outer_;
};

class HttpServer final : public httplib::Server {
 public:
  // `refused` is called, from any thread, with the status of each refusal that no route has seen.
  HttpServer(const Patience& patience, std::size_t connections,
             std::function<void(int status)> refused);
  ~HttpServer() override;

  // Stops listening and closes connections that are idle, or after the answer that they are owed.
  void end();

 private:
  bool process_and_close_socket(socket_t socket) override;
  void serve(socket_t socket);
  template <class Self>
  static bool answer_one(Self& self, Connection& connection, bool& last);
  const Patience patience_;
  const std::function<void(int status)> refused_;
  std::atomic<bool> ending_ = false;
  const int stopping_;  // becomes readable
};

}  // namespace pcgs::serve
