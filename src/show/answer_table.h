// What a forecaster asks first, as tables and as text for a terminal: of points and of quantiles alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "show/forecast_answer.h"
#include "show/table.h"

namespace pcgs::results {

// Four digits; ">1e308" for what no double holds, though there was a round.
show::Cell error_cell(const std::optional<double>& error);

// A row for each line of the answer, the combination first. Columns are those of kErrorColumns.
show::Table errors_table(const ForecastAnswer& answer);
// Leaves the first so many models. Returns how many it left out.
std::size_t keep_models(show::Table& table, const ForecastAnswer& answer, std::size_t most);

// The table of errors and what it comes to in a sentence or two; empty lines are left out.
std::string errors_text(const ForecastAnswer& answer, show::Table table);
// Some lines under a title, and how many more there are.
std::string first_lines(const std::string& title, const std::vector<std::string>& lines);
// The whole answer. `caption` stands above.
std::string answer_text(const ForecastAnswer& answer, const std::string& caption);

// "weights now: ets 0.62, arima 0.38", the largest first; empty where there are none.
std::string weights_text(const ByName<double>& weights);

// The best mixture of constant weights, which is found in hindsight.
bool is_mix(const ErrorLine& line);

}  // namespace pcgs::results
