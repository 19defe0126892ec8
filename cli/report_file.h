// The page that --report asks for.
#pragma once

#include <memory>
#include <string>

#include "core/whole_file.h"

namespace pcgs::cli {

// Opened before the work and written, whole, after it. Nothing where no page is asked for; throws
// Error where this build makes none.
class ReportFile {
 public:
  explicit ReportFile(const std::string& path);
  explicit operator bool() const { return file_ != nullptr; }
  void write(const std::string& page);
  void commit();  // only then is it there

 private:
  std::unique_ptr<WholeFile> file_;
};

}  // namespace pcgs::cli
