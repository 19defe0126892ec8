// The fields of each kind of result, for result.cc and for kinds that hold others.
#pragma once

#include <vector>

#include "data/json_fields.h"
#include "show/study_parts.h"

namespace pcgs::results {

struct AblationStudy;
struct Difference;
struct ElectricityResult;
struct ErrorLine;
struct ForecastAnswer;
struct ForecastResult;
struct HeavyTailStudy;
struct MainStudy;
struct MechanismStudy;
struct OracleResult;
struct QuantileResult;
struct RunResult;
struct ScalingStudy;
struct SeriesResult;
struct SuiteResult;
struct TimeSpan;
struct TrainingCourse;
struct TrainingResult;

void fields(Fields& f, AblationStudy& study);
void fields(Fields& f, ElectricityResult& study);
void fields(Fields& f, Difference& difference);
void fields(Fields& f, ErrorLine& line);
void fields(Fields& f, TimeSpan& times);
void fields(Fields& f, ForecastAnswer& answer);
void fields(Fields& f, ForecastResult& forecast);
void fields(Fields& f, HeavyTailStudy& study);
void fields(Fields& f, MainStudy& study);
void fields(Fields& f, MechanismStudy& study);
void fields(Fields& f, OracleResult& oracle);
void fields(Fields& f, QuantileResult& result);
void fields(Fields& f, RunResult& run);
void fields(Fields& f, ScalingStudy& study);
void fields(Fields& f, SeriesResult& result);
void fields(Fields& f, SuiteResult& suite);
void fields(Fields& f, TrainingCourse& course);
void fields(Fields& f, TrainingResult& training);

void fields(Fields& f, StudyConfig& config);
void fields(Fields& f, Timing& timing);
void fields(Fields& f, Spread& spread);
void fields(Fields& f, MethodRegret& method);
void fields(Fields& f, MethodPair& pair);

// What every study has around its families, cells or pools.
template <class Study, class Entry>
void study_fields(Fields& f, Study& study, const char* key, std::vector<Entry>& entries) {
  f("config", study.config, key, entries);
  f.unless_empty("timing", study.timing);
  f.require(!entries.empty(), key, "is empty");
}

// There are methods, and each has a regret for every sequence.
void require_regrets(const Fields& f, const PlayedMethods& played);

}  // namespace pcgs::results
