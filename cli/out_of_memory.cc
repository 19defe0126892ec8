#include "out_of_memory.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "data/whole_file.h"

namespace pcgs::cli {

namespace {

[[noreturn]] void end() {
  remove_temporaries_for_good();
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    std::fputs(kOutOfMemory, stderr);
    _exit(2);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

void end_well_without_memory() { std::set_terminate(end); }

}  // namespace pcgs::cli
