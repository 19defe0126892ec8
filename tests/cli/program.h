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

// `arguments` go through no shell. The program is the one that was built beside the tests. With a
// path, standard output goes there and is not kept.
Said run_program(const std::vector<std::string>& arguments, const std::string& out_path = "");

}  // namespace pcgs::test
