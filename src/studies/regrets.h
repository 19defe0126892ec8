// Regrets and their statistics as JSON and as texts, the same in every study.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/paired.h"
#include "suite/tournament.h"

namespace pcgs::studies {

// One method's regrets on the sequences of a tournament.
struct Regrets {
  std::string name;
  std::string chosen;  // in hindsight; empty if it was not
  std::vector<double> values;
};

// Against the exact oracle, in the order of the tournament's entries.
std::vector<Regrets> regrets(const suite::Tournament& tournament);
const Regrets* find(const std::vector<Regrets>& all, const std::string& name);  // or null

// How much of the way from fixed-share* to the limit a mean regret has gone: 0 at fixed-share*, 1
// at the limit. None where either is missing, or the limit is not the lower one.
std::optional<double> share_closed(const std::vector<Regrets>& all, double mean);

nlohmann::ordered_json regrets_json(const std::vector<Regrets>& all);
nlohmann::ordered_json paired_json(const std::string& a, const std::string& b,
                                   const stats::Paired& paired);

// "12.34 ± 0.56"
std::string mean_and_deviation(const std::vector<double>& values);

stats::Bootstrap bootstrap_for(const suite::Tournament& tournament);

}  // namespace pcgs::studies
