#include "run/read_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs::compare {
namespace {

using Names = std::vector<std::string>;

class ReadProblem : public ::testing::Test {
 protected:
  std::string file(const std::string& text) const {
    std::ofstream(dir_ / "f.csv") << text;
    return dir_ / "f.csv";
  }
  std::vector<Series> read(const std::string& text, const ProblemColumns& columns) const {
    return read_series(file(text), columns);
  }
  std::string refused(const std::string& text, const ProblemColumns& columns) const {
    return test::error_of([&] { read(text, columns); });
  }

  const test::TempDir dir_;
};

ProblemColumns of(const std::string& outcome) {
  ProblemColumns columns;
  columns.outcome = outcome;
  return columns;
}

TEST_F(ReadProblem, TellsExpertsOutcomesTimesAndSideInformationApart) {
  ProblemColumns columns = of("y");
  columns.side = {"temperature"};
  columns.ignore = {"comment"};
  const auto series =
      read("a,day,y,temperature,comment,b\n1,2026-03-01,2,20,x,3\n4,2026-03-02,,21,y,\n", columns);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_TRUE(series[0].key.empty());
  const Problem& problem = series[0].problem;
  EXPECT_EQ(problem.experts, (Names{"a", "b"}));
  EXPECT_EQ(problem.rounds(), 2u);
  EXPECT_EQ(problem.values.row(0)[1], 3);
  EXPECT_TRUE(std::isnan(problem.values.row(1)[1]));
  EXPECT_EQ(problem.outcomes[0], 2);
  EXPECT_TRUE(std::isnan(problem.outcomes[1]));
  EXPECT_EQ(problem.known(), 1u);
  EXPECT_EQ(problem.side.row(1)[0], 21);
  ASSERT_TRUE(problem.times);
  EXPECT_EQ(problem.times->text.name, "day");
  EXPECT_TRUE(problem.times->calendar);
  EXPECT_EQ(problem.times->text[1], "2026-03-02");
  EXPECT_EQ(problem.file_row(1), 2u);
}

TEST_F(ReadProblem, ColumnsAreCombinedInTheOrderOfExperts) {
  ProblemColumns columns = of("y");
  columns.experts = {"c", "a"};
  const auto series = read("a,y,b,c\n1,2,text,3\n", columns);
  EXPECT_EQ(series[0].problem.experts, (Names{"c", "a"}));
  EXPECT_EQ(series[0].problem.values.row(0)[0], 3);
}

TEST_F(ReadProblem, TellsSeriesApartInTheOrderInWhichTheyAppear) {
  ProblemColumns columns = of("y");
  columns.by = {"store", "item"};
  columns.time = "t";
  const auto series = read(
      "t,store,item,y,a,b\n1,2,milk,1,1,2\n1,10,milk,2,3,4\n2,10,milk,3,5,6\n1,2,bread,4,7,8\n2,2,"
      "milk,5,9,10\n",
      columns);
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].key, (Names{"2", "milk"}));
  EXPECT_EQ(series[1].key, (Names{"10", "milk"}));
  EXPECT_EQ(series[2].key, (Names{"2", "bread"}));
  const Problem& first = series[0].problem;
  ASSERT_EQ(first.rounds(), 2u);
  EXPECT_EQ(first.rows, (std::vector<std::size_t>{1, 5}));
  EXPECT_EQ(first.values.row(1)[1], 10);
  EXPECT_EQ(first.outcomes[1], 5);
  EXPECT_EQ(first.times->text[1], "2");
  EXPECT_EQ(series[2].problem.rows, (std::vector<std::size_t>{4}));
}

TEST_F(ReadProblem, LongFormatIsTheSameProblemAsWide) {
  ProblemColumns wide = of("y"), long_format = of("y");
  wide.by = long_format.by = {"s"};
  wide.time = long_format.time = "t";
  long_format.expert_column = "model";
  const auto a = read("t,s,y,m,n\n1,u,1,2,3\n2,u,4,5,\n1,v,,6,7\n", wide);
  const auto b = read("model,t,forecast,s,y\nm,1,2,u,1\nn,1,3,u,1\nm,2,5,u,4\nn,1,7,v,\nm,1,6,v,\n",
                      long_format);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].key, b[i].key);
    EXPECT_EQ(a[i].problem.experts, b[i].problem.experts);
    EXPECT_TRUE(test::same_bits(a[i].problem.values.values, b[i].problem.values.values)) << i;
    EXPECT_TRUE(test::same_bits(a[i].problem.outcomes, b[i].problem.outcomes)) << i;
    EXPECT_EQ(a[i].problem.times->at, b[i].problem.times->at);
  }
}

TEST_F(ReadProblem, AColumnHasOneRole) {
  const std::string text = "t,s,y,a\n1,u,1,2\n";
  ProblemColumns columns = of("y");
  columns.time = "y";
  EXPECT_TRUE(test::mentions(refused(text, columns), "--time"));
  columns = of("y");
  columns.by = {"s", "s"};
  EXPECT_TRUE(test::mentions(refused(text, columns), "--by"));
  columns = of("y");
  columns.side = {"y"};
  EXPECT_TRUE(test::mentions(refused(text, columns), "--side"));
  columns = of("y");
  columns.by = {"s"};
  columns.expert_column = "s";
  EXPECT_TRUE(test::mentions(refused(text, columns), "--expert-column"));
}

TEST_F(ReadProblem, RefusesWhatIsNotThereByName) {
  for (const auto& columns : {of("z")}) {
    const auto message = refused("y,a\n1,2\n", columns);
    EXPECT_TRUE(test::mentions(message, "f.csv"));
    EXPECT_TRUE(test::mentions(message, "z"));
  }
  EXPECT_TRUE(test::mentions(refused("y\n1\n", of("y")), "no column is left"));
}

TEST_F(ReadProblem, DoubtsAColumnUnlessItIsNamed) {
  std::string text = "id,y,a\n";
  for (int t = 0; t < 30; ++t) {
    text += std::to_string(1000 + t) + "," + std::to_string(t * t % 7) + "," +
            std::to_string(t % 5) + "\n";
  }
  EXPECT_TRUE(test::mentions(refused(text, of("y")), "column id counts the rows"));
  ProblemColumns named = of("y");
  named.experts = {"id", "a"};
  EXPECT_EQ(read(text, named)[0].problem.experts, (Names{"id", "a"}));
  ProblemColumns ignored = of("y");
  ignored.ignore = {"id"};
  EXPECT_EQ(read(text, ignored)[0].problem.experts, (Names{"a"}));
}

}  // namespace
}  // namespace pcgs::compare
