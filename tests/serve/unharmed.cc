#include "serve/unharmed.h"

#include <stdexcept>

#include "core/instruction_set.h"

namespace pcgs::test {

Unharmed::Unharmed() {
  options_.store = dir_ / "store";
  options_.port = 0;
  options_.connections = 4;
  start();
  ask(port(), "PUT", "/streams/n", R"({"experts":["a","b"],"method":"ml-poly"})");
  ask(port(), "POST", "/streams/n/rounds", R"({"id":"0","forecasts":{"a":1}})");
  stream_ = get("/streams/n").body;
  logged_ = logged();
}

std::string Unharmed::logged() const {
  const std::string text = get("/metrics").body;
  const std::size_t at = text.find("\npcgs_events_total ");
  if (at == std::string::npos) throw std::runtime_error("the metrics have no events: " + text);
  return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

void Unharmed::start() {
  service_.reset();
  service_.emplace(options_);
  logged_ = "pcgs_events_total 0";  // not asked for: some start with no patience at all
}

::testing::AssertionResult Unharmed::unharmed() const {
  if (const auto health = get("/health"); health.status != 200) {
    return ::testing::AssertionFailure() << "health is " << health.status << ": " << health.body;
  }
  if (const auto now = get("/streams/n").body; now != stream_) {
    return ::testing::AssertionFailure() << "the stream is " << now;
  }
  const std::string names = get("/streams").body;
  if (names != "{\"streams\":[\"n\"]}\n") return ::testing::AssertionFailure() << names;
  if (const auto now = logged(); now != logged_) {
    return ::testing::AssertionFailure() << now << ", which was " << logged_;
  }
  return ::testing::AssertionSuccess();
}

serve::StoredStream Unharmed::stored() {
  service_.reset();
  return serve::Store(options_.store, instruction_set()).read("n");
}

::testing::AssertionResult Unharmed::refused(const HttpAnswer& answer, int status) {
  if (answer.status != status) {
    return ::testing::AssertionFailure()
           << "answered " << answer.status << ", not " << status << ": " << answer.body;
  }
  const auto json = nlohmann::json::parse(answer.body, nullptr, false);
  if (!json.is_object() || json.size() != 1 || !json.contains("error") ||
      json["error"].get<std::string>().size() < 10 || answer.body.size() > 600) {
    return ::testing::AssertionFailure() << "is no sentence: " << answer.body;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace pcgs::test
