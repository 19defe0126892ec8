// pcgs run on numbers at the ends of what is accepted: every answer is a number or says why it is
// none, and what was saved goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "support/expect.h"

namespace pcgs::test {
namespace {

using nlohmann::json;
using Options = std::vector<std::string>;

constexpr const char* kMethods[] = {"boa", "squint", "guard", "fixed-share", "ml-poly", "blend"};

// All experts are sure of what does not happen.
constexpr const char* kSureAndWrong =
    "a,b,c,d,e,f,g,h,i,j,y\n1,1,1,1,1,1,1,1,1,1,0\n.5,.5,.5,.5,.5,.5,.5,.5,.5,.5,1\n";
constexpr const char* kUnlikelyThenSure =
    "a,b,c,d,e,y\n.1,.19,.28,.36,.45,1\n1,1,1,1,1,0\n.5,.5,.5,.5,.5,1\n";

class RunExtremes : public ProgramTest {
 protected:
  // Losses as they came may be infinite, or their sums.
  const std::vector<std::string> kInfiniteAsTheyCame = {"mean_forecast_loss", "mape", "unclipped",
                                                        "unclipped_oracle"};

  // Everything but these is a number wherever a number belongs: JSON has no NaN, so null is what is
  // looked for.
  static void expect_no_null(const json& in, const std::vector<std::string>& but,
                             const std::string& at = "") {
    EXPECT_FALSE(in.is_null()) << at;
    if (!in.is_structured()) return;
    for (const auto& [key, value] : in.items()) {
      if (std::find(but.begin(), but.end(), key) == but.end()) {
        expect_no_null(value, but, at + "/" + key);
      }
    }
  }
};

TEST_F(RunExtremes, SureAndWrongForecastsLeaveNumbersAndAStateThatGoesOn) {
  for (const char* text : {kSureAndWrong, kUnlikelyThenSure}) {
    const auto path = file("p.csv", text);
    for (const std::string method : kMethods) {
      SCOPED_TRACE(method);
      const json result = parsed({"run", path, "--y", "y", "--loss", "log", "--scale", "3",
                                  "--method", method, "--save", dir_ / "s", "--json", "--quiet"});
      // The log loss of a forecast that ruled out what happened is infinite.
      expect_no_null(result, kInfiniteAsTheyCame);
      for (int i = 0; i < 2; ++i) {
        const Said on = run_program({"run", path, "--y", "y", "--resume", dir_ / "s", "--save",
                                     dir_ / "s2", "--json", "--quiet"});
        ASSERT_EQ(on.exit_code, 0) << on.err;
        expect_no_null(json::parse(on.out), kInfiniteAsTheyCame);
        ASSERT_EQ(run_program({"run", path, "--y", "y", "--resume", dir_ / "s2"}).exit_code, 0);
      }
    }
  }
}

TEST_F(RunExtremes, AnInfiniteLogLossIsCalledThat) {
  const Said said =
      run_program({"run", file("p.csv", kSureAndWrong), "--y", "y", "--loss", "log", "--quiet"});
  EXPECT_TRUE(mentions(said.out, "log loss is infinite"));
  EXPECT_TRUE(mentions(said.out, "infinite  0."));
  EXPECT_EQ(said.out.find("nan"), std::string::npos) << said.out;
}

TEST_F(RunExtremes, ForecastsUpToTheLargestNumberLeaveNumbers) {
  const std::string most = "1.7976931348623157e308";
  std::string text = "a,b,c,y\n";
  for (int i = 0; i < 15; ++i) {
    text += most + "," + most + "," + most + ",1\n" + most + ",-" + most + ",1,-1e200\n" +
            "1,2,3,2\n5e-324,0,1,5e-324\n,,-" + most + ",7\n";
  }
  const auto path = file("most.csv", text + most + "," + most + "," + most + ",\n");
  for (const std::string method : kMethods) {
    for (const Options& more :
         {Options{}, Options{"--block", "4"}, Options{"--delay", "3", "--loss", "absolute"},
          Options{"--loss", "pinball", "--tau", "0.9", "--intervals", "50,99"}}) {
      SCOPED_TRACE(method + ::testing::PrintToString(more));
      Options options = {"run",  path,     "--y",      "y",      "--method",
                         method, "--save", dir_ / "s", "--json", "--quiet"};
      options.insert(options.end(), more.begin(), more.end());
      const json result = parsed(options);
      // A mean of squares of such numbers is none.
      expect_no_null(
          result, {"mean_forecast_loss", "mape", "best_expert", "unclipped", "unclipped_oracle"});
      EXPECT_EQ(run_program({"run", path, "--y", "y", "--resume", dir_ / "s", "--quiet"}).exit_code,
                0);
    }
  }
}

TEST_F(RunExtremes, AnErrorBeyondTheLargestNumberIsCalledThat) {
  const std::string most = "1.7976931348623157e308", row = most + "," + most + ",-" + most + "\n";
  const Said said =
      run_program({"run", file("most.csv", "a,b,y\n" + row + row), "--y", "y", "--quiet"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(mentions(said.out, ">1e308"));
  EXPECT_TRUE(mentions(said.out, "beyond the largest number there is"));
}

TEST_F(RunExtremes, AScaleThatLeavesNoNumbersIsRefused) {
  const auto path = file("l.csv", "a,b\n1,2\n2,1\n");
  refuses({"run", path, "--scale", "1e-300"}, {"1e-300", "between"});
  refuses({"run", path, "--scale", "1e305"}, {"1e+305", "between"});
}

}  // namespace
}  // namespace pcgs::test
