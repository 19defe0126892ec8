#include "show/assets.h"

#ifdef PCGS_WEB

#include "data/embedded.h"

// PCGS_WEB and PCGS_WEB_MODULES are folders, given by CMake, which also knows what this file depends on.
#define PCGS_MODULE(NAME, FILE) PCGS_EMBED(NAME, PCGS_FILE(PCGS_WEB_MODULES FILE))
#define PCGS_CHART(NAME) PCGS_EMBED(chart_##NAME, PCGS_FILE(PCGS_WEB "/charts/" #NAME ".json"))
#define PCGS_SCRIPT(NAME) PCGS_FILE(PCGS_WEB "/" NAME ".js")

PCGS_MODULE(vega, "/vega/build/vega.min.js");
PCGS_MODULE(vega_lite, "/vega-lite/build/vega-lite.min.js");
PCGS_MODULE(vega_licence, "/vega/LICENSE");
PCGS_MODULE(vega_lite_licence, "/vega-lite/LICENSE");
PCGS_EMBED(styles, PCGS_FILE(PCGS_WEB "/report.css"));
// One script in this order: what a file needs when it is read comes before it.
PCGS_EMBED(script, PCGS_SCRIPT("elements") PCGS_SCRIPT("theme") PCGS_SCRIPT("data")
                       PCGS_SCRIPT("specification") PCGS_SCRIPT("tooltip") PCGS_SCRIPT("drawing")
                           PCGS_SCRIPT("windows") PCGS_SCRIPT("choices") PCGS_SCRIPT("downloads")
                               PCGS_SCRIPT("tables") PCGS_SCRIPT("start"));
PCGS_CHART(bars);
PCGS_CHART(bins);
PCGS_CHART(control);
PCGS_CHART(coverage);
PCGS_CHART(differences);
PCGS_CHART(dots);
PCGS_CHART(dots_by_family);
PCGS_CHART(fan);
PCGS_CHART(gains);
PCGS_CHART(heat_map);
PCGS_CHART(held);
PCGS_CHART(histogram);
PCGS_CHART(latest);
PCGS_CHART(lines);
PCGS_CHART(overview);
PCGS_CHART(pit);
PCGS_CHART(restarts);
PCGS_CHART(scaling);
PCGS_CHART(scatter);
PCGS_CHART(score_parts);
PCGS_CHART(weights);

namespace pcgs::report {

const Assets* assets() {
#define PCGS_TEXT(NAME) \
  { pcgs_file_##NAME, pcgs_file_##NAME##_end }
#define PCGS_NAMED(NAME) \
  { #NAME, PCGS_TEXT(chart_##NAME) }
  static const Assets::Chart charts[] = {PCGS_NAMED(bars),           PCGS_NAMED(bins),
                                         PCGS_NAMED(control),        PCGS_NAMED(coverage),
                                         PCGS_NAMED(differences),    PCGS_NAMED(dots),
                                         PCGS_NAMED(dots_by_family), PCGS_NAMED(fan),
                                         PCGS_NAMED(gains),          PCGS_NAMED(heat_map),
                                         PCGS_NAMED(held),           PCGS_NAMED(histogram),
                                         PCGS_NAMED(latest),         PCGS_NAMED(lines),
                                         PCGS_NAMED(overview),       PCGS_NAMED(pit),
                                         PCGS_NAMED(restarts),       PCGS_NAMED(scaling),
                                         PCGS_NAMED(scatter),        PCGS_NAMED(score_parts),
                                         PCGS_NAMED(weights)};
  static const Assets all = {PCGS_TEXT(vega),
                             PCGS_TEXT(vega_lite),
                             PCGS_TEXT(vega_licence),
                             PCGS_TEXT(vega_lite_licence),
                             PCGS_TEXT(script),
                             PCGS_TEXT(styles),
                             charts};
#undef PCGS_TEXT
#undef PCGS_NAMED
  return &all;
}

}  // namespace pcgs::report

#else

namespace pcgs::report {

const Assets* assets() { return nullptr; }

}  // namespace pcgs::report

#endif
