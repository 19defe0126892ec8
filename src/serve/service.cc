#include "serve/service.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <charconv>
#include <thread>

#include "core/kernels.h"
#include "data/text.h"
#include "data/whole_file.h"
#include "pcgs/error.h"
#include "serve/committer.h"
#include "serve/http_server.h"
#include "serve/routes.h"
#include "serve/service_json.h"
#include "serve/store.h"

namespace pcgs::serve {

namespace {

constexpr std::size_t kShortestSecret = 16;
constexpr std::size_t kLongestFile = 4096;
constexpr std::string_view kScheme = "Bearer ";

// RocksDB keeps 256 files open, and some more while it compacts.
constexpr std::size_t kFilesOfTheStore = 512;

// A store that gets no file fails for good, so connections must leave it some.
void reserve_files(std::size_t connections) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  const rlim_t needed = connections + kFilesOfTheStore;
  if (files.rlim_cur >= needed) return;
  files.rlim_cur = std::min(needed, files.rlim_max);
  if (files.rlim_cur < needed || ::setrlimit(RLIMIT_NOFILE, &files) != 0) {
    throw Error(
        ErrorKind::kLimit, {.field = "connections"},
        fmt::format("{} is {}, and this process may open {} files, of which the store needs "
                    "{}; give fewer, or raise ulimit -n",
                    option("connections"), connections, files.rlim_max, kFilesOfTheStore));
  }
}

// Two services on one port would share its requests, which SO_REUSEPORT, the usual here, allows.
void refuse_to_share_the_port(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

bool is_loopback(std::string_view host) {
  return host.starts_with("127.") || host == "::1" || host == "localhost";
}

}  // namespace

BearerToken BearerToken::from_file(const std::string& path) {
  const auto bytes = read_whole_file(path, kLongestFile);
  std::string text(bytes.begin(), bytes.end());
  text.resize(std::min(text.size(), text.find('\n')));
  const std::string secret(trimmed(text, " \t\r"));
  if (secret.size() < kShortestSecret) {
    fail_about(ErrorKind::kFormat, path,
               "has a token of {} characters; give at least {} on its first line", secret.size(),
               kShortestSecret);
  }
  if (secret.find('%') != std::string::npos) {  // httplib decodes headers as if they were addresses
    fail_about(ErrorKind::kFormat, path, "has a token with a %; choose other characters");
  }
  return BearerToken(secret);
}

bool BearerToken::admits(std::string_view authorization) const {
  if (!required()) return true;
  if (!authorization.starts_with(kScheme)) return false;
  const std::string_view given = authorization.substr(kScheme.size());
  // Every character of the secret is looked at, whatever was given.
  unsigned difference = given.size() == secret_.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret_.size(); ++i) {
    const char theirs = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned char>(theirs ^ secret_[i]);
  }
  return difference == 0;
}

struct Service::Parts {
  explicit Parts(const ServiceOptions& options)
      : token(options.token),
        store(options.store, instruction_set(), options.durability),
        table(store, options.limits),
        committer(table, metrics),
        server(options.patience, options.connections,
               [this](int status) { metrics.answered("none", status, 0); }) {}

  BearerToken token;
  Store store;
  StreamTable table;
  Metrics metrics;
  Committer committer;
  std::atomic<bool> stopping = false;
  HttpServer server;
  int port = 0;
  std::atomic<bool> ended = false;
  std::thread listener;
};

Service::Service(const ServiceOptions& options) {
  reserve_files(options.connections);
  parts_ = std::make_unique<Parts>(options);
  Parts& parts = *parts_;
  httplib::Server& server = parts.server;
  socket_t listening = INVALID_SOCKET;
  server.set_socket_options([&listening](socket_t socket) {
    refuse_to_share_the_port(socket);
    listening = socket;  // the last one, if an address had to be tried again
  });
  server.set_tcp_nodelay(true);
  server.set_payload_max_length(kLargestBody);
  server.set_keep_alive_max_count(std::numeric_limits<std::size_t>::max());
  server.set_keep_alive_timeout(  // in answers; connection.cc keeps it
      std::chrono::duration_cast<std::chrono::seconds>(options.patience.idle).count());
  add_routes(server, {parts.committer, parts.metrics, parts.token, parts.stopping});
  if (options.port == 0) {
    parts.port = server.bind_to_any_port(options.host);
  } else if (server.bind_to_port(options.host, options.port)) {
    parts.port = options.port;
  }
  if (parts.port <= 0) {
    throw Error(ErrorKind::kValue, {.field = "listen"},
                fmt::format("cannot listen on {}:{}; give {} an address of this machine and a port "
                            "that no program uses",
                            options.host, options.port, option("listen")));
  }
  // httplib lets five connections wait to be accepted: of sixty that come at once, most would be asked
  // to try again, a second later and then three.
  ::listen(listening, SOMAXCONN);
  server.set_socket_options(refuse_to_share_the_port);
  log_line("info", "listening",
           {{"host", options.host}, {"port", parts.port}, {"streams", parts.table.names().size()}});
  if (!parts.token.required() && !is_loopback(options.host)) {
    log_line("warning", "whoever reaches this address may write; a file with a token is not given");
  }
  if (options.durability == Durability::kUnsynced) {
    log_line("warning", "answers are not synced to the disk; what was answered can be lost");
  }
  parts.listener = std::thread([&parts] {
    if (!parts.server.listen_after_bind()) log_line("error", "listening failed");
    parts.ended = true;
  });
  // Before it runs, stop() would do nothing.
  while (!server.is_running() && !parts.ended) std::this_thread::yield();
}

Service::~Service() {
  if (!parts_ || !parts_->listener.joinable()) return;
  announce_stop();
  parts_->server.end();
  parts_->listener.join();
  log_line("info", "stopped");
}

int Service::port() const { return parts_->port; }
void Service::announce_stop() { parts_->stopping = true; }

void set_address(ServiceOptions& options, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const auto wrong = [&] {
    throw Error(ErrorKind::kValue, {.field = "listen"},
                fmt::format("{} is {}; give HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080",
                            option("listen"), excerpt(text)));
  };
  if (colon == std::string::npos) wrong();
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    wrong();
  }
  int port = -1;
  const char* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data() + colon + 1, end, port);
  if (failed != std::errc() || rest != end || port < 0 || port > 65535) wrong();
  if (!host.empty()) options.host = host;
  options.port = port;
}

}  // namespace pcgs::serve
