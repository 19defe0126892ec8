#include "state_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "data/progress.h"
#include "option_kinds.h"
#include "pcgs/error.h"
#include "say.h"

namespace pcgs::cli {

CLI::Option* add_state_options(CLI::App& command, StateOptions& options) {
  CLI::Option* save =
      add_text(command, "--save", options.save, "Save the state at the end to this file");
  CLI::Option* resume = add_text(
      command, "--resume", options.resume,
      "Go on from a saved state, with its method, loss and scale, and learn new rows only");
  add_text(command, "--state", options.state,
           "Go on from this state if there is one, and save it again: --resume and --save for a "
           "command that is run again and again")
      ->excludes(save)
      ->excludes(resume);
  command.add_flag(
      "--skip-learned", options.skip_learned,
      "With times: leave out rows up to the last one that the state has learned, which "
      "are refused otherwise");
  return resume;
}

namespace {

// The state that is read, as a file that no output may replace; empty if there is none, or if it is
// the one that is saved again.
std::string resumed_input(const StateOptions& options) {
  std::error_code ignored;
  const bool replaced = std::filesystem::equivalent(options.resume, options.save, ignored);
  return replaced ? std::string() : options.resume;
}

}  // namespace

void settle(StateOptions& options, NamedFiles others, bool quiet) {
  NamedFiles all = others;
  all.outputs.insert(all.outputs.end(), {options.save, options.state});
  all.inputs.push_back(options.resume);
  finish_earlier(all, quiet);  // may give a state its name
  if (!options.state.empty()) {
    options.save = options.state;
    std::error_code ignored;
    if (std::filesystem::exists(options.state, ignored)) options.resume = options.state;
  }
  if (options.skip_learned && options.resume.empty() && options.state.empty()) {
    throw Error("--skip-learned is about rows that a state has learned; give --resume or --state");
  }
  others.outputs.push_back(options.save);
  others.inputs.push_back(resumed_input(options));
  check_distinct(others);
}

CLI::Option* add_time(CLI::App& command, std::string& column) {
  return add_text(command, "--time", column,
                  "The column of times, kept in every output (default: a column of dates, if there "
                  "is one); rows must be in its order");
}

CLI::Option* add_season(CLI::App& command, SeasonOptions& options) {
  CLI::Option* season =
      add_numbers(command, "--season", options.rounds, 2, 262144,
                  "Rounds in a season and in a longer one, whose phases matter: 24,168 for hours "
                  "with days and weeks (default: what the times suggest, none without times)")
          ->each([&options](const std::string&) { options.given = true; });
  command.add_flag("--no-season", options.none, "No phase matters, whatever the times suggest")
      ->excludes(season)
      ->each([&options](const std::string&) { options.given = true; });
  return season;
}

void add_number_signs(CLI::App& command, NumberSigns& signs) {
  add_text(command, "--decimal", signs.decimal, "The decimal sign of numbers: , or . (default .)")
      ->check(CLI::IsMember({",", "."}));
  add_text(command, "--thousands", signs.thousands,
           "The sign between thousands: , . ' _ or a space (default: none)")
      ->check(CLI::IsMember({",", ".", "'", "_", " "}));
}

io::NumberFormat number_format(const NumberSigns& signs) {
  io::NumberFormat format;
  if (!signs.decimal.empty()) format.decimal = signs.decimal.front();
  if (!signs.thousands.empty()) format.thousands = signs.thousands.front();
  return format;
}

TellNote notes(bool quiet) {
  if (quiet) return {};
  return [](const Note& note) { complain(note.in_words_of(program_words())); };
}

std::function<void(std::size_t, std::size_t)> progress_of(const std::string& label, bool quiet) {
  struct Told {
    io::Advance advance;  // from the first call on
    std::size_t played = 0;
  };
  return [label, quiet, told = std::make_shared<Told>()](std::size_t played, std::size_t all) {
    if (!told->advance) told->advance = io::progress_bars(quiet)(label, all);
    told->advance(played - told->played);
    told->played = played;
  };
}

}  // namespace pcgs::cli
