// Files that are part of the program: the assembler copies them; a C++ array of as many numbers would take
// the compiler seconds. CMake knows what a file that includes this depends on.
#pragma once

#include <string_view>

#define PCGS_COPY(FILE) ".incbin \"" FILE "\"\n"
// These files, one behind the other, as pcgs_copied_NAME up to pcgs_copied_NAME_end.
#define PCGS_INCLUDE(NAME, FILES)                                                   \
  asm(".section .rodata\n"                                                          \
      "pcgs_copied_" #NAME ":\n" FILES "pcgs_copied_" #NAME                         \
      "_end:\n"                                                                     \
      ".previous\n");                                                               \
  extern "C" const char pcgs_copied_##NAME[] __attribute__((visibility("hidden"))); \
  extern "C" const char pcgs_copied_##NAME##_end[] __attribute__((visibility("hidden")))
#define PCGS_COPIED(NAME) std::string_view(pcgs_copied_##NAME, pcgs_copied_##NAME##_end)
