// An OutputSet in two folders, killed at every system call, and with every call failing.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "data/output_files.h"
#include "pcgs/error.h"
#include "support/temp_dir.h"

extern "C" void faults_choose(const char* text);  // faults/faults.c

// With `make coverage` alone: what a child reached is counted, too.
extern "C" int __llvm_profile_write_file() __attribute__((weak));

namespace pcgs {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

constexpr const char* kFiles[] = {"a/x", "a/y", "b/x", "b/y"};
enum { kDone = 0, kRefused = 3, kKilled = 137 };

// Commits four files in a process of its own and gives its exit code.
int commit_with(const TempDir& dir, const std::string& fault) {
  const pid_t child = fork();
  if (child == 0) {
    faults_choose(fault.c_str());
    int code = kDone;
    try {
      OutputSet set;
      for (const char* name : kFiles) set.add(dir / name).write("new");
      set.commit();
    } catch (const Error&) {
      code = kRefused;
    }
    if (__llvm_profile_write_file != nullptr) __llvm_profile_write_file();
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Temporaries of those before stay.
void start_anew(const TempDir& dir) {
  for (const char* folder : {"a", "b"}) fs::create_directory(dir / folder);
  for (const char* name : kFiles) std::ofstream(dir / name) << "old";
}

// "old" or "new"; both, if they are mixed.
std::string found(const TempDir& dir) {
  std::set<std::string> contents;
  for (const char* name : kFiles) {
    const auto bytes = read_whole_file(dir / name);
    contents.emplace(bytes.begin(), bytes.end());
  }
  std::string out;
  for (const auto& one : contents) out += one;
  return out;
}

std::size_t journals(const TempDir& dir) {
  std::size_t n = 0;
  for (const char* folder : {"a", "b"}) {
    for (const auto& one : fs::directory_iterator(dir / folder)) {
      n += one.path().filename().string().starts_with(kJournalPrefix);
    }
  }
  return n;
}

class OutputFaults : public ::testing::TestWithParam<std::string> {};

TEST_P(OutputFaults, NeverMixAndNeverBlock) {
  const TempDir dir;
  std::size_t number = 1, as_new = 0, as_old = 0;
  for (;; ++number) {
    SCOPED_TRACE(fmt::format("call {} {}", number, GetParam()));
    start_anew(dir);
    const std::string mark = dir / "mark";
    const int code = commit_with(dir, fmt::format("calls {} {} {}", number, GetParam(), mark));
    const bool happened = fs::remove(mark);
    if (!happened) break;
    ASSERT_TRUE(code == kDone || code == kRefused || code == kKilled) << code;
    const std::string at_once = found(dir);
    EXPECT_TRUE(at_once == "old" || at_once == "new" || journals(dir) > 0) << at_once;
    // From one folder, so that the other is reached through it.
    recover_outputs({number % 2 == 0 ? dir / "a" : dir / "b"});
    const std::string now = found(dir);
    EXPECT_TRUE(now == "old" || now == "new") << now;
    EXPECT_TRUE(code != kDone || now == "new");
    recover_outputs({dir / "a", dir / "b"});
    EXPECT_EQ(journals(dir), 0u);
    (now == "new" ? as_new : as_old) += 1;
  }
  EXPECT_EQ(commit_with(dir, ""), kDone) << "over whatever was left";
  EXPECT_EQ(found(dir), "new");
  EXPECT_GT(as_old, 20u);
  EXPECT_GT(as_new, 10u);
}

INSTANTIATE_TEST_SUITE_P(AtEveryCall, OutputFaults,
                         ::testing::Values("kill-before", fmt::format("{}", EIO),
                                           fmt::format("{}+", ENOSPC)));

}  // namespace
}  // namespace pcgs
