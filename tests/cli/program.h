// Runs the program as a user would and keeps what it said.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/matrix.h"
#include "support/temp_dir.h"

namespace pcgs::test {

struct Said {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// `arguments` go through no shell. The program is the one that was built beside the tests. With an
// `out_path`, standard output goes there and is not kept; with an `in_path`, standard input comes from
// there.
Said run_program(const std::vector<std::string>& arguments, const std::string& out_path = "",
                 const std::string& in_path = "");

// For those who go through a shell.
const char* program_path();

// The bytes of a file; a failure if there is none.
std::string content(const std::string& path);

// A test of the program in a folder of its own.
class ProgramTest : public ::testing::Test {
 protected:
  // Write a file into the folder and give its path.
  std::string file(const std::string& name, std::string_view bytes) const;
  std::string file(const std::string& name, const std::vector<std::uint8_t>& bytes) const;
  std::string npy(const std::string& name, MatrixView matrix) const;
  // A row for each of rows first to last - 1 of the matrix, below this header.
  std::string csv(const std::string& name, std::string_view header, MatrixView matrix,
                  std::size_t first, std::size_t last) const;
  std::string csv(const std::string& name, std::string_view header, MatrixView matrix) const {
    return csv(name, header, matrix, 0, matrix.rows);
  }

  // What the program prints when all goes well and it says nothing else.
  static nlohmann::json parsed(const std::vector<std::string>& arguments);

  // Expects exit code 2, one line that mentions these, and nothing left behind.
  void refuses(const std::vector<std::string>& arguments,
               const std::vector<std::string>& mentions) const;

  TempDir dir_;
};

}  // namespace pcgs::test
