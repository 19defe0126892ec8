#include "run/level_groups.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace pcgs::compare {

namespace {

// Horizon 10 comes after horizon 9, and before "all".
struct BySize {
  using Key = std::pair<bool, double>;  // whether it is a text, else the number
  static Key key(const std::string& text) {
    double number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), last, number);
    const bool is_number = problem == std::errc() && end == last && std::isfinite(number);
    return is_number ? Key(false, number) : Key(true, 0);
  }
  bool operator()(const std::string& a, const std::string& b) const {
    return std::pair<Key, const std::string&>(key(a), a) <
           std::pair<Key, const std::string&>(key(b), b);
  }
};

}  // namespace

std::vector<std::vector<std::size_t>> rounds_by_series(const LevelProblem& problem) {
  std::vector<std::vector<std::size_t>> out(problem.series.size());
  for (std::size_t t = 0; t < problem.rounds.size(); ++t) {
    out[problem.rounds[t].series].push_back(t);
  }
  return out;
}

std::vector<ValueRounds> rounds_by_value(const LevelProblem& problem) {
  std::vector<ValueRounds> out;
  if (problem.by.size() < 2) return out;
  const auto by_series = rounds_by_series(problem);
  for (std::size_t column = 0; column < problem.by.size(); ++column) {
    std::map<std::string, std::vector<std::size_t>, BySize> values;
    for (std::size_t s = 0; s < by_series.size(); ++s) {
      auto& rounds = values[problem.series[s][column]];
      rounds.insert(rounds.end(), by_series[s].begin(), by_series[s].end());
    }
    for (auto& [value, rounds] : values) {
      if (rounds.empty()) continue;  // a state has learned them all before
      std::ranges::sort(rounds);
      out.push_back({column, value, std::move(rounds)});
    }
  }
  return out;
}

}  // namespace pcgs::compare
