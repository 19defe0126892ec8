// Random events of one stream, such as a client with late outcomes and changing experts sends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "serve/stream.h"

namespace pcgs::test {

// The first makes the stream; all are done by a stream that is given them in this order.
std::vector<serve::Event> random_log(const std::string& method, const std::string& loss,
                                     std::size_t events, std::uint64_t seed);

// Lines of /events, each beside the name of its stream: so many rounds of streams s0, s1, ... in turn.
using Lines = std::vector<std::pair<std::string, std::string>>;
Lines lines_of(std::size_t streams, std::size_t rounds);

// By stream: the answers of one process that is never stopped.
std::map<std::string, std::vector<std::string>> offline(const Lines& lines);

}  // namespace pcgs::test
