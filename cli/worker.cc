// pcgs worker: streams over Kafka, exactly once.
#include "commands.h"
#include "ending_signals.h"
#include "serve/kafka_client.h"
#include "serve/kafka_worker.h"

namespace pcgs::cli {

namespace {

struct WorkerCommand {
  serve::WorkerOptions worker;
  std::string config;
};

void run(const WorkerCommand& command) {
  serve::WorkerOptions options = command.worker;
  if (!command.config.empty()) options.settings = serve::read_settings(command.config);
  EndingSignals signals;
  serve::run_worker(options, [&] { return signals.pending(); });
}

}  // namespace

void add_worker(CLI::App& app) {
  const auto [command, options] =
      add_command(app, "worker", "Combine many streams of forecasts over Kafka, exactly once", run);
  serve::WorkerOptions& worker = options->worker;
  add_text(command, "--brokers", worker.brokers, "HOST:PORT of one or more brokers, with commas")
      ->required();
  add_text(command, "--events", worker.topics.events,
           "Topic with lines of events, keyed by the names of streams")
      ->required();
  add_text(command, "--answers", worker.topics.answers,
           "Topic for answers; made if it is not there")
      ->required();
  add_text(command, "--changelog", worker.topics.changelog,
           "Compacted topic for states; made if it is not there")
      ->required();
  add_text(command, "--cache", worker.cache,
           "Folder of this worker alone; may be lost, and is then made again from the changelog")
      ->required();
  add_text(command, "--group", worker.group, "Workers of one group share the partitions")
      ->capture_default_str();
  add_file(command, "--config", options->config,
           "File of further settings of librdkafka, lines NAME=VALUE: encryption, passwords");
  add_number(command, "--in-memory", worker.in_memory, 1, 10000000,
             "Most streams of each partition in memory; the others are in the cache");
  add_number(command, "--batch", worker.batch, 1, 100000, "Most events of one transaction");
  add_number(command, "--wait", worker.wait_milliseconds, 0, 10000,
             "Milliseconds that a batch may wait to fill up");
  add_number(command, "--replay", worker.replay, 0, 1000000000,
             "Most events of a partition that are replayed when a cache is lost; fewer are more "
             "snapshots. "
             "0: 50000, or 100 for each stream");
  command.footer(
      "Examples:\n"
      "  pcgs worker --brokers localhost:9092 --events events --answers answers --changelog states "
      "\\\n"
      "      --cache cache-1\n"
      "\n"
      "docs/serving.md has the events, the answers, and what survives what.");
}

}  // namespace pcgs::cli
