#include "report/assets.h"

#ifdef PCGS_WEB

// The assembler copies the files, as it does with the models (infer/shipped.cc). PCGS_WEB and
// PCGS_WEB_MODULES are folders, given by CMake, which also knows what this file depends on.
#define PCGS_INCLUDE_FILE(NAME, FILE)                                            \
  asm(".section .rodata\n"                                                       \
      "pcgs_web_" #NAME                                                          \
      ":\n"                                                                      \
      ".incbin \"" FILE                                                          \
      "\"\n"                                                                     \
      "pcgs_web_" #NAME                                                          \
      "_end:\n"                                                                  \
      ".previous\n");                                                            \
  extern "C" const char pcgs_web_##NAME[] __attribute__((visibility("hidden"))); \
  extern "C" const char pcgs_web_##NAME##_end[] __attribute__((visibility("hidden")))

PCGS_INCLUDE_FILE(vega, PCGS_WEB_MODULES "/vega/build/vega.min.js");
PCGS_INCLUDE_FILE(vega_lite, PCGS_WEB_MODULES "/vega-lite/build/vega-lite.min.js");
PCGS_INCLUDE_FILE(vega_licence, PCGS_WEB_MODULES "/vega/LICENSE");
PCGS_INCLUDE_FILE(vega_lite_licence, PCGS_WEB_MODULES "/vega-lite/LICENSE");
PCGS_INCLUDE_FILE(script, PCGS_WEB "/report.js");
PCGS_INCLUDE_FILE(styles, PCGS_WEB "/report.css");

namespace pcgs::report {

const Assets* assets() {
#define PCGS_FILE(NAME) \
  { pcgs_web_##NAME, pcgs_web_##NAME##_end }
  static const Assets all = {PCGS_FILE(vega),         PCGS_FILE(vega_lite),
                             PCGS_FILE(script),       PCGS_FILE(styles),
                             PCGS_FILE(vega_licence), PCGS_FILE(vega_lite_licence)};
#undef PCGS_FILE
  return &all;
}

}  // namespace pcgs::report

#else

namespace pcgs::report {

const Assets* assets() { return nullptr; }

}  // namespace pcgs::report

#endif
