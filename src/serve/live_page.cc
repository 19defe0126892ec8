#include "serve/live_page.h"

// The assembler copies the files, as it does for report pages (show/assets.cc). PCGS_WEB is a folder,
// given by CMake.
#define PCGS_COPY(FILE) ".incbin \"" PCGS_WEB "/" FILE "\"\n"
#define PCGS_INCLUDE(NAME, FILES)                                                 \
  asm(".section .rodata\n"                                                        \
      "pcgs_live_" #NAME ":\n" FILES "pcgs_live_" #NAME                           \
      "_end:\n"                                                                   \
      ".previous\n");                                                             \
  extern "C" const char pcgs_live_##NAME[] __attribute__((visibility("hidden"))); \
  extern "C" const char pcgs_live_##NAME##_end[] __attribute__((visibility("hidden")))

PCGS_INCLUDE(html, PCGS_COPY("live/index.html"));
PCGS_INCLUDE(styles, PCGS_COPY("report.css") PCGS_COPY("live/live.css"));
// One module in this order: what a file needs when it is read comes before it.
PCGS_INCLUDE(script, PCGS_COPY("elements.js") PCGS_COPY("theme.js") PCGS_COPY("live/service.js")
                         PCGS_COPY("live/charts.js") PCGS_COPY("live/list.js")
                             PCGS_COPY("live/stream.js") PCGS_COPY("live/start.js"));

namespace pcgs::serve {

LivePage live_page() {
  return {{pcgs_live_html, pcgs_live_html_end},
          {pcgs_live_styles, pcgs_live_styles_end},
          {pcgs_live_script, pcgs_live_script_end}};
}

}  // namespace pcgs::serve
