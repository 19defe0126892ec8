// What is refused: requests that contradict themselves, methods that cannot be played, numbers that nobody
// can learn from and columns that are hardly forecasts. And what is meant where a request says nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pcgs/run.h"

namespace pcgs::compare {

// Throws Error of kind kRequest, which names the field, where fields contradict each other.
void check_request(const Request& request);

// Rising; 0.8 and 0.95 where the request says nothing.
std::vector<double> interval_levels(const Request& request);

// ---- Methods ------------------------------------------------------------------------------------

// What a user asked for.
struct MethodRequest {
  std::vector<std::string> methods;    // {"all"}, or specs; empty for the default
  std::string model{};                 // weights in the place of pcgs-tf's; may be empty
  bool forecasts = false;              // there are forecasts, not losses alone
  std::vector<std::size_t> seasons{};  // for methods that know what to do with them
};

// Every registered method that can be played on losses, and the starred ones; with forecasts also
// the default for them, last.
std::vector<std::string> all_methods(bool forecasts);
std::vector<std::string> methods_from(const MethodRequest& request);
// The same methods as the user wrote them, without what the model and the seasons add.
std::vector<std::string> names_from(const MethodRequest& request);
// Throws Error for a method that does not exist, that is named twice, that needs forecasts where
// there are none, or that needs another number of side information than `side` numbers a round.
struct MethodSetting {
  std::size_t experts = 0;
  std::size_t side = 0;
  bool forecasts = false;
};
void check_methods(const std::vector<std::string>& methods, const MethodSetting& setting);

// ---- Numbers ------------------------------------------------------------------------------------

// Throws Error unless every number is one the methods can learn from, naming the place where it is
// not; `outcome_name` is that of the outcomes, if there are any.
void check_values(const Problem& problem, const std::string& outcome_name);

// Throws Error for an expert that is hardly anybody's forecast: one that equals the outcome in every
// round, and, unless the models were `named`, one that never changes or counts the rows. More often
// than not these were meant for something else. A few rounds are no evidence, but for a column that
// has the name of the outcome.
void check_columns(const Problem& problem, const std::string& outcome, bool named);

// Tells of experts who now and then say 0 where all others are far from it: more often than not a
// forecast that is missing.
void note_zeros(const Problem& problem, const TellNote& tell);

}  // namespace pcgs::compare
