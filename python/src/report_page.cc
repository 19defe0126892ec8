#include "report_page.h"

#include "data/whole_file.h"
#include "interpreter.h"
#include "paths.h"
#include "pcgs/error.h"
#if __has_include("show/report.h")
#include "show/report.h"
#endif

namespace pcgs::python {

bool has_report_pages() {
#if __has_include("show/report.h")
  return report::available();
#else
  return false;
#endif
}

void write_page(pybind11::handle path, const std::function<std::string()>& page) {
  if (!has_report_pages()) {
    throw Error(
        "this build of pcgs has no report page; install npm, build the package again, and then "
        "report() writes one");
  }
  const std::string name = path_of(path);
  const OthersMayRun others_may_run;
  WholeFile file(name);  // says what is wrong with the path before the work
  file.write(page());
  file.commit();
}

}  // namespace pcgs::python
