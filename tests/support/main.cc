// Runs the tests of one file of a program: PROGRAM --file=share_test.cc, and of these, with --named=Thread, those
// whose name has that in it. Without, all of them. A file in which no test is found fails.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

std::string_view after_last_slash(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// "Suite.Name:Suite.Other" of the tests that are wanted.
std::string wanted_tests(std::string_view file, std::string_view part) {
  std::string wanted;
  const auto& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const auto& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const auto& test = *suite.GetTestInfo(j);
      const std::string name = std::string(suite.name()) + "." + test.name();
      if (after_last_slash(test.file()) != after_last_slash(file)) continue;
      if (name.find(part) == std::string::npos) continue;
      wanted += (wanted.empty() ? "" : ":") + name;
    }
  }
  return wanted;
}

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  std::string_view file, part;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with("--file=")) file = argument.substr(7);
    if (argument.starts_with("--named=")) part = argument.substr(8);
  }
  if (!file.empty()) {
    const std::string wanted = wanted_tests(file, part);
    if (wanted.empty()) {
      std::fprintf(stderr, "no test was found in %s\n", std::string(file).c_str());
      return 1;
    }
    GTEST_FLAG_SET(filter, wanted);
  }
  return RUN_ALL_TESTS();
}
