#include "serve/random_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "serve/service_json.h"

namespace pcgs::test {

using namespace serve;

namespace {

class Client {
 public:
  Client(const std::string& method, const std::string& loss, std::uint64_t seed)
      : random_(seed), probability_(loss == "log") {
    StreamSpec spec;
    spec.experts = {"a", "b", "c"};
    spec.loss = loss;
    spec.method = method;
    made_.spec = spec;
  }

  Event first() const { return made_; }

  Event next(const Stream& now) {
    const auto open = now.answered().open_ids();
    const std::size_t kind = draw(100);
    if (kind < 45 || open.empty()) return round(now.aggregator().names());
    const std::string& id = open[draw(open.size())];
    if (kind < 90) return OutcomeSeen{id, probability_ ? double(draw(2)) : number()};
    if (kind < 94) return RoundAbandoned{id};
    const std::string change = fmt::format("change {}", count_++);
    if (kind < 97) return ExpertAdded{change, fmt::format("expert {}", draw(4))};
    const auto& names = now.aggregator().names();
    return ExpertRemoved{change, names[draw(names.size())]};
  }

 private:
  std::size_t draw(std::size_t below) { return random_() % below; }
  double number() {
    const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;
    return probability_ ? unit : 100 + 10 * unit;
  }
  Event round(const Names& names) {
    RoundOpened event{fmt::format("round {}", count_++), {}};
    const bool nobody = draw(20) == 0;
    for (const std::string& name : names) {
      if (!nobody && draw(10) > 0) event.forecasts.emplace_back(name, number());
    }
    std::ranges::sort(event.forecasts);
    return event;
  }

  std::mt19937_64 random_;
  bool probability_;
  Made made_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<Event> random_log(const std::string& method, const std::string& loss,
                              std::size_t events, std::uint64_t seed) {
  Client client(method, loss, seed);
  Stream now;
  std::vector<Event> log = {client.first()};
  now.step(log.front());
  while (log.size() < events) {
    Event event = client.next(now);
    if (now.step(event).verdict == Verdict::kDone) log.push_back(std::move(event));
  }
  return log;
}

Lines lines_of(std::size_t streams, std::size_t rounds) {
  Lines out;
  for (std::size_t t = 0; t < rounds; ++t) {
    for (std::size_t s = 0; s < streams; ++s) {
      const std::string name = fmt::format("s{}", s);
      const auto add = [&](const std::string& event) {
        out.emplace_back(name, fmt::format(R"({{"stream":"{}",{}}})", name, event));
      };
      if (t == 0) add(R"("make":{"experts":["a","b"]})");
      add(fmt::format(R"("round":{{"id":"{}","forecasts":{{"a":{},"b":{}}}}})", t, (t * 7 + s) % 5,
                      t % 6 == 5 ? "null" : "3"));
      add(fmt::format(R"("outcome":{{"id":"{}","y":{}}})", t, t % 4));
    }
  }
  return out;
}

std::map<std::string, std::vector<std::string>> offline(const Lines& lines) {
  std::map<std::string, Stream> streams;
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [key, text] : lines) {
    const EventLine line = read_event_line(text);
    Output output;
    if (line.event) output = streams[line.stream].step(*line.event);
    out[key].push_back(answer_line(line, output));
  }
  return out;
}

}  // namespace pcgs::test
