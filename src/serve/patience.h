// How long a client may take. Without a limit on the whole, a byte now and then would hold a connection
// for ever.
#pragma once

#include <chrono>

namespace pcgs::serve {

struct Patience {
  std::chrono::milliseconds idle{5000};      // from an answer to the first byte of the next request
  std::chrono::milliseconds request{30000};  // from there to its last byte
  std::chrono::milliseconds answer{30000};   // until all of the answer is taken
};

}  // namespace pcgs::serve
