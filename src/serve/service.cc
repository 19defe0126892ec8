#include "serve/service.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>

#include "core/kernels.h"
#include "data/copied_files.h"
#include "data/text.h"
#include "data/whole_file.h"
#include "pcgs/error.h"
#include "serve/committer.h"
#include "serve/http.h"
#include "serve/service_json.h"
#include "serve/store.h"

// The live page. PCGS_WEB is a folder, given by CMake.
#define PCGS_WEB_FILE(NAME) PCGS_COPY(PCGS_WEB "/" NAME)
PCGS_INCLUDE(live_html, PCGS_WEB_FILE("live/index.html"));
PCGS_INCLUDE(live_styles, PCGS_WEB_FILE("report.css") PCGS_WEB_FILE("live/live.css"));
// One module in this order: what a file needs when it is read comes before it.
PCGS_INCLUDE(live_script,
             PCGS_WEB_FILE("elements.js") PCGS_WEB_FILE("theme.js") PCGS_WEB_FILE("live/service.js")
                 PCGS_WEB_FILE("live/charts.js") PCGS_WEB_FILE("live/list.js")
                     PCGS_WEB_FILE("live/stream.js") PCGS_WEB_FILE("live/start.js"));

namespace pcgs::serve {

namespace {

// The page may load its own style and script, and ask this service; nobody may put it into a frame.
constexpr std::string_view kPageHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cache-Control: no-cache\r\n";

HttpRoute page(std::string_view path, const char* type, const char* begin, const char* end) {
  return {"GET", path, false, [=](const HttpRequest&) {
            return HttpAnswer{200, {begin, end}, type, kPageHeaders};
          }};
}

HttpAnswer answer_event(Committer& committer, const char* kind, const HttpRequest& request) {
  check_stream_name(request.star);
  const Event event = posted_event(kind, request.body);
  Output output;
  committer.run([&](StreamTable& table) { output = table.apply(request.star, event); });
  return http_answer(reply_to(event, output));
}

HttpAnswer answer_events(Committer& committer, const HttpRequest& request) {
  if (request.body.empty()) {
    throw Error(ErrorKind::kMissing, {}, "there are no events; give one on each line");
  }
  std::vector<EventLine> lines;
  for (std::string_view left = request.body; !left.empty();) {
    if (lines.size() == kMostLines) {
      return http_answer(error_reply(
          413,
          fmt::format("there are more than {} lines; send them in several requests", kMostLines)));
    }
    lines.push_back(read_event_line(cut_off(left, '\n')));
  }
  std::vector<Output> outputs(lines.size());
  committer.run([&](StreamTable& table) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].event) outputs[i] = table.apply(lines[i].stream, *lines[i].event);
    }
  });
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) out += answer_line(lines[i], outputs[i]) + "\n";
  return {200, std::move(out), "application/x-ndjson"};
}

// A copy is made between two commits. What goes wrong with it is no harm to the store.
HttpAnswer answer_backup(Committer& committer, const HttpRequest& request) {
  const std::string name = backup_from(request.body);
  Reply reply{201, {{"folder", "backups/" + name}}};
  committer.run([&](const StreamTable& table) {
    try {
      table.back_up(name);
    } catch (const Error& wrong) {
      reply = error_reply(409, wrong.in_words_of(field_wording()));
    }
  });
  return http_answer(reply);
}

// How many of its last rounds are asked for.
std::size_t rounds_in(const HttpRequest& request) {
  if (!request.parameters.contains("rounds")) return 0;
  const std::string text = request.parameter("rounds");
  const auto rounds = whole_number(text);
  if (!rounds || *rounds < 1 || *rounds > kMostRecentRounds) {
    throw Error(
        ErrorKind::kValue, {.field = "rounds"},
        fmt::format("rounds is {}; give a number from 1 to {}", excerpt(text), kMostRecentRounds));
  }
  return *rounds;
}

