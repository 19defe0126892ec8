// pcgs serve: streams over HTTP, durable in a folder.
#include "commands.h"
#include "ending_signals.h"
#include "serve/service.h"
#include "serve/service_json.h"

namespace pcgs::cli {

namespace {

struct ServeCommand {
  serve::ServiceOptions service;
  std::string listen = "127.0.0.1:8080", token_file;
  std::size_t timeout = 30;
  bool unsafe_no_sync = false;
};

void run_serve(const ServeCommand& command) {
  serve::ServiceOptions service = command.service;
  serve::set_address(service, command.listen);
  if (!command.token_file.empty()) service.token = serve::read_token(command.token_file);
  service.patience.request = service.patience.answer = std::chrono::seconds(command.timeout);
  if (command.unsafe_no_sync) service.durability = serve::Durability::kUnsynced;
  const EndingSignals signals;
  serve::Service running(service);
  const int signal = signals.wait();
  running.announce_stop();
  serve::log_line("info", "stopping", {{"signal", signal}});
}

}  // namespace

void add_serve(CLI::App& app) {
  const auto [command, options] =
      add_command(app, "serve", "Combine many streams of forecasts over HTTP, durably", run_serve);
  serve::ServiceOptions& service = options->service;
  add_text(command, "--store", service.store,
           "Folder that holds the streams; made if it is not there")
      ->required();
  add_text(command, "--listen", options->listen,
           "HOST:PORT; port 0 takes one that is free, and the log says which")
      ->capture_default_str();
  add_file(command, "--token-file", options->token_file,
           "File whose first line requests must bring: Authorization: Bearer TOKEN");
  add_number(command, "--streams", service.limits.streams, 1, 10000000,
             "Most streams in the store");
  add_number(command, "--in-memory", service.limits.in_memory, 1, 10000000,
             "Most streams in memory; the least recently used go back to the store");
  add_number(command, "--connections", service.connections, 1, 10000,
             "Most requests at work at the same time; others wait");
  add_number(command, "--timeout", options->timeout, 1, 3600,
             "Seconds in which a request must arrive, and its answer be taken");
  command.add_flag(
      "--unsafe-no-sync", options->unsafe_no_sync,
      "Answer before the disk has it: for load tests and for streams that may be lost");
  command.footer(
      "Examples:\n"
      "  pcgs serve --store streams\n"
      "  pcgs serve --store streams --listen 0.0.0.0:8080 --token-file token\n"
      "  curl -X PUT --json '{\"experts\":[\"a\",\"b\"]}' localhost:8080/streams/north\n"
      "\n"
      "docs/serving.md has the routes, and what survives what.");
}

}  // namespace pcgs::cli
