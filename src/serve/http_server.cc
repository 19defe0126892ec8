#include <fmt/format.h>

#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <set>
#include <thread>

#include "data/json.h"
#include "pcgs/error.h"
#include "serve/committer.h"
#include "serve/http.h"

namespace pcgs::serve {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Failure = boost::system::error_code;

namespace {

constexpr std::size_t kPiece =
    4096;  // bytes asked for at once, where it is not known how many come
constexpr std::chrono::milliseconds kPauseWithoutFiles(100);
constexpr auto kNever = Clock::time_point::max();

class Connection;

// Whether a path is that of a route; then what is where the route has its star.
bool matches(std::string_view path, std::string_view route, std::string& name) {
  const std::size_t star = route.find('*');
  if (star == std::string_view::npos) return path == route;
  const std::string_view before = route.substr(0, star), after = route.substr(star + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
      !path.ends_with(after)) {
    return false;
  }
  name = path.substr(star, path.size() - before.size() - after.size());
  return name.find('/') == std::string::npos;
}

// What fails is answered, whatever it is.
HttpAnswer answer_of(const HttpRoute& route, const HttpRequest& request) {
  Reply refusal;
  try {
    return route.answer(request);
  } catch (const Error& wrong) {
    refusal = error_reply(400, wrong.in_words_of(field_wording()));
  } catch (const StoreFailed& failed) {
    refusal = error_reply(503, failed.what());
  } catch (const std::exception& fault) {
    log_line("error", "request failed", {{"why", fault.what()}});
    refusal = error_reply(500, "this should not happen; the log of the service says more");
  }
  return http_answer(refusal);
}

}  // namespace

HttpAnswer http_answer(const Reply& reply) {
  return {reply.status, io::json_text(reply.body) + "\n"};
}

// Used by one thread, but for the pool.
struct HttpServer::Parts {
  explicit Parts(HttpOptions given);
  ~Parts();
  void listen();
  void accept();
  void stop();
  const HttpRoute* route_of(HttpRequest& request) const;
  // A request begins its work when there is a place for it.
  void enter(std::shared_ptr<Connection> connection);
  void leave();
  void give_places();

  const HttpOptions options;
  std::set<Connection*> open{};
  std::deque<std::shared_ptr<Connection>> waiting{};  // for a place
  std::size_t at_work = 0;
  bool accepting = false, stopping = false;
  asio::io_context network{1};
  asio::executor_work_guard<asio::io_context::executor_type> running{network.get_executor()};
  tcp::acceptor acceptor{network};
  asio::steady_timer pause{network};
  asio::thread_pool pool;
  std::thread thread{};
};

namespace {

// One client. Whatever it waits for holds a pointer to it; when nothing does, it is closed.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Server = HttpServer::Parts;
  Connection(Server& server, tcp::socket socket)
      : server_(server), socket_(std::move(socket)), timer_(server.network, kNever) {
    Failure ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    server_.open.insert(this);
  }

  ~Connection() {
    server_.open.erase(this);
    leave_place();
    server_.accept();
  }

  // A service that stops waits for no request, and for answers to be taken no longer than for one.
  void stop() {
    if (stage_ == Stage::kPlace) return refuse_cut("request");
    if (stage_ == Stage::kWork) return;
    if (stage_ == Stage::kAnswer) return limit(server_.options.patience.idle);
    Failure ignored;
    socket_.cancel(ignored);
  }

  void await_request() {
    stage_ = Stage::kHead;
    request_ = {};
    looked_at_ = 0;
    const Patience& patience = server_.options.patience;
    limit(received_.empty() ? patience.idle : patience.request);
    read_head();
  }

  void begin_work() {
    has_place_ = true;
    stage_ = Stage::kBody;
    limit(server_.options.patience.request);
    if (request_.header("expect").empty() || received_.size() >= request_.length)
      return read_body();
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(kContinue),
                      [self = shared_from_this()](const Failure& failed, std::size_t) {
                        if (!failed) self->read_body();
                      });
  }

 private:
  enum class Stage : std::uint8_t { kHead, kPlace, kBody, kWork, kAnswer, kDrain };

  void leave_place() {
    if (std::exchange(has_place_, false)) server_.leave();
  }

  void limit(Clock::duration time) {
    late_ = false;
    deadline_ = Clock::now() + time;
    if (timer_.expiry() > deadline_) wait_for_deadline();
  }

