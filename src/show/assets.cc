// What makes a page of its sections: the scripts, the charts and the styles of web/, and the libraries that draw.
#include <fmt/format.h>

#include "data/copied_files.h"
#include "pcgs/error.h"
#include "show/report.h"
#include "show/sections.h"

namespace pcgs::report {

void require_available() {
  if (available()) return;
  throw Error(
      "this build of pcgs makes no report pages; install npm, configure again with "
      "-DPCGS_REPORT=ON and build");
}

}  // namespace pcgs::report

#ifdef PCGS_WEB

// PCGS_WEB and PCGS_WEB_MODULES are folders, given by CMake.
#define PCGS_MODULE(NAME, FILE) PCGS_INCLUDE(NAME, PCGS_COPY(PCGS_WEB_MODULES FILE))
#define PCGS_SCRIPT(NAME) PCGS_COPY(PCGS_WEB "/" NAME ".js")
#define PCGS_CHART(NAME) \
  ".ascii \",\\\"" NAME "\\\":\"\n" PCGS_COPY(PCGS_WEB "/charts/" NAME ".json")

PCGS_MODULE(vega, "/vega/build/vega.min.js");
PCGS_MODULE(vega_lite, "/vega-lite/build/vega-lite.min.js");
PCGS_MODULE(vega_licence, "/vega/LICENSE");
PCGS_MODULE(vega_lite_licence, "/vega-lite/LICENSE");
PCGS_INCLUDE(styles, PCGS_COPY(PCGS_WEB "/report.css"));
// One script in this order: what a file needs when it is read comes before it.
PCGS_INCLUDE(script, PCGS_SCRIPT("elements") PCGS_SCRIPT("theme") PCGS_SCRIPT("data")
                         PCGS_SCRIPT("specification") PCGS_SCRIPT("tooltip") PCGS_SCRIPT("drawing")
                             PCGS_SCRIPT("windows") PCGS_SCRIPT("choices") PCGS_SCRIPT("downloads")
                                 PCGS_SCRIPT("tables") PCGS_SCRIPT("start"));
// The templates, each behind a comma and its name.
PCGS_INCLUDE(charts,
             PCGS_CHART("bars") PCGS_CHART("bins") PCGS_CHART("control") PCGS_CHART("coverage")
                 PCGS_CHART("differences") PCGS_CHART("dots") PCGS_CHART("dots_by_family")
                     PCGS_CHART("fan") PCGS_CHART("gains") PCGS_CHART("heat_map") PCGS_CHART("held")
                         PCGS_CHART("histogram") PCGS_CHART("latest") PCGS_CHART("lines")
                             PCGS_CHART("overview") PCGS_CHART("pit") PCGS_CHART("restarts")
                                 PCGS_CHART("scaling") PCGS_CHART("scatter")
                                     PCGS_CHART("score_parts") PCGS_CHART("weights"));

namespace pcgs::report {

namespace {

// Comments cannot hold two hyphens in a row.
std::string comment(std::string_view text) {
  std::string out = "<!--\n";
  for (const char c : text) {
    if (c == '-' && out.back() == '-') out += ' ';
    out += c;
  }
  return out + "\n-->\n";
}

}  // namespace

bool available() { return true; }

std::string document(const std::string& title, const std::string& subtitle,
                     const std::vector<Section>& sections) {
  std::string links, body;
  for (const auto& section : sections) {
    links +=
        fmt::format("<li><a href=\"#{}\">{}</a></li>", escaped(section.id), escaped(section.title));
    body += html(section);
  }
  const auto templates = ordered_json::parse(fmt::format("{{{}}}", PCGS_COPIED(charts).substr(1)));
  // Nothing is ever fetched. Vega compiles expressions, which is what unsafe-eval allows.
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
      "<title>{0} - pcgs</title>\n<style>\n{1}\n</style></head>\n"
      "<body>\n<header><h1>{0}</h1><p class=\"subtitle\">{2}</p></header>\n"
      "<nav aria-label=\"Contents\"><ul>{3}</ul></nav>\n"
      "<noscript><p>Charts need JavaScript; tables and texts are complete without "
      "it.</p></noscript>"
      "\n<main>\n{4}</main>\n"
      "<footer><p>Made by pcgs. Regret is the loss beyond the exact best sequence of experts in "
      "hindsight. Long curves keep of each stretch the first, last, lowest and highest value. "
      "Charts are drawn by Vega and Vega-Lite, whose licences are in the source of this "
      "page.</p></footer>\n{5}{6}<script type=\"application/json\" id=\"templates\">{7}</script>\n",
      escaped(title), PCGS_COPIED(styles), escaped(subtitle), links, body,
      comment(PCGS_COPIED(vega_licence)), comment(PCGS_COPIED(vega_lite_licence)),
      script_json(templates));
  for (const auto code : {PCGS_COPIED(vega), PCGS_COPIED(vega_lite)}) {
    out += "<script>" + script_code(code) + "</script>\n";
  }
  return out + "<script>(() => {\n" + script_code(PCGS_COPIED(script)) +
         "})();</script>\n</body></html>\n";
}

}  // namespace pcgs::report

#else

namespace pcgs::report {

bool available() { return false; }
std::string document(const std::string&, const std::string&, const std::vector<Section>&) {
  return {};
}

}  // namespace pcgs::report

#endif
