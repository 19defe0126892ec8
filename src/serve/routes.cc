#include "serve/routes.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>

#include "data/copied_files.h"
#include "data/text.h"
#include "pcgs/error.h"
#include "serve/http_request.h"
#include "serve/http_server.h"
#include "serve/service.h"
#include "serve/service_json.h"

// The live page. PCGS_WEB is a folder, given by CMake.
#define PCGS_LIVE(FILE) PCGS_COPY(PCGS_WEB "/" FILE)
PCGS_INCLUDE(live_html, PCGS_LIVE("live/index.html"));
PCGS_INCLUDE(live_styles, PCGS_LIVE("report.css") PCGS_LIVE("live/live.css"));
// One module in this order: what a file needs when it is read comes before it.
PCGS_INCLUDE(live_script,
             PCGS_LIVE("elements.js") PCGS_LIVE("theme.js") PCGS_LIVE("live/service.js")
                 PCGS_LIVE("live/charts.js") PCGS_LIVE("live/list.js") PCGS_LIVE("live/stream.js")
                     PCGS_LIVE("live/start.js"));

namespace pcgs::serve {

namespace {

using httplib::Request;
using httplib::Response;

// The page may load its own style and script, and ask this service; nobody may put it into a frame.
constexpr std::array<std::pair<const char*, const char*>, 4> kPageHeaders = {{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-cache"},
}};

void send(Response& response, const Reply& reply) {
  response.status = reply.status;
  response.set_content(text_of(reply.body) + "\n", "application/json");
}

// What was refused before its body was read: what follows on this connection is not a request.
void send_and_close(Response& response, const Reply& reply) {
  response.set_header("Connection", "close");
  Connection::current().end_after_answer();
  send(response, reply);
}

// Of a body that is not all there.
Reply cut_reply() {
  const Connection& connection = Connection::current();
  if (connection.late()) return error_reply(408, "the body took too long; send it in one piece");
  if (connection.stopped()) return error_reply(503, "the service stops; send it again");
  return error_reply(400, "the body ended early; send it again");
}

std::string name_in(const Request& request) {
  std::string name = request.matches[1];
  check_stream_name(name);
  return name;
}

// Runs a handler and answers what it throws.
template <class Handler>
httplib::Server::Handler guarded(const Handler& handle) {
  return [handle](const Request& request, Response& response) {
    try {
      handle(request, response);
    } catch (const Error& wrong) {
      send(response, error_reply(400, wrong.in_words_of(field_wording())));
    } catch (const StoreFailed& failed) {
      send(response, error_reply(503, failed.what()));
    }
  };
}

// The same with a body, which is JSON whatever the Content-Type says: curl calls everything a form, and
// httplib takes forms apart.
template <class Handler>
httplib::Server::HandlerWithContentReader with_body(const Handler& handle) {
  return [handle](const Request& request, Response& response, const httplib::ContentReader& read) {
    std::string body;
    const bool whole = read([&](const char* data, std::size_t size) {
      body.append(data, size);
      return true;
    });
    if (!whole) {
      send_and_close(response, cut_reply());
      return;
    }
    guarded([&](const Request&, Response&) { handle(request, body, response); })(request, response);
  };
}

// A request that is one event of a kind.
httplib::Server::HandlerWithContentReader one_event(Committer& committer, const char* kind) {
  return with_body(
      [&committer, kind](const Request& request, const std::string& body, Response& response) {
        const std::string name = name_in(request);
        const Event event = posted_event(kind, body);
        Output output;
        committer.run([&](StreamTable& table) { output = table.apply(name, event); });
        send(response, reply_to(event, output));
      });
}

std::vector<std::string_view> lines_of(std::string_view body) {
  std::vector<std::string_view> lines;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    lines.push_back(body.substr(0, end));
    if (lines.size() > kMostLines) break;
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return lines;
}

// A copy is made between two commits. What goes wrong with it is no harm to the store.
void answer_backup(Committer& committer, const std::string& body, Response& response) {
  const std::string name = backup_from(body);
  Reply reply{201, {{"folder", "backups/" + name}}};
  committer.run([&](const StreamTable& table) {
    try {
      table.back_up(name);
    } catch (const Error& wrong) {
      reply = error_reply(409, wrong.in_words_of(field_wording()));
    }
  });
  send(response, reply);
}

void answer_events(Committer& committer, const std::string& body, Response& response) {
  const auto texts = lines_of(body);
  if (texts.empty()) {
    throw Error(ErrorKind::kMissing, {}, "there are no events; give one on each line");
  }
  if (texts.size() > kMostLines) {
    send(response,
         error_reply(413, fmt::format("there are more than {} lines; send them in several "
                                      "requests",
                                      kMostLines)));
    return;
  }
  std::vector<EventLine> lines;
  lines.reserve(texts.size());
  for (const std::string_view text : texts) lines.push_back(read_event_line(text));
  std::vector<Output> outputs(lines.size());
  committer.run([&](StreamTable& table) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (const auto& event = lines[i].event) outputs[i] = table.apply(event->stream, event->event);
    }
  });
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) out += answer_line(lines[i], outputs[i]) + "\n";
  response.set_content(out, "application/x-ndjson");
}

