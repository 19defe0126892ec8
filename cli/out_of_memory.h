// Memory that ends where no exception can pass.
#pragma once

namespace pcgs::cli {

inline constexpr const char* kOutOfMemory =
    "pcgs: this does not fit into memory; give fewer rounds or experts\n";

// From here on, a bad_alloc that leaves a destructor (those of JSON values allocate) or is caught by
// nobody ends the program as one that main() catches does: one sentence, exit code 2, no temporaries.
// Any other exception that nobody catches is our fault and aborts, without temporaries too.
void end_well_without_memory();

}  // namespace pcgs::cli
