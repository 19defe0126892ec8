// Reads a stretch of one partition, outside of any group: changelogs, and events that were done before.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "serve/kafka.h"

namespace pcgs::worker {

struct Offsets {
  std::int64_t first = 0;  // that is still there
  std::int64_t end = 0;    // one after the last, whether committed or not
};

class TopicReader {
 public:
  TopicReader(const Settings& settings, Stopping stopping);

  Offsets offsets(const std::string& topic, std::int32_t partition) const;

  // Every committed message in [begin, end), in order. Waits while a transaction is open before `end`:
  // what it wrote is not known to count until it is over. `idle` is called at least every second or so;
  // reading ends early, with false, when it says false. Throws Error if `begin` is not there any more.
  bool read(const std::string& topic, std::int32_t partition, std::int64_t begin, std::int64_t end,
            const std::function<void(KafkaMessage)>& take, const std::function<bool()>& idle) const;

 private:
  Stopping stopping_;
  ClientPtr committed_;    // sees what transactions have committed
  ClientPtr uncommitted_;  // sees where a partition ends, with open transactions
};

}  // namespace pcgs::worker
