#include "serve/http_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "data/invariant.h"
#include "pcgs/error.h"
#include "serve/http_request.h"
#include "serve/service_json.h"

namespace pcgs::serve {

namespace {

thread_local Connection* current_connection = nullptr;

constexpr std::size_t kPiece = 16384;

// The threads that answer, one connection each. A connection that finds none free is not taken from the
// listening queue: httplib's own pool takes all that come, and each costs a file that the store may need.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  // void in Debian 12's httplib; in Debian 13's a bool, which is false for work that is refused.
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));

  explicit ConnectionThreads(std::size_t count);
  // Returns when a thread is free for it.
  Enqueued enqueue(std::function<void()> work) override;
  void shutdown() override;

 private:
  void loop();
  std::mutex mutex_;
  std::condition_variable arrived_, freed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

ConnectionThreads::ConnectionThreads(std::size_t count) {
  while (threads_.size() < count) threads_.emplace_back([this] { loop(); });
}

ConnectionThreads::Enqueued ConnectionThreads::enqueue(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return idle_ > waiting_.size(); });
  waiting_.push_back(std::move(work));
  arrived_.notify_one();
  return static_cast<Enqueued>(true);
}

void ConnectionThreads::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  arrived_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ConnectionThreads::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    freed_.notify_one();
    arrived_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

int event_file() {
  const int file = ::eventfd(0, EFD_CLOEXEC);
  if (file < 0) {
    throw Error(ErrorKind::kLimit, {}, "the service got no file from the system; raise ulimit -n");
  }
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

Connection::Connection(socket_t socket, const Patience& patience, int stopping)
    : socket_(socket), patience_(patience), stopping_(stopping), outer_(current_connection) {
  current_connection = this;
}

Connection::~Connection() {
  if (ended_ && !broken_) let_the_client_read();
  ::shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
  current_connection = outer_;
}

Connection& Connection::current() {
  invariant(current_connection != nullptr, "a request is answered by the thread of its connection");
  return *current_connection;
}

std::string_view Connection::head() const {
  return std::string_view(received_).substr(0, head_ == 0 ? received_.size() : head_);
}

// Whether the socket is ready, or broken, before `until`. A service that stops waits for no request, and
// for answers to be taken no longer than for one.
bool Connection::wait(short events, Clock::time_point until) {
  while (true) {
    const bool writes = events == POLLOUT;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) {
      late_ = true;
      return false;
    }
    pollfd both[] = {{socket_, events, 0}, {stopping_, POLLIN, 0}};
    const int ready = ::poll(both, stopped_ && writes ? 1 : 2, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    if (both[0].revents != 0) return true;
    stopped_ = true;
    if (!writes) return false;
    until = std::min(until, Clock::now() + patience_.idle);
  }
}

ssize_t Connection::receive() {
  const std::size_t before = received_.size();
  received_.resize(before + kPiece);
  ssize_t count = -1;
  do {
    count = ::recv(socket_, received_.data() + before, kPiece, MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  received_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return count;
}

Connection::Arrival Connection::await_head() {
  received_.erase(0, taken_);
  head_ = taken_ = 0;
  answer_by_ = {};
  late_ = false;
  std::size_t looked_at = 0;
  bool begun = !received_.empty();
  request_by_ = Clock::now() + (begun ? patience_.request : patience_.idle);
  while (true) {
    if (const auto end = head_end(received_, looked_at)) {
      head_ = *end;
      return Arrival::kHead;
    }
    looked_at = received_.size();
    if (looked_at > kLargestHead) return Arrival::kTooLarge;
    if (!wait(POLLIN, request_by_)) return begun && late_ ? Arrival::kLate : Arrival::kNothing;
    const ssize_t count = receive();
    if (count < 0) {
      if (errno == EAGAIN) continue;
      return Arrival::kNothing;
    }
    if (count == 0) return begun ? Arrival::kCut : Arrival::kNothing;
    if (!begun) request_by_ = Clock::now() + patience_.request;
    begun = true;
  }
}

ssize_t Connection::read(char* to, std::size_t size) {
  answer_by_ = {};
  if (taken_ < received_.size()) {
    const std::size_t count = std::min(size, received_.size() - taken_);
    std::copy_n(received_.data() + taken_, count, to);
    taken_ += count;
    return static_cast<ssize_t>(count);
  }
  while (wait(POLLIN, request_by_)) {
    const ssize_t count = ::recv(socket_, to, size, MSG_DONTWAIT);
    if (count >= 0 || (errno != EINTR && errno != EAGAIN)) return count;
  }
  return -1;
}

ssize_t Connection::write(const char* from, std::size_t size) {
  if (answer_by_ == Clock::time_point()) answer_by_ = Clock::now() + patience_.answer;
  while (true) {
    const ssize_t count = ::send(socket_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) return count;
    if (errno == EINTR) continue;
    if (errno != EAGAIN || !wait(POLLOUT, answer_by_)) {
      // httplib would go on with the rest of the answer, or with the next request.
      ended_ = broken_ = true;
      return -1;
    }
  }
}

void Connection::let_the_client_read() {
  ::shutdown(socket_, SHUT_WR);
  const auto until = Clock::now() + patience_.idle;
  std::size_t left = kLargestBody;
  while (wait(POLLIN, until)) {
    received_.clear();
    const ssize_t count = receive();
    if (count == 0 || (count < 0 && errno != EAGAIN)) return;
    const std::size_t gone = received_.size();
    if (gone > left) return;
    left -= gone;
  }
}

HttpServer::HttpServer(const Patience& patience, std::size_t connections,
                       std::function<void(int status)> refused)
    : patience_(patience), refused_(std::move(refused)), stopping_(event_file()) {
  new_task_queue = [connections] { return new ConnectionThreads(connections); };
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

// A template, because Debian 13's httplib asks for the addresses of both sides and Debian 12's does not.
template <class Self>
bool HttpServer::answer_one(Self& self, Connection& connection, bool& last) {
  // A server may ignore ranges, and should: a thousand of them make an answer a thousand times as long.
  const auto whole_answers = [](httplib::Request& request) { request.ranges.clear(); };
  if constexpr (requires { self.process_request(connection, false, last, whole_answers); }) {
    return self.process_request(connection, false, last, whole_answers);
  } else {
    return self.process_request(connection, "", 0, "", 0, false, last, whole_answers);
  }
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
    if (!answer_one(*this, connection, last)) return;
  }
}

}  // namespace pcgs::serve
