#include "serve/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "data/invariant.h"
#include "serve/request_head.h"
#include "serve/service.h"

namespace pcgs::serve {

namespace {

thread_local Connection* current_connection = nullptr;

constexpr std::size_t kPiece = 16384;

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

}  // namespace pcgs::serve
