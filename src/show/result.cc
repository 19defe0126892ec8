#include "show/result.h"

#include "data/json.h"
#include "data/json_fields.h"
#include "show/kinds.h"

namespace pcgs::results {

template <class Kind>
std::string to_json(const Kind& result, int indent) {
  return io::json_text(encode(result), indent);
}

template std::string to_json(const RunResult&, int);
template std::string to_json(const SeriesResult&, int);
template std::string to_json(const QuantileResult&, int);
template std::string to_json(const MainStudy&, int);
template std::string to_json(const HeavyTailStudy&, int);
template std::string to_json(const ScalingStudy&, int);
template std::string to_json(const MechanismStudy&, int);
template std::string to_json(const AblationStudy&, int);
template std::string to_json(const SuiteResult&, int);
template std::string to_json(const ElectricityResult&, int);
template std::string to_json(const ForecastResult&, int);
template std::string to_json(const OracleResult&, int);
template std::string to_json(const TrainingResult&, int);
template std::string to_json(const Study&, int);
template std::string to_json(const Result&, int);

Result read_result(std::string_view text, std::string_view origin) {
  Result result;
  decode(parse(text, origin), Place(origin), result);
  return result;
}

}  // namespace pcgs::results
