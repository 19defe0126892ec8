#include "report_file.h"

#include "show/report.h"

namespace pcgs::cli {

WholeFile* add_page(OutputSet& outputs, const std::string& path) {
  if (path.empty()) return nullptr;
  report::require_available();
  return &outputs.add(path);
}

}  // namespace pcgs::cli
