#include "support/data_file.h"

namespace pcgs::test {

// CMake gives the folder to this file alone, so that all others compile to the same everywhere.
std::string data_file(std::string_view name) {
  return std::string(PCGS_TEST_DATA "/").append(name);
}

}  // namespace pcgs::test
