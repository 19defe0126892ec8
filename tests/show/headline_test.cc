#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

#include "show/forecast_answer.h"
#include "support/expect.h"

namespace pcgs::results {
namespace {

using test::mentions;

ForecastAnswer answer() {
  ForecastAnswer answer;
  answer.measure = "RMSE";
  answer.errors = {{"blend", "method", 500, 12.345, 9.5, {}, 0.5, {}, {}},
                   {"equal weights", "reference", 500, 14.35, 11, {}, 0.5, {}, -14.0},
                   {"arima", "expert", 500, 13.16, 10, {}, 0.5, {}, -6.2}};
  answer.beside_best = {"arima", 500, -6.2, {-9.04, -3.26}, 0.001};
  answer.beside_equal = {"equal weights", 500, -14.0, {-20, -8}, 0.001};
  return answer;
}

TEST(Headline, ReadsAsASentence) {
  EXPECT_EQ(
      headline(answer()),
      "The combination's error (RMSE 12.35) was 6.2 % below that of your best model, arima, and "
      "14 % below that of equal weights.");
}

TEST(Headline, SaysOnHowManyRoundsTheBestModelForecast) {
  for (const auto& [rounds, said] : {std::pair{500U, false}, {490U, false}, {300U, true}}) {
    ForecastAnswer rarely = answer();
    rarely.beside_best->rounds = rounds;
    EXPECT_EQ(headline(rarely).find("300 of 500 rounds") != std::string::npos, said) << rounds;
    EXPECT_EQ(headline(rarely).find("rounds") != std::string::npos, said) << rounds;
  }
}

TEST(Headline, ErrorsHaveFourDigitsAndHardlyEverAnExponent) {
  for (const auto& [error, text] : {std::pair{12.345, "12.35"},
                                    {0.000125, "0.000125"},
                                    {9999.4, "9999"},
                                    {9999.6, "10000"},
                                    {1234567.8, "1234568"},
                                    {-43210.0, "-43210"},
                                    {1e20, "1e+20"}}) {
    EXPECT_EQ(error_text(error), text);
  }
}

TEST(Headline, SaysWhenAnErrorIsTooLargeForANumber) {
  ForecastAnswer large = answer();
  large.errors[0].rmse.reset();
  EXPECT_TRUE(mentions(headline(large), "(RMSE) is beyond the largest number"));
  large.measure = "log loss";
  EXPECT_TRUE(mentions(headline(large), "log loss is infinite"));
}

TEST(Headline, SaysWhenThereIsNothingToSay) {
  ForecastAnswer alone = answer();
  alone.beside_best.reset();
  EXPECT_TRUE(mentions(headline(alone), "nothing to be compared with"));
  EXPECT_EQ(sureness(alone), "");
  ForecastAnswer nothing = answer();
  nothing.errors[0].rounds = 0;
  EXPECT_EQ(headline(nothing), "No outcome is known yet, so no error is.");
}

TEST(Headline, DifferencesAreBelowAboveOrNone) {
  for (const auto& [difference, text] : {std::pair{-6.2, "6.2 % below"},
                                         {0.3, "0.3 % above"},
                                         {0.0, "the same as"},
                                         {-0.049, "the same as"},
                                         {-14.4, "14 % below"},
                                         {250.0, "250 % above"},
                                         {9.96, "10 % above"},
                                         {9.94, "9.9 % above"}}) {
    EXPECT_EQ(difference_text(difference), text) << difference;
  }
}

TEST(Sureness, IsMoreThanChanceWhereTheIntervalLeavesOutZero) {
  EXPECT_EQ(sureness(answer()),
            "That is more than chance: the difference to arima is, with 95 % confidence, 3.3 % to "
            "9.0 % below.");
  for (const auto& [low, high, how, between] :
       {std::tuple{2.0, 11.0, "more than chance", "2.0 % to 11 % above"},
        {-3.0, 1.0, "may be chance", "between 3.0 % below and 1.0 % above"}}) {
    ForecastAnswer other = answer();
    other.beside_best->interval = {low, high};
    EXPECT_TRUE(mentions(sureness(other), how));
    EXPECT_TRUE(mentions(sureness(other), between));
  }
  ForecastAnswer few = answer();
  few.beside_best->interval.clear();
  EXPECT_EQ(sureness(few), "");
}

TEST(AnswerText, ShowsErrorsTheHeadlineWhatComesAndTheWeights) {
  ForecastAnswer full = answer();
  full.next = {{"2026-03-01", 501, 17.25, {{{"0.8", {15, 19.5}}}}}};
  full.weights_now.by_name = {{"arima", 0.25}, {"ets", 0.75}};
  full.rounds_without_outcome = 1;
  const std::string text = answer_text(full, "a caption");
  EXPECT_EQ(text.find("a caption"), 0u);
  for (const std::string& part :
       {headline(full), sureness(full), std::string("12.3"), std::string("-6.2 %"),
        std::string("2026-03-01  17.25   80 %: 15 to 19.5"),
        std::string("weights now: ets 0.75, arima 0.25"),
        std::string("1 row without an outcome")}) {
    EXPECT_TRUE(mentions(text, part));
  }
  EXPECT_EQ(text.find("MAPE"), std::string::npos) << "nobody has one";
}

}  // namespace
}  // namespace pcgs::results
