#include "program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "data/npy.h"
#include "support/expect.h"

namespace pcgs::test {

const char* program_path() { return PCGS_PROGRAM; }

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Said run_program(const std::vector<std::string>& arguments, const std::string& out_path,
                 const std::string& in_path) {
  const TempDir scratch;
  const std::string out = out_path.empty() ? scratch / "out" : out_path;
  const std::string err = scratch / "err";
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    const auto redirect = [](const std::string& path, int descriptor) {
      const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
    };
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    if (!in_path.empty()) {
      const int file = open(in_path.c_str(), O_RDONLY);
      if (file < 0 || dup2(file, STDIN_FILENO) < 0) _exit(126);
    }
    std::vector<char*> argv = {const_cast<char*>(PCGS_PROGRAM)};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(PCGS_PROGRAM, argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out_path.empty() ? content(out) : "",
          content(err)};
}

std::string ProgramTest::file(const std::string& name, std::string_view bytes) const {
  std::ofstream(dir_ / name, std::ios::binary) << bytes;
  return dir_ / name;
}

std::string ProgramTest::file(const std::string& name,
                              const std::vector<std::uint8_t>& bytes) const {
  return file(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string ProgramTest::npy(const std::string& name, MatrixView matrix) const {
  return file(name, io::npy_bytes(matrix));
}

std::string ProgramTest::csv(const std::string& name, std::string_view header, MatrixView matrix,
                             std::size_t first, std::size_t last) const {
  std::string text = fmt::format("{}\n", header);
  for (std::size_t t = first; t < last; ++t) {
    text += fmt::format("{}\n", fmt::join(matrix.row(t), ","));
  }
  return file(name, text);
}

nlohmann::json ProgramTest::parsed(const std::vector<std::string>& arguments) {
  const Said said = run_program(arguments);
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 1);
  return nlohmann::json::parse(said.out);
}

void ProgramTest::refuses(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& mentions) const {
  SCOPED_TRACE(::testing::PrintToString(arguments));
  const std::size_t before = dir_.entries();
  const Said said = run_program(arguments);
  EXPECT_EQ(said.exit_code, 2) << said.err;
  EXPECT_EQ(said.out.substr(0, 80), "");
  EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  for (const auto& text : mentions) EXPECT_TRUE(test::mentions(said.err, text));
  EXPECT_EQ(dir_.entries(), before) << "something was left behind";
}

}  // namespace pcgs::test
