// What pcgs run and pcgs forecast have in common: times, signs in numbers, states and notes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "compare/clock.h"
#include "io/number.h"

namespace pcgs::cli {

struct StateOptions {
  std::string save, resume, state;
  bool skip_learned = false;
};
struct StateFlags {
  CLI::Option *save, *resume;
};
StateFlags add_state_options(CLI::App& command, StateOptions& options);
// --state becomes --resume, if there is a file, and --save. Throws Error for --skip-learned without a
// state.
void settle(StateOptions& options);

// --time.
CLI::Option* add_time(CLI::App& command, std::string& column);

// --decimal and --thousands; empty: a point, and none.
struct NumberSigns {
  std::string decimal, thousands;
};
void add_number_signs(CLI::App& command, NumberSigns& signs);
io::NumberFormat number_format(const NumberSigns& signs);

// Told on standard error, where nobody's program reads it; none if `quiet`.
compare::Note notes(bool quiet);

}  // namespace pcgs::cli
