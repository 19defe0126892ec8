// Files that the assembler copies into the program, one behind the other.
//
//     PCGS_EMBED(page, PCGS_FILE("head.html") PCGS_FILE("body.html"));
//     const std::string_view text{pcgs_file_page, pcgs_file_page_end};
#pragma once

#define PCGS_FILE(PATH) ".incbin \"" PATH "\"\n"
#define PCGS_EMBED(NAME, FILES)                                                   \
  asm(".section .rodata\n"                                                        \
      "pcgs_file_" #NAME ":\n" FILES "pcgs_file_" #NAME                           \
      "_end:\n"                                                                   \
      ".previous\n");                                                             \
  extern "C" const char pcgs_file_##NAME[] __attribute__((visibility("hidden"))); \
  extern "C" const char pcgs_file_##NAME##_end[] __attribute__((visibility("hidden")))
