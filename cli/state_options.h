// What pcgs run and pcgs forecast have in common: times, signs in numbers, states and notes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "data/csv.h"
#include "loss_options.h"
#include "outputs.h"
#include "pcgs/note.h"

namespace pcgs::cli {

struct StateOptions {
  std::string save, resume, state;
  bool skip_learned = false;
};
// Returns --resume.
CLI::Option* add_state_options(CLI::App& command, StateOptions& options);
// --state becomes --resume, if there is a file, and --save. Before that, what an earlier command left
// beside these or the other files of the command is finished. Throws Error for --skip-learned without a
// state, and for an output that is named twice or is read.
void settle(StateOptions& options, NamedFiles others, bool quiet);
// --time.
CLI::Option* add_time(CLI::App& command, std::string& column);

// --season and --no-season.
struct SeasonOptions {
  std::vector<std::size_t> rounds;  // the shortest first
  bool none = false;
  bool given = false;  // one of the two
};
CLI::Option* add_season(CLI::App& command, SeasonOptions& options);
// --decimal and --thousands; empty: a point, and none.
struct NumberSigns {
  std::string decimal, thousands;
};
void add_number_signs(CLI::App& command, NumberSigns& signs);
io::NumberFormat number_format(const NumberSigns& signs);

// Told on standard error, where nobody's program reads it; none if `quiet`.
TellNote notes(bool quiet);

// A bar for a run, which is told how much has been played of all; none if `quiet`.
std::function<void(std::size_t played, std::size_t all)> progress_of(const std::string& label,
                                                                     bool quiet);

}  // namespace pcgs::cli