  // Most deadlines move on before they come. So the timer stays as it is, and looks when it ends.
  void wait_for_deadline() {
    timer_.expires_at(deadline_);
    timer_.async_wait([weak = weak_from_this()](const Failure& failed) {
      const auto self = weak.lock();
      if (failed || !self) return;
      if (self->deadline_ > Clock::now()) return self->wait_for_deadline();
      self->timer_.expires_at(kNever);
      self->late_ = true;
      Failure ignored;
      self->socket_.cancel(ignored);
    });
  }

  void read_head() {
    if (server_.stopping) return;
    if (const auto end = head_end(received_, looked_at_)) return use_head(*end);
    if (received_.size() > kLargestHead) return refuse(endless_head_refusal(received_));
    looked_at_ = received_.size();
    received_.resize(looked_at_ + kPiece);
    socket_.async_read_some(asio::buffer(&received_[looked_at_], kPiece),
                            [self = shared_from_this()](const Failure& failed, std::size_t count) {
                              self->take_piece(failed, count);
                            });
  }

  void take_piece(const Failure& failed, std::size_t count) {
    const bool begun = looked_at_ > 0;
    received_.resize(looked_at_ + count);
    if (failed) {
      if (begun && (late_ || failed == asio::error::eof)) refuse_cut("request");
      return;
    }
    if (!begun) limit(server_.options.patience.request);
    read_head();
  }

  void use_head(std::size_t size) {
    began_ = Clock::now();
    auto wrong = serve::read_head(std::string_view(received_).substr(0, size), request_);
    if (wrong) request_ = {};  // half of it
    received_.erase(0, size);
    if (!wrong) wrong = server_.options.refusal(request_);
    if (!wrong) wrong = body_refusal(request_);
    if (wrong) return refuse(*wrong);
    route_ = server_.route_of(request_);
    if (request_.length == 0 && (route_ == nullptr || !route_->waits)) return work();
    stage_ = Stage::kPlace;
    deadline_ = kNever;
    server_.enter(shared_from_this());
  }

  void read_body() {
    std::string& body = request_.body;
    const std::size_t there = std::min(request_.length, received_.size());
    body.reserve(request_.length);
    body.assign(received_, 0, there);
    received_.erase(0, there);
    body.resize(request_.length);
    if (there == body.size()) return work();
    if (server_.stopping) return refuse_cut("body");
    asio::async_read(socket_, asio::buffer(body) + there,
                     [self = shared_from_this()](const Failure& failed, std::size_t) {
                       if (failed) return self->refuse_cut("body");
                       self->work();
                     });
  }

  void work() {
    stage_ = Stage::kWork;
    deadline_ = kNever;
    if (route_ == nullptr) {
      return send(http_answer(error_reply(
          404, "there is nothing here; docs/serving.md has the routes and their methods")));
    }
    if (!route_->waits) return send(answer_of(*route_, request_));
    asio::post(server_.pool, [self = shared_from_this(),
                              working = asio::make_work_guard(server_.network)]() mutable {
      auto& network = self->server_.network;
      HttpAnswer answer = answer_of(*self->route_, self->request_);
      asio::post(network, [self = std::move(self), answer = std::move(answer)]() mutable {
        self->send(std::move(answer));
      });
    });
  }

  // What came is not all of it.
  void refuse_cut(const char* what) {
    if (late_) {
      refuse(error_reply(408, fmt::format("the {} took too long; send it in one piece", what)));
    } else if (server_.stopping) {
      refuse(error_reply(503, "the service stops; send it again"));
    } else {
      refuse(error_reply(400, fmt::format("the {} ended early; send it again", what)));
    }
  }

  void refuse(const Reply& reply) {
    refused_ = true;
    send(http_answer(reply));
  }

