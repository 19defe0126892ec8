// Bad input: exit 2, one sentence on stderr that names the file (and the place in it), nothing on
// stdout, and no file left behind.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <string>

#include "pcgs/registry.h"
#include "program.h"
#include "support/temp_dir.h"

namespace pcgs::test {
namespace {

class BadInput : public ProgramTest {
 protected:
  // Runs with outputs asked for, so that a partial one would show.
  void refuses(std::vector<std::string> arguments, const std::vector<std::string>& mentions) const {
    arguments.insert(arguments.end(), {"--trace", dir_ / "trace.csv", "--json"});
    ProgramTest::refuses(arguments, mentions);
  }
};

TEST_F(BadInput, TextAndWhatIsNotFiniteIsNamed) {
  refuses({"run", file("nan.csv", "a,b\n0.1,nan\n")}, {"nan.csv", "row 1", "column b"});
  refuses({"run", file("inf.csv", "y,a,b\n1,1,2\ninf,2,3\n"), "--y", "y"},
          {"inf.csv", "row 2", "column y"});
  refuses({"run", file("type.npy", "\x93NUMPY")}, {"type.npy", "truncated"});
  refuses({"run", file("text.csv", "a,b\n0.1,0.2\n0.3,high\n")},
          {"text.csv", "row 2", "column b", "high", "--ignore b"});
}

TEST_F(BadInput, LossOutsideTheUnitIntervalNeedsAScale) {
  const auto path = file("big.csv", "a,b\n0.1,0.2\n0.3,3.5\n");
  refuses({"run", path}, {"big.csv", "row 2", "column b", "3.5", "[0, 1]", "--scale"});
  EXPECT_EQ(run_program({"run", path, "--scale", "4"}).exit_code, 0);
  EXPECT_EQ(run_program({"run", path, "--scale", "auto"}).exit_code, 0);
}

TEST_F(BadInput, MissingColumnsAreNamedWithThoseThatExist) {
  const auto path = file("columns.csv", "load,m1,m2\n1,1,2\n2,2,3\n");
  for (const char* option : {"--y", "--ignore", "--experts", "--side"}) {
    refuses({"run", path, option, "price"}, {"columns.csv", "price", "load"});
  }
}

TEST_F(BadInput, FileThatIsNotThereIsNamed) {
  refuses({"run", dir_ / "nowhere.csv"}, {"nowhere.csv", "No such file"});
}

TEST_F(BadInput, StateWithAFlippedBitOrOfOtherExpertsIsRefused) {
  const auto losses = file("losses.csv", "a,b\n0.1,0.2\n0.3,0.4\n");
  const auto good = make_aggregator("hedge", 2).save_bytes();
  auto flipped = good;
  flipped[good.size() / 2] ^= 1;
  refuses({"run", losses, "--resume", file("flipped.state", flipped)},
          {"flipped.state", "checksum"});
  refuses({"run", losses, "--resume", losses}, {"losses.csv", "state"});
  const auto other = make_aggregator("hedge", 3).save_bytes();
  refuses({"run", losses, "--resume", file("other.state", other)}, {"other.state", "3", "2"});
}

TEST_F(BadInput, UnwritableOutputIsRefusedBeforeTheWork) {
  const auto losses = file("losses.csv", "a,b\n0.1,0.2\n0.3,0.4\n");
  const std::string nowhere = dir_ / "no-such-folder";
  ProgramTest::refuses({"run", losses, "--trace", nowhere + "/trace.csv"},
                       {"no-such-folder/trace.csv"});
  ProgramTest::refuses({"run", losses, "--save", nowhere + "/state"}, {"no-such-folder/state"});
  // A file where the folder should be.
  ProgramTest::refuses({"run", losses, "--out", losses}, {"losses.csv", "folder"});
  ProgramTest::refuses({"suite", "--sequences", "1", "--rounds", "9", "--out", losses},
                       {"losses.csv", "folder"});
}

TEST_F(BadInput, UnknownMethodsAndOptionsSayWhatThereIs) {
  const auto losses = file("losses.csv", "a,b\n0.1,0.2\n0.3,0.4\n");
  refuses({"run", losses, "--method", "hegde"}, {"hegde", "fixed-share"});
  refuses({"run", losses, "--method", "hedge{rho=0.1}"}, {"rho", "eta"});
  refuses({"run", losses, "--method", "hedge{eta=-1}"}, {"eta", "-1"});
  refuses({"run", losses, "--method", "boa*"}, {"boa*", "fixed-share*"});
  refuses({"run", losses, "--scale", "big"}, {"--scale", "big", "auto"});
}

TEST_F(BadInput, OutcomesAndForecastsOfTheLogLossAreProbabilities) {
  refuses({"run", file("p.csv", "y,a\n1,0.5\n0,1.5\n"), "--y", "y", "--loss", "log"},
          {"p.csv", "row 2", "column a", "probability"});
  refuses({"run", file("y.csv", "y,a\n1,0.5\n2,0.5\n"), "--y", "y", "--loss", "log"},
          {"y.csv", "row 2", "column y", "0 or 1"});
}

TEST_F(BadInput, OutputsThatAreNotFilesAreRefused) {
  const auto losses = file("losses.csv", "a,b\n0.1,0.2\n0.3,0.4\n");
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  ProgramTest::refuses({"run", losses, "--trace", dir_ / "pipe"}, {"pipe", "not a file"});
  struct stat about {};
  ASSERT_EQ(stat((dir_ / "pipe").c_str(), &about), 0);
  EXPECT_TRUE(S_ISFIFO(about.st_mode));
}

TEST_F(BadInput, OutputsMayNotReplaceTheInputOrEachOther) {
  const auto losses = file("losses.csv", "a,b\n0.1,0.2\n0.3,0.4\n");
  ProgramTest::refuses({"run", losses, "--trace", losses}, {"losses.csv", "twice"});
  const auto forecasts = file("forecasts.csv", "y,a,b\n1,1,2\n2,2,3\n");
  ProgramTest::refuses({"run", forecasts, "--y", "y", "--out", dir_ / "."},
                       {"forecasts.csv", "twice"});
}

TEST_F(BadInput, NothingIsMadeForAMethodThatDoesNotExist) {
  const auto losses = file("losses.csv", "a,b\n0.1,0.2\n0.3,0.4\n");
  ProgramTest::refuses({"run", losses, "--method", "hegde", "--out", dir_ / "new/folder"},
                       {"hegde"});
}

TEST_F(BadInput, OptionsWithoutEffectAreRefused) {
  const auto losses = file("losses.csv", "a,b\n0.1,0.2\n0.3,0.4\n");
  const auto forecasts = file("forecasts.csv", "y,a,b\n1,1,2\n2,2,3\n");
  refuses({"run", losses, "--loss", "absolute"}, {"--loss", "--y"});
  refuses({"run", forecasts, "--y", "y", "--tau", "0.9"}, {"--tau", "pinball"});
  refuses({"run", losses, "--resume", ""}, {"--resume", "empty"});
}

TEST_F(BadInput, EndlessFilesAreRefused) {
  const std::string losses = file("l.csv", "a,b\n0.1,0.2\n");
  refuses({"run", losses, "--method", "pcgs-tf{model=/dev/zero}"}, {"/dev/zero", "device"});
  ProgramTest::refuses({"run", "/dev/zero"}, {"/dev/zero", "NUL"});
  ProgramTest::refuses({"run", losses, "--resume", "/dev/zero"}, {"/dev/zero", "device"});
  ProgramTest::refuses({"certify", losses, "/dev/zero"}, {"/dev/zero", "device"});
}

TEST_F(BadInput, DeepJsonIsRefused) {
  const std::string deep = file("deep.json", std::string(200000, '[') + std::string(200000, ']'));
  const std::string series = file("s.csv", "y\n1\n2\n3\n");
  const std::string pool =
      file("pool.json", "{\"experts\":[{\"kind\":\"ewma\",\"rate\":" + std::string(100000, '[') +
                            "1" + std::string(100000, ']') + "}]}");
  ProgramTest::refuses({"report", deep, "--out", dir_ / "p.html"}, {"deep.json"});
  ProgramTest::refuses({"certify", series, deep}, {"deep.json", "nested"});
  ProgramTest::refuses({"forecast", series, "--column", "y", "--pool", pool},
                       {"pool.json", "nested"});
}

TEST_F(BadInput, ControlCharactersFromFilesAndArgumentsAreShownEscaped) {
  const Said path = run_program({"run", "no\x1b[31mfile\nhere"});
  EXPECT_EQ(path.err.rfind("pcgs: no\\x1b[31mfile\\x0ahere: cannot be read", 0), 0u) << path.err;
  const std::string names = file("n.csv", "y,a\x1b[31m,b\n1,2,3\n2,3,4\n3,3,5\n");
  const Said said = run_program({"run", names, "--y", "y", "--method", "hedge"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(said.out.find('\x1b'), std::string::npos);
  EXPECT_NE(said.out.find("a\\x1b[31m"), std::string::npos) << said.out;
}

TEST(Usage, AnUnwritableStandardErrorDoesNotAbort) {
  const std::string command = "'" + std::string(program_path()) + "' run nofile 2> /dev/full";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(Usage, HelpThatCannotBePrintedIsNotASuccess) {
  for (const char* what : {"--help", "--version", "methods"}) {
    EXPECT_EQ(run_program({what}, "/dev/full").exit_code, 2) << what;
  }
}

TEST(Usage, TheVersionNamesCommitAndInstructionSet) {
  const std::string said = run_program({"--version"}).out;
  EXPECT_TRUE(
      std::regex_match(said, std::regex("pcgs [0-9]+\\.[0-9]+\\.[0-9]+ \\(commit "
                                        "([0-9a-f]{12}(-dirty)?|unknown), [A-Z0-9_]+\\)\n")))
      << said;
}

TEST(Usage, ResultThatCannotBePrintedIsNotASuccess) {
  EXPECT_EQ(
      run_program({"suite", "--rounds", "2", "--sequences", "1", "--json"}, "/dev/full").exit_code,
      2);
}

TEST(Usage, WrongUseExitsWithTwoAndSaysWhatIsMissing) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"run"}, {"rum"}, {"run", "x.csv", "--no-such-option"}}) {
    const Said said = run_program(arguments);
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_NE(said.err, "");
    EXPECT_EQ(said.out, "");
  }
}

}  // namespace
}  // namespace pcgs::test
