#include "serve/http_server.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <optional>

#include "pcgs/error.h"
#include "serve/connection.h"
#include "serve/log_line.h"
#include "serve/request_head.h"
#include "serve/workers.h"

namespace pcgs::serve {

namespace {

int event_file() {
  const int file = ::eventfd(0, EFD_CLOEXEC);
  if (file < 0) throw Error("the service got no file from the system; raise ulimit -n");
  return file;
}

// What is wrong before httplib sees anything; none if it can go on.
std::optional<Reply> refusal_on_arrival(const Connection& connection, Connection::Arrival arrival) {
  switch (arrival) {
    case Connection::Arrival::kHead:
      return head_refusal(connection.head());
    case Connection::Arrival::kLate:
      return error_reply(408, "the request took too long; send it in one piece");
    case Connection::Arrival::kTooLarge:
      return endless_head_refusal(connection.head());
    case Connection::Arrival::kCut:
    case Connection::Arrival::kNothing:
      break;
  }
  return error_reply(400, "the request ended early; send it again");
}

void answer(Connection& connection, const Reply& reply) {
  connection.end_after_answer();
  const std::string body = text_of(reply.body) + "\n";
  const std::string text = fmt::format(
      "HTTP/1.1 {} Refused\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      reply.status, body.size(), body);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = connection.write(text.data() + sent, text.size() - sent);
    if (count < 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace

HttpServer::HttpServer(const Patience& patience, std::size_t connections,
                       std::function<void(int status)> refused)
    : patience_(patience), refused_(std::move(refused)), stopping_(event_file()) {
  new_task_queue = [connections] { return new Workers(connections); };
}

HttpServer::~HttpServer() { ::close(stopping_); }

void HttpServer::end() {
  ending_ = true;
  const std::uint64_t one = 1;
  if (::write(stopping_, &one, sizeof one) < 0) log_line("error", "stopping will take longer");
  stop();
}

bool HttpServer::process_and_close_socket(socket_t socket) {
  try {
    serve(socket);
  } catch (const std::exception& fault) {
    log_line("error", "connection failed", {{"why", fault.what()}});
  }
  return true;
}

void HttpServer::serve(socket_t socket) {
  Connection connection(socket, patience_, stopping_);
  bool last = false;
  while (!last && !connection.ended() && !ending_) {
    const auto arrival = connection.await_head();
    if (arrival == Connection::Arrival::kNothing) return;
    if (const auto reply = refusal_on_arrival(connection, arrival)) {
      refused_(reply->status);
      answer(connection, *reply);
      return;
    }
    // A server may ignore ranges, and should: a thousand of them make an answer a thousand times as long.
    const auto whole_answers = [](httplib::Request& request) { request.ranges.clear(); };
    if (!process_request(connection, false, last, whole_answers)) return;
  }
}

}  // namespace pcgs::serve
