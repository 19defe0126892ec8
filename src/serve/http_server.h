// httplib's server over connections of our own (connection.h), whose heads are checked before httplib reads
// them (request_head.h).
#pragma once

#include <httplib.h>

#include <atomic>
#include <functional>

#include "serve/patience.h"
#include "serve/reply.h"

namespace pcgs::serve {

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
  const Patience patience_;
  const std::function<void(int status)> refused_;
  std::atomic<bool> ending_ = false;
  const int stopping_;  // becomes readable
};

}  // namespace pcgs::serve
