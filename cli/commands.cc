#include "commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "data/progress.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "say.h"
#include "show/report.h"

namespace pcgs::cli {

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& value) {
        return value.empty() ? std::string("is empty; give a value or leave it out") : "";
      },
      "");
}

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& meaning) {
  return command.add_option(name, value, meaning)->check(not_empty())->type_name("TEXT");
}

CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& meaning) {
  return add_text(command, name, value, meaning)->type_name("FILE");
}

CLI::Option* add_names(CLI::App& command, const std::string& name, std::vector<std::string>& value,
                       const std::string& meaning) {
  return command.add_option(name, value, meaning)
      ->delimiter(',')
      ->check(not_empty())
      ->type_name("NAMES");
}

CLI::Option* add_numbers(CLI::App& command, const std::string& name,
                         std::vector<std::size_t>& value, std::size_t low, std::size_t high,
                         const std::string& meaning) {
  return command.add_option(name, value, meaning)
      ->delimiter(',')
      ->check(CLI::Range(low, high))
      ->type_name("NUMBERS");
}

CLI::Option* add_number(CLI::App& command, const std::string& name, std::size_t& value,
                        std::size_t low, std::size_t high, const std::string& meaning) {
  return command.add_option(name, value, meaning)
      ->check(CLI::Range(low, high))
      ->type_name("NUMBER");
}

CLI::Option* add_switches(CLI::App& command, std::vector<std::size_t>& value) {
  return add_numbers(
             command, "--switches", value, 0, 1000000,
             "Switch budgets of the oracle that regret is measured against, comma-separated")
      ->default_str(fmt::format("{}", fmt::join(value, ",")));
}

CLI::Option* add_switch_cost(CLI::App& command, std::optional<double>& value,
                             const std::string& meaning) {
  return command.add_option("--switch-cost", value, meaning)
      ->check(CLI::Range(0.0, kMostSwitchCost, "a number from 0 to 1e290"))
      ->type_name("NUMBER");
}

CLI::Option* add_model(CLI::App& command, std::string& path) {
  return add_text(command, "--model", path,
                  "Weights of pcgs-tf, also inside guard, or of pcgs-tf:combine, also inside blend "
                  "(.safetensors), instead of the shipped ones");
}

CLI::Option* add_report_option(CLI::App& command, std::string& path) {
  return add_file(command, "--report", path,
                  "Write one HTML page with tables and charts; it holds everything it needs");
}

void add_printing(CLI::App& command, bool& json, bool& quiet, const std::string& instead_of) {
  command.add_flag("--json", json, fmt::format("Print one JSON object instead{}", instead_of));
  command.add_flag("--quiet", quiet, "No progress bar");
}

void add_loss_options(CLI::App& command, LossOptions& options,
                      const std::vector<std::string>& losses, const std::string& when_automatic) {
  command.add_option("--loss", options.loss, "What forecasts are judged by")
      ->check(CLI::IsMember(losses))
      ->capture_default_str()
      ->each([&options](const std::string&) { options.given = true; });
  command.add_option("--tau", options.tau, "Level of the pinball loss (0.5)")
      ->check(CLI::Range(1e-9, 1 - 1e-9))
      ->type_name("NUMBER");
  add_text(command, "--scale", options.scale,
           fmt::format("Divide losses by this number and cap them at 1; auto follows them, twenty "
                       "times a typical loss ({}). catoni:NUMBER and catoni:auto bend them to 1 "
                       "instead of capping them",
                       when_automatic));
}

TaskLoss chosen_task(const LossOptions& options) {
  if (options.tau > 0 && options.loss != "pinball") {
    throw Error(ErrorKind::kRequest, {.field = "tau"},
                fmt::format("{} is the level of the pinball loss; give {}, or leave it out",
                            option("tau"), option("loss", "pinball")));
  }
  return TaskLoss(options.loss, options.tau > 0 ? options.tau : 0.5);
}

namespace {

bool is_name(const std::string& name) { return !name.empty() && name != "-"; }

}  // namespace

void finish_earlier(const NamedFiles& files, bool quiet) {
  std::vector<std::string> outputs, folders;
  const auto add = [&](const std::string& name) {
    std::error_code ignored;
    const std::string folder =
        std::filesystem::is_directory(name, ignored) ? place_of(name) : folder_of(place_of(name));
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  };
  for (const auto& name : files.outputs) {
    if (!is_name(name)) continue;
    outputs.push_back(name);
    add(name);
  }
  for (const auto& name : files.inputs) {
    if (is_name(name)) add(name);
  }
  const Recovery recovery = recover_outputs(folders);
  for (const auto& sentence : recovery.left) complain(sentence);
  if (quiet) return;
  for (const auto& sentence : recovery.done) complain(sentence);
  if (const auto stale = stale_temporaries(outputs); !stale.empty()) {
    complain(fmt::format("a command that was killed left {}; nobody needs {}",
                         fmt::join(stale, ", "), stale.size() == 1 ? "it" : "them"));
  }
}

void check_distinct(const NamedFiles& files) {
  std::set<std::string> taken;
  for (const auto& name : files.inputs) {
    if (is_name(name)) taken.insert(place_of(name));
  }
  for (const auto& name : files.outputs) {
    if (is_name(name) && !taken.insert(place_of(name)).second) {
      throw Error(fmt::format("{}: is named twice; give each output a file of its own", name));
    }
  }
}

WholeFile* add_page(OutputSet& outputs, const std::string& path) {
  if (path.empty()) return nullptr;
  report::require_available();
  return &outputs.add(path);
}

void add_state_options(CLI::App& command, StateOptions& options) {
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

void add_number_signs(CLI::App& command, char& decimal, char& thousands) {
  const auto add = [&](const char* name, char& sign, const char* meaning,
                       std::vector<std::string> signs) {
    const auto keep = [&sign](const std::string& given) { sign = given.front(); };
    command.add_option_function<std::string>(name, keep, meaning)
        ->check(not_empty())
        ->type_name("TEXT")
        ->check(CLI::IsMember(std::move(signs)));
  };
  add("--decimal", decimal, "The decimal sign of numbers: , or . (default .)", {",", "."});
  add("--thousands", thousands, "The sign between thousands: , . ' _ or a space (default: none)",
      {",", ".", "'", "_", " "});
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
