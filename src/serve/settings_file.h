// Settings of librdkafka from a file.
#pragma once

#include <string>

#include "serve/kafka.h"

namespace pcgs::worker {

// Lines NAME=VALUE; empty ones and those that begin with # do not count. Throws Error, naming file and
// line, also for settings on which exactly-once depends.
Settings read_settings(const std::string& file);

}  // namespace pcgs::worker
