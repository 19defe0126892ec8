// What the worker's answers and states must be: events applied one after the other, in memory.
//
//     stream_states replay EVENTS ANSWERS STATES    lines of events in, a line of answer for each out
//     stream_states cache FOLDER STATES             the streams in the cache of a worker that has ended
//
// STATES has a line for each stream, its name and a fingerprint of all its bytes.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/kernels.h"
#include "data/checksums.h"
#include "pcgs/error.h"
#include "serve/service_json.h"
#include "serve/store.h"
#include "serve/stream_table.h"

namespace {

using namespace pcgs;

std::string fingerprint(const serve::Stream& stream) {
  return fmt::format("{:016x}", fnv1a<std::uint64_t>(std::string_view(stream.save())));
}

void replay(const std::string& events, const std::string& answers, const std::string& states) {
  std::ifstream in(events);
  std::ofstream out(answers), ends(states);
  std::map<std::string, serve::Stream> streams;
  for (std::string text; std::getline(in, text);) {
    const serve::EventLine line = serve::read_event_line(text);
    serve::Output output;
    if (line.event) {
      serve::Stream fresh;
      const auto found = streams.find(line.stream);
      serve::Stream& stream = found == streams.end() ? fresh : found->second;
      output = stream.step(*line.event);
      if (found == streams.end() && stream.made()) {
        streams.emplace(line.stream, std::move(fresh));
      }
    }
    out << serve::answer_line(line, output) << '\n';
  }
  for (const auto& [name, stream] : streams) ends << name << ' ' << fingerprint(stream) << '\n';
}

void cache(const std::string& folder, const std::string& states) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    serve::Store store(entry.path().string(), instruction_set());
    serve::StreamTable table(store, {});
    for (const std::string& name : table.names()) {
      const bool first = found.emplace(name, fingerprint(*table.find(name))).second;
      if (!first) throw Error(name + " is in two partitions");
    }
  }
  std::ofstream ends(states);
  for (const auto& [name, print] : found) ends << name << ' ' << print << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  try {
    if (words.size() == 4 && words[0] == "replay") {
      replay(words[1], words[2], words[3]);
    } else if (words.size() == 3 && words[0] == "cache") {
      cache(words[1], words[2]);
    } else {
      throw Error("usage: stream_states replay EVENTS ANSWERS STATES | cache FOLDER STATES");
    }
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 1;
  }
  return 0;
}
