// The charts that somebody who forecasts sees first.
#pragma once

#include <string>

#include "show/blocks.h"
#include "show/forecast_answer.h"
#include "show/forecaster_view.h"

namespace pcgs::report {

Chart weights_chart(const results::ForecastAnswer& answer);
// What the combination has gained so far.
Chart gains_chart(const ForecasterView& view);
// The combination beside the best model and equal weights at hours, weekdays and months.
Choice bins_choice(const ForecasterView& view, const std::string& measure);
// The latest forecasts with their intervals, and those to come.
Chart latest_chart(const ForecasterView& view);
// How many outcomes the intervals held, over time.
Chart held_chart(const ForecasterView& view);

}  // namespace pcgs::report
