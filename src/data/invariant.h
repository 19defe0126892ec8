// Checks on ourselves. A broken invariant is a bug in this library or in a caller's Controller;
// going on would spread nonsense, so the process stops. Bad input never ends up here: it is an
// Error.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace pcgs {

inline void invariant(bool holds, const char* what) {
  if (!holds) [[unlikely]] {
    std::fprintf(stderr, "pcgs: broken invariant: %s\n", what);
    std::abort();
  }
}

}  // namespace pcgs