HttpAnswer answer_stream(Committer& committer, const HttpRequest& request) {
  const std::string& name = request.star;
  check_stream_name(name);
  const std::size_t most = rounds_in(request);
  std::optional<std::vector<RecentRound>> rounds;
  Reply reply = error_reply(404, "there is no such stream; GET /streams lists them");
  committer.run([&](StreamTable& table) {
    try {
      if (const Stream* stream = table.find(name)) {
        reply = {200, stream_json(name, *stream)};
        if (most > 0) rounds = stream->answered().recent_rounds(most);
      }
    } catch (const Error& damaged) {
      reply = error_reply(500, damaged.what());
    }
  });
  // Here, because the committer is everybody's.
  if (rounds) reply.body["rounds"] = rounds_json(*rounds);
  return http_answer(reply);
}

// Names looked at while the committer waits. A search among millions lets others in between.
constexpr std::size_t kNamesAtOnce = 5000;

bool holds(std::string_view name, std::string_view part) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  const auto same = [&](char a, char b) { return small(a) == small(b); };
  return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

// Which streams there are, page by page: names after the parameter `after`, of those that hold `contains`,
// in small letters or capitals; with `details` how they stand, those that are in memory.
HttpAnswer answer_names(Committer& committer, const HttpRequest& request) {
  const std::string asked = request.parameter("details"), part = request.parameter("contains");
  if (!asked.empty() && asked != "1") {
    throw Error(ErrorKind::kValue, {.field = "details"},
                fmt::format("details is {}; give 1, or leave it out", excerpt(asked)));
  }
  const bool details = !asked.empty();
  const std::size_t most = details ? kDetailsOnAPage : kNamesOnAPage;
  Json streams = Json::array();
  std::string last = request.parameter("after"), last_shown;
  std::size_t all = 0;
  bool more = true, full = false;
  while (more && !full) {
    committer.run([&](StreamTable& table) {
      all = table.names().size();
      auto at = table.names().upper_bound(last);
      for (std::size_t left = kNamesAtOnce; left > 0 && at != table.names().end(); --left, ++at) {
        if (holds(*at, part)) {
          // Whether there is another page is known only by finding the first name of it.
          full = streams.size() == most;
          if (full) return;
          streams.push_back(details ? summary_json(*at, table.peek(*at)) : Json(*at));
          last_shown = *at;
        }
        last = *at;
      }
      more = at != table.names().end();
    });
  }
  Json body = {{"streams", std::move(streams)}};
  if (details) body["all"] = all;
  if (full) body["after"] = last_shown;
  return http_answer({200, std::move(body)});
}

HttpAnswer state(const std::string& failure, const char* well) {
  return http_answer(failure.empty() ? Reply{200, {{"status", well}}} : error_reply(503, failure));
}

std::vector<HttpRoute> routes(Committer& committer, const Metrics& metrics,
                              const std::atomic<bool>& stopping) {
  const auto to = std::ref(committer);
  const auto health = [&](const HttpRequest&) { return state(committer.failure(), "ok"); };
  const auto ready = [&](const HttpRequest&) {
    return state(stopping ? "the service is stopping" : committer.failure(), "ready");
  };
  const auto numbers = [&](const HttpRequest&) {
    return HttpAnswer{200, metrics.text(), "text/plain; version=0.0.4"};
  };
  return {
      {"PUT", "/streams/*", true, std::bind_front(answer_event, to, "make")},
      {"POST", "/streams/*/rounds", true, std::bind_front(answer_event, to, "round")},
      {"POST", "/streams/*/outcomes", true, std::bind_front(answer_event, to, "outcome")},
      {"POST", "/events", true, std::bind_front(answer_events, to)},
      {"POST", "/backups", true, std::bind_front(answer_backup, to)},
      {"GET", "/streams/*", true, std::bind_front(answer_stream, to)},
      {"GET", "/streams", true, std::bind_front(answer_names, to)},
      {"GET", "/health", false, health},
      {"GET", "/ready", false, ready},
      {"GET", "/metrics", false, numbers},
      page("/", "text/html; charset=utf-8", pcgs_copied_live_html, pcgs_copied_live_html_end),
      page("/live.css", "text/css; charset=utf-8", pcgs_copied_live_styles,
           pcgs_copied_live_styles_end),
      page("/live.js", "text/javascript; charset=utf-8", pcgs_copied_live_script,
           pcgs_copied_live_script_end),
  };
}