// How many of its last rounds are asked for.
std::size_t rounds_in(const Request& request) {
  if (!request.has_param("rounds")) return 0;
  const std::string text = request.get_param_value("rounds");
  std::size_t rounds = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, rounds);
  if (failed != std::errc() || rest != end || rounds < 1 || rounds > kMostRecentRounds) {
    throw Error(
        ErrorKind::kValue, {.field = "rounds"},
        fmt::format("rounds is {}; give a number from 1 to {}", excerpt(text), kMostRecentRounds));
  }
  return rounds;
}

void answer_stream(Committer& committer, const Request& request, Response& response) {
  const std::string name = name_in(request);
  const std::size_t most = rounds_in(request);
  std::optional<std::vector<RecentRound>> rounds;
  Reply reply = error_reply(404, "there is no such stream; GET /streams lists them");
  committer.run([&](StreamTable& table) {
    try {
      if (const Stream* stream = table.find(name)) {
        reply = {200, stream_json(name, *stream)};
        if (most > 0) rounds = stream->recent_rounds(most);
      }
    } catch (const Error& damaged) {
      reply = error_reply(500, damaged.what());
    }
  });
  // Here, because the committer is everybody's.
  if (rounds) reply.body["rounds"] = rounds_json(*rounds);
  send(response, reply);
}

// Names looked at while the committer waits. A search among millions lets others in between.
constexpr std::size_t kNamesAtOnce = 5000;

bool holds(std::string_view name, std::string_view part) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  const auto same = [&](char a, char b) { return small(a) == small(b); };
  return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

struct ListRequest {
  std::string after;     // names that come after this one
  std::string contains;  // only names that hold this text, in small letters or capitals
  bool details = false;  // how they stand, those that are in memory
};

// Which streams there are, page by page.
Reply list_of_streams(Committer& committer, const ListRequest& request) {
  const std::size_t most = request.details ? kDetailsOnAPage : kNamesOnAPage;
  Json streams = Json::array();
  std::string last = request.after, last_shown;
  std::size_t all = 0;
  bool more = true, full = false;
  while (more && !full) {
    committer.run([&](StreamTable& table) {
      all = table.names().size();
      auto at = table.names().upper_bound(last);
      for (std::size_t left = kNamesAtOnce; left > 0 && at != table.names().end(); --left, ++at) {
        if (holds(*at, request.contains)) {
          // Whether there is another page is known only by finding the first name of it.
          full = streams.size() == most;
          if (full) return;
          streams.push_back(request.details ? summary_json(*at, table.peek(*at)) : Json(*at));
          last_shown = *at;
        }
        last = *at;
      }
      more = at != table.names().end();
    });
  }
  Json body = {{"streams", std::move(streams)}};
  if (request.details) body["all"] = all;
  if (full) body["after"] = last_shown;
  return {200, std::move(body)};
}

void answer_names(Committer& committer, const Request& request, Response& response) {
  const std::string details = request.get_param_value("details");
  if (!details.empty() && details != "1") {
    throw Error(ErrorKind::kValue, {.field = "details"},
                fmt::format("details is {}; give 1, or leave it out", excerpt(details)));
  }
  send(response, list_of_streams(committer, {request.get_param_value("after"),
                                             request.get_param_value("contains"), details == "1"}));
}