  void send(HttpAnswer answer) {
    const HttpOptions& options = server_.options;
    const bool read = !request_.method.empty();
    const std::chrono::duration<double> took = Clock::now() - began_;
    options.answered(read ? request_.method : "none", answer.status, read ? took.count() : 0);
    if (answer.status >= 500) {
      log_line("error", "request failed",
               {{"method", request_.method}, {"path", request_.path}, {"status", answer.status}});
    }
    stage_ = Stage::kAnswer;
    answer_ = std::move(answer);
    const bool last = refused_ || !request_.keeps_connection || server_.stopping;
    head_ = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n{}\r\n",
        answer_.status, answer_.status < 400 ? "OK" : "Refused", answer_.type, answer_.body.size(),
        last ? "close" : "keep-alive", answer_.headers);
    if (request_.method == "HEAD") answer_.body.clear();
    const Patience& patience = options.patience;
    limit(server_.stopping ? std::min(patience.answer, patience.idle) : patience.answer);
    const std::array<asio::const_buffer, 2> all = {asio::buffer(head_), asio::buffer(answer_.body)};
    asio::async_write(socket_, all,
                      [self = shared_from_this(), last](const Failure& failed, std::size_t) {
                        self->answer_ = {};
                        self->request_ = {};
                        self->leave_place();
                        if (failed) return;
                        if (!last) return self->await_request();
                        if (self->refused_) self->drain();
                      });
  }

  // The client can read the answer first: closing while its bytes arrive would take it back.
  void drain() {
    if (server_.stopping) return;
    stage_ = Stage::kDrain;
    Failure ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    limit(server_.options.patience.idle);
    received_.resize(kPiece);
    drain_piece();
  }

  void drain_piece() {
    socket_.async_read_some(asio::buffer(received_),
                            [self = shared_from_this()](const Failure& failed, std::size_t count) {
                              self->drained_ += count;
                              if (!failed && self->drained_ <= kLargestBody) self->drain_piece();
                            });
  }

  Server& server_;
  tcp::socket socket_;
  asio::steady_timer timer_;  // ends at the deadline or before it
  Clock::time_point deadline_ = kNever;
  Stage stage_ = Stage::kHead;
  std::string received_{};     // and not used yet
  std::size_t looked_at_ = 0;  // of it, for the end of a head
  HttpRequest request_{};
  const HttpRoute* route_ = nullptr;
  Clock::time_point began_{};
  HttpAnswer answer_{};
  std::string head_{};  // of the answer
  std::size_t drained_ = 0;
  bool late_ = false;  // what was waited for took too long
  bool has_place_ = false;
  bool refused_ = false;  // what follows on this connection is not a request
};

}  // namespace

HttpServer::Parts::Parts(HttpOptions given) : options(std::move(given)), pool(options.at_work) {
  listen();
  accept();
  thread = std::thread([this] {
    while (true) {
      try {
        network.run();
        return;
      } catch (const std::exception& fault) {
        log_line("error", "connection failed", {{"why", fault.what()}});
      }
    }
  });
}

HttpServer::Parts::~Parts() {
  if (!thread.joinable()) return;
  asio::post(network, [this] { stop(); });
  thread.join();
}

void HttpServer::Parts::listen() {
  Failure failed;
  tcp::resolver resolver(network);
  const auto found =
      resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive, failed);
  for (const auto& entry : found) {
    acceptor.close(failed);
    acceptor.open(entry.endpoint().protocol(), failed);
    // Not SO_REUSEPORT: two services on one port would share its requests.
    if (!failed) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor.bind(entry.endpoint(), failed);
    if (!failed) acceptor.listen(tcp::acceptor::max_listen_connections, failed);
    if (!failed) return;
  }
  throw Error(ErrorKind::kValue, {.field = "listen"},
              fmt::format("cannot listen on {}:{}; give {} an address of this machine and a port "
                          "that no program uses",
                          options.host, options.port, option("listen")));
}

void HttpServer::Parts::accept() {
  if (accepting || stopping || open.size() >= options.open) return;
  accepting = true;
  acceptor.async_accept([this](const Failure& failed, tcp::socket socket) {
    accepting = false;
    if (stopping) return;
    if (failed) {  // there are no files, say
      pause.expires_after(kPauseWithoutFiles);
      pause.async_wait([this](const Failure&) { accept(); });
      return;
    }
    std::make_shared<Connection>(*this, std::move(socket))->await_request();
    accept();
  });
}

void HttpServer::Parts::stop() {
  stopping = true;
  running.reset();
  Failure ignored;
  acceptor.close(ignored);
  pause.cancel();
  const auto waited = std::exchange(waiting, {});  // which nothing else holds
  for (Connection* connection : std::vector(open.begin(), open.end())) connection->stop();
}

const HttpRoute* HttpServer::Parts::route_of(HttpRequest& request) const {
  const std::string_view method =
      request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
  for (const HttpRoute& route : options.routes) {
    if (route.method == method && matches(request.path, route.path, request.star)) return &route;
  }
  return nullptr;
}

void HttpServer::Parts::enter(std::shared_ptr<Connection> connection) {
  waiting.push_back(std::move(connection));
  give_places();
}

void HttpServer::Parts::leave() {
  --at_work;
  give_places();
}

void HttpServer::Parts::give_places() {
  while (!waiting.empty() && at_work < options.at_work) {
    const auto next = std::move(waiting.front());
    waiting.pop_front();
    ++at_work;
    next->begin_work();
  }
}

HttpServer::HttpServer(HttpOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
HttpServer::~HttpServer() = default;
int HttpServer::port() const { return parts_->acceptor.local_endpoint().port(); }

}  // namespace pcgs::serve
