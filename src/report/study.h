// Reading the results of studies: the entries of one family, cell or pool.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pcgs::report {

using nlohmann::ordered_json;

// The object of this name in an array of objects; null if there is none.
const ordered_json* named(const ordered_json& array, const std::string& name);

// The same where there must be one: throws JSON's own exception if there is none.
const ordered_json& present(const ordered_json& array, const std::string& name);

// a against b; null if they were not compared.
const ordered_json* comparison(const ordered_json& entry, const std::string& a,
                               const std::string& b);

// The names of the methods of the first entry.
std::vector<std::string> method_names(const ordered_json& entries);

// The fixed comparator of all studies, tuned in hindsight, and the limit that nobody can beat.
inline constexpr const char* kTuned = "fixed-share*";
inline constexpr const char* kLimit = "bayes";
// Chosen in hindsight, or knowing the law: not among those who can win.
bool playable(const std::string& method);

// The last of a result's switch budgets.
std::size_t last_budget(const ordered_json& result);

// "12 switches, 20 sequences of 600 rounds and 32 experts, seed 7"
std::string setting(const ordered_json& study);

}  // namespace pcgs::report
