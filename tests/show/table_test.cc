// One table in a terminal and on a page.
#include "show/table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "show/forecast_answer.h"

namespace pcgs::show {
namespace {

Table a_table() {
  Table table;
  table.head = {
      {"model", "name"}, {"RMSE", "rmse"}, {"proved", "bound", true}, {"rounds", "rounds"}};
  table.rows = {{{"ets"}, number(1.0625, "{:.2f}"), number(9.5, "{:.1f}"), whole(12)},
                {{"a, b"}, number(NAN, "{:.2f}"), {}, whole(3)}};
  return table;
}

TEST(Table, LeavesWideColumnsOutOfATerminalAndMarksWhatIsMissing) {
  EXPECT_EQ(text(a_table()),
            "model  RMSE  rounds\n"
            "ets    1.06      12\n"
            "a, b      -       3\n");
}

TEST(Table, BringsColumnsForwardWithTheirCells) {
  Table table = a_table();
  table.bring_forward({"rounds", "nowhere", "rmse"});
  std::vector<std::string> names, cells;
  for (const auto& column : table.head) names.push_back(column.key);
  for (const auto& cell : table.rows[0]) cells.push_back(cell.text);
  EXPECT_EQ(names, (std::vector<std::string>{"name", "rounds", "rmse", "bound"}));
  EXPECT_EQ(cells, (std::vector<std::string>{"ets", "12", "1.06", "9.5"}));
}

TEST(Table, DropsWideColumnsThatNothingStandsIn) {
  Table table = a_table();
  table.drop_empty_columns();
  EXPECT_EQ(table.head.size(), 4u);
  table.rows[0][2] = {};
  table.drop_empty_columns();
  EXPECT_EQ(table.head.size(), 3u);
  EXPECT_EQ(table.rows[1].size(), 3u);
}

// Whoever adds a column to kErrorColumns has it in the table and, with its member, in JSON.
TEST(ErrorsTable, HasEveryColumnThatItsMeasureHas) {
  results::ForecastAnswer answer;
  answer.measure = "log loss";
  answer.errors = {{"blend", "method", 5, 12.3456, 9.5, 0.04, -0.5, 0.25, {}},
                   {"ets", "expert", 5, 13.5, 10, 0.05, 0.5, {}, -6.25}};
  const Table table = results::errors_table(answer);
  EXPECT_EQ(table.head.size(), 2 + std::size(results::kErrorColumns));
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.head.size());
  EXPECT_EQ(table.rows[0][0].exact, "blend");
  EXPECT_EQ(table.rows[0][2].text, "12.35");
  EXPECT_EQ(table.rows[1][1].text, "infinite");
  EXPECT_EQ(table.rows[1][4].text, "5.00 %");
  answer.measure = "WIS";
  answer.errors[0].mape = answer.errors[1].mape = {};
  EXPECT_EQ(results::errors_table(answer).head.size(), 4u);  // name, WIS, difference, rounds
}

}  // namespace
}  // namespace pcgs::show
