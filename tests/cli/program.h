// Runs the program as a user would and keeps what it said.
#pragma once

#include <string>
#include <vector>

namespace pcgs::test {

struct Said {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// `arguments` go through no shell. The program is the one that was built beside the tests.
Said run_program(const std::vector<std::string>& arguments);

}  // namespace pcgs::test