void send_file(Response& response, std::string_view text, const char* type) {
  for (const auto& [name, value] : kPageHeaders) response.set_header(name, value);
  response.set_content(text.data(), text.size(), type);
}

// What httplib answers by itself. It reads bodies that no route wants, and calls long forms among them
// too large.
Reply httplib_reply(int status) {
  if (status == 404 || status == 413) {
    return error_reply(404,
                       "there is nothing here; docs/serving.md has the routes and their methods");
  }
  if (status == 416) return error_reply(416, "this is not a range; leave it out");
  return cut_reply();
}

thread_local std::chrono::steady_clock::time_point began;

}  // namespace

void add_routes(httplib::Server& server, const Served& served) {
  Committer& committer = served.committer;
  Metrics& metrics = served.metrics;
  const BearerToken& token = served.token;
  const std::atomic<bool>& stopping = served.stopping;
  const std::string one_stream = "/streams/([^/]+)";
  const auto with_committer = [&](auto answer) {
    return guarded([&committer, answer](const Request& request, Response& response) {
      answer(committer, request, response);
    });
  };
  server.Put(one_stream, one_event(committer, "make"));
  server.Post(one_stream + "/rounds", one_event(committer, "round"));
  server.Post(one_stream + "/outcomes", one_event(committer, "outcome"));
  server.Post("/events",
              with_body([&committer](const Request&, const std::string& body, Response& response) {
                answer_events(committer, body, response);
              }));
  server.Post("/backups",
              with_body([&committer](const Request&, const std::string& body, Response& response) {
                answer_backup(committer, body, response);
              }));
  server.Get(one_stream, with_committer(answer_stream));
  server.Get("/streams", with_committer(answer_names));
  server.Get("/health", [&](const Request&, Response& response) {
    const std::string failure = committer.failure();
    send(response, failure.empty() ? Reply{200, {{"status", "ok"}}} : error_reply(503, failure));
  });
  server.Get("/ready", [&](const Request&, Response& response) {
    const std::string failure = stopping ? "the service is stopping" : committer.failure();
    send(response, failure.empty() ? Reply{200, {{"status", "ready"}}} : error_reply(503, failure));
  });
  server.Get("/", [](const Request&, Response& response) {
    send_file(response, PCGS_COPIED(live_html), "text/html; charset=utf-8");
  });
  server.Get("/live.css", [](const Request&, Response& response) {
    send_file(response, PCGS_COPIED(live_styles), "text/css; charset=utf-8");
  });
  server.Get("/live.js", [](const Request&, Response& response) {
    send_file(response, PCGS_COPIED(live_script), "text/javascript; charset=utf-8");
  });
  server.Get("/metrics", [&](const Request&, Response& response) {
    response.set_content(metrics.text(), "text/plain; version=0.0.4");
  });

  server.set_pre_routing_handler([&token](const Request& request, Response& response) {
    began = std::chrono::steady_clock::now();
    const auto reply = refusal(request, token);
    if (!reply) return httplib::Server::HandlerResponse::Unhandled;
    send_and_close(response, *reply);
    return httplib::Server::HandlerResponse::Handled;
  });
  // Otherwise a client would be asked for a body that is refused.
  server.set_expect_100_continue_handler([&token](const Request& request, Response& response) {
    const auto reply = refusal(request, token);
    if (!reply) return 100;
    send_and_close(response, *reply);
    return 400;  // whatever it is, the answer is the one above
  });
  server.set_error_handler([](const Request&, Response& response) {
    if (!response.body.empty()) return;
    const Reply reply = httplib_reply(response.status);
    if (reply.status == 404) return send(response, reply);
    send_and_close(response, reply);
  });
  server.set_exception_handler([](const Request&, Response& response, std::exception_ptr what) {
    try {
      std::rethrow_exception(std::move(what));
    } catch (const std::exception& fault) {
      log_line("error", "request failed", {{"why", fault.what()}});
    } catch (...) {
      log_line("error", "request failed");
    }
    send_and_close(response,
                   error_reply(500, "this should not happen; the log of the service says more"));
  });
  server.set_logger([&metrics](const Request& request, const Response& response) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    metrics.answered(request.method, response.status, took.count());
    if (response.status < 500) return;
    log_line("error", "request failed",
             {{"method", request.method}, {"path", request.path}, {"status", response.status}});
  });
}

}  // namespace pcgs::serve
