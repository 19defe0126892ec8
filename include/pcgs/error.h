// The one exception for input that cannot be used.
//
// The message is a whole sentence for the user: where (file, row, column), what was found, and what
// would be accepted. A broken invariant of our own is not an Error; it aborts.
#pragma once

#include <stdexcept>

namespace pcgs {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pcgs
