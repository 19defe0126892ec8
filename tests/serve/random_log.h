// Random events of one stream, such as a client with late outcomes and changing experts sends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "serve/event.h"

namespace pcgs::test {

// The first makes the stream; all are done by a stream that is given them in this order.
std::vector<serve::Event> random_log(const std::string& method, const std::string& loss,
                                     std::size_t events, std::uint64_t seed);

}  // namespace pcgs::test