constexpr std::size_t kShortestSecret = 16;
constexpr std::size_t kLongestFile = 4096;
// RocksDB keeps 256 files open, and some more while it compacts.
constexpr std::size_t kFilesOfTheStore = 512;

// Connections that may be open beside those at work, if there are files for them.
constexpr std::size_t kMostIdle = 8000;

// How many connections may be open. A store that gets no file fails for good, so they must leave it some.
std::size_t reserve_files(std::size_t connections) {
  const std::size_t most = connections + kMostIdle;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return most;
  if (files.rlim_cur < most + kFilesOfTheStore) {
    files.rlim_cur = std::min<rlim_t>(most + kFilesOfTheStore, files.rlim_max);
    if (files.rlim_cur < connections + kFilesOfTheStore ||
        ::setrlimit(RLIMIT_NOFILE, &files) != 0) {
      throw Error(
          ErrorKind::kLimit, {.field = "connections"},
          fmt::format("{} is {}, and this process may open {} files, of which the store needs "
                      "{}; give fewer, or raise ulimit -n",
                      option("connections"), connections, files.rlim_max, kFilesOfTheStore));
    }
  }
  return std::min<std::size_t>(most, files.rlim_cur - kFilesOfTheStore);
}

// Whether the header brings the secret. How long that takes says nothing about how much of a guess was right:
// every character of the secret is looked at, whatever was given.
bool admits(std::string_view secret, std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!authorization.starts_with(kScheme)) return false;
  const std::string_view given = authorization.substr(kScheme.size());
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    const char theirs = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned char>(theirs ^ secret[i]);
  }
  return difference == 0;
}

// The live page asks for the token itself; probes have none.
std::optional<Reply> token_refusal(std::string_view token, const HttpRequest& request) {
  constexpr std::array<std::string_view, 5> kPublic = {"/", "/live.css", "/live.js", "/health",
                                                       "/ready"};
  if (token.empty() || std::ranges::find(kPublic, request.path) != kPublic.end() ||
      admits(token, request.header("authorization"))) {
    return {};
  }
  return error_reply(401, "the token is missing or wrong; send Authorization: Bearer TOKEN");
}

bool is_loopback(std::string_view host) {
  return host.starts_with("127.") || host == "::1" || host == "localhost";
}

}  // namespace

std::string read_token(const std::string& path) {
  const auto bytes = read_whole_file(path, kLongestFile);
  std::string text(bytes.begin(), bytes.end());
  text.resize(std::min(text.size(), text.find('\n')));
  std::string secret(trimmed(text, " \t\r"));
  if (secret.size() < kShortestSecret) {
    fail_about(ErrorKind::kFormat, path,
               "has a token of {} characters; give at least {} on its first line", secret.size(),
               kShortestSecret);
  }
  return secret;
}

Service::Service(const ServiceOptions& options)
    : token_(options.token),
      connections_(reserve_files(options.connections)),
      store_(options.store, instruction_set(), options.durability),
      table_(store_, options.limits),
      committer_(table_, metrics_) {
  const std::size_t streams = table_.names().size();
  server_ = std::make_unique<HttpServer>(
      HttpOptions{options.host, options.port, options.patience, options.connections, connections_,
                  routes(committer_, metrics_, stopping_),
                  [this](const HttpRequest& request) { return token_refusal(token_, request); },
                  [this](const std::string& method, int status, double seconds) {
                    metrics_.answered(method, status, seconds);
                  }});
  log_line("info", "listening", {{"host", options.host}, {"port", port()}, {"streams", streams}});
  if (token_.empty() && !is_loopback(options.host)) {
    log_line("warning", "whoever reaches this address may write; a file with a token is not given");
  }
  if (options.durability == Durability::kUnsynced) {
    log_line("warning", "answers are not synced to the disk; what was answered can be lost");
  }
}

Service::~Service() {
  announce_stop();
  server_.reset();
  log_line("info", "stopped");
}

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
  const auto port = whole_number(std::string_view(text).substr(colon + 1));
  if (!port || *port > 65535) wrong();
  if (!host.empty()) options.host = host;
  options.port = static_cast<int>(*port);
}

}  // namespace pcgs::serve
