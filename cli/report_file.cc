#include "report_file.h"

#include "given.h"
#include "report/report.h"

namespace pcgs::cli {

CLI::Option* add_report_option(CLI::App& command, std::string& path) {
  return command
      .add_option("--report", path,
                  "Write one HTML page with tables and charts; it holds everything it needs")
      ->check(given())
      ->type_name("FILE");
}

ReportFile::ReportFile(const std::string& path) {
  if (path.empty()) return;
  report::require_available();
  file_ = std::make_unique<WholeFile>(path);
}

void ReportFile::write(const std::string& page) {
  file_->write(page);
  file_->commit();
}

}  // namespace pcgs::cli
