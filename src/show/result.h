// What a command of pcgs found: one struct for each kind, to and from JSON.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "show/electricity_result.h"
#include "show/forecast_result.h"
#include "show/oracle_result.h"
#include "show/quantile_result.h"
#include "show/run_result.h"
#include "show/series_result.h"
#include "show/suite_result.h"
#include "show/training_result.h"

namespace pcgs::results {

// In the order in which a report shows them.
using Result = std::variant<RunResult, SeriesResult, QuantileResult, ElectricityResult,
                            ForecastResult, MainStudy, HeavyTailStudy, ScalingStudy, AblationStudy,
                            MechanismStudy, SuiteResult, OracleResult, TrainingResult>;

// JSON as the program prints it, for one kind or for a Result. `indent` -1: on one line.
template <class Kind>
std::string to_json(const Kind& result, int indent = -1);

// The result that a JSON text holds, by the kind it names. Throws Error, one sentence with `origin`
// and the field that is wrong, for anything else, however it was made.
Result read_result(std::string_view text, std::string_view origin);

}  // namespace pcgs::results
