#include "report_file.h"

#include "report/report.h"

namespace pcgs::cli {

ReportFile::ReportFile(const std::string& path) {
  if (path.empty()) return;
  report::require_available();
  file_ = std::make_unique<WholeFile>(path);
}

void ReportFile::write(const std::string& page) { file_->write(page); }

void ReportFile::commit() { file_->commit(); }

}  // namespace pcgs::cli
