// What a study found, as tables for people and as data for other programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/text_table.h"
#include "show/suite_result.h"

namespace pcgs::studies {

struct StudyTables {
  // Name and table, in the order of printing.
  std::vector<std::pair<std::string, io::TextTable>> tables;
  std::vector<io::TextTable> data{};  // each one CSV file; the caption is its name
  std::string remarks{};              // printed below the tables
};

StudyTables tables_of(const results::MainStudy& study);
StudyTables tables_of(const results::HeavyTailStudy& study);
StudyTables tables_of(const results::ScalingStudy& study);
StudyTables tables_of(const results::MechanismStudy& study);
StudyTables tables_of(const results::AblationStudy& study);

// "12.34 ± 0.56"
std::string mean_and_deviation(double mean, double std);

}  // namespace pcgs::studies
