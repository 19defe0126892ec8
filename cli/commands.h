// What commands are made of: how each begins, the options that several of them have, and the files that they write.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/output_files.h"
#include "pcgs/losses.h"
#include "pcgs/note.h"

namespace pcgs::cli {

// One function per subcommand: declares its options and what runs when it is chosen.
void add_run(CLI::App& app);
void add_oracle(CLI::App& app);
void add_certify(CLI::App& app);
void add_suite(CLI::App& app);
void add_forecast(CLI::App& app);
void add_electricity(CLI::App& app);
void add_report(CLI::App& app);
void add_methods(CLI::App& app);
void add_serve(CLI::App& app);
void add_worker(CLI::App& app);

// How each of them begins: a subcommand, and the options that `run` is called with if it is chosen.
// They live as long as the subcommand.
template <class Options>
auto add_command(CLI::App& app, const std::string& name, const std::string& summary,
                 void (*run)(Options&)) {
  const auto options = std::make_shared<std::remove_const_t<Options>>();
  CLI::App* command = app.add_subcommand(name, summary);
  command->callback([options, run] { run(*options); });
  return std::pair<CLI::App&, std::remove_const_t<Options>*>(*command, options.get());
}

// Refuses an empty value: more often than not a shell variable that was never set.
CLI::Validator not_empty();

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& meaning);
CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& meaning);
// Comma-separated.
CLI::Option* add_names(CLI::App& command, const std::string& name, std::vector<std::string>& value,
                       const std::string& meaning);
CLI::Option* add_numbers(CLI::App& command, const std::string& name,
                         std::vector<std::size_t>& value, std::size_t low, std::size_t high,
                         const std::string& meaning);
CLI::Option* add_number(CLI::App& command, const std::string& name, std::size_t& value,
                        std::size_t low, std::size_t high, const std::string& meaning);

// --switches, which already holds the usual budgets.
CLI::Option* add_switches(CLI::App& command, std::vector<std::size_t>& value);
// --switch-cost.
CLI::Option* add_switch_cost(CLI::App& command, std::optional<double>& value,
                             const std::string& meaning);
// --model: weights of pcgs-tf.
CLI::Option* add_model(CLI::App& command, std::string& path);
// --report FILE.
CLI::Option* add_report_option(CLI::App& command, std::string& path);
// --json and --quiet.
void add_printing(CLI::App& command, bool& json, bool& quiet, const std::string& instead_of);

// The options that say what forecasts are judged by and how losses come into [0,1].
struct LossOptions {
  std::string loss = "squared";
  bool given = false;  // the loss, and not its default
  double tau = 0;      // 0: not given
  std::string scale;   // empty, or as LossScale::from takes it
};

// Accepts these names of losses. `when_automatic` is said of --scale auto.
void add_loss_options(CLI::App& command, LossOptions& options,
                      const std::vector<std::string>& losses, const std::string& when_automatic);
TaskLoss chosen_task(const LossOptions& options);

// The names that a command was given. Empty names and - are no files; an input may be a folder.
struct NamedFiles {
  std::vector<std::string> outputs;
  std::vector<std::string> inputs;
};

// Comes before anything is read: if an earlier command was killed while it put its files in place,
// beside these, finishes that. Says so on standard error, a line each, and names temporaries of our
// outputs that such a command left; all that only where not `quiet`. What cannot be finished is always
// said.
void finish_earlier(const NamedFiles& files, bool quiet);

// Throws Error if an output is also an input or another output, by whatever name.
void check_distinct(const NamedFiles& files);

// What --report asks for. Nothing where no page is asked for; throws Error where this build makes none.
WholeFile* add_page(OutputSet& outputs, const std::string& path);

struct StateOptions {
  std::string save, resume, state;
  bool skip_learned = false;
};
void add_state_options(CLI::App& command, StateOptions& options);
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
// --decimal and --thousands.
void add_number_signs(CLI::App& command, char& decimal, char& thousands);

// Told on standard error, where nobody's program reads it; none if `quiet`.
TellNote notes(bool quiet);

// A bar for a run, which is told how much has been played of all; none if `quiet`.
std::function<void(std::size_t played, std::size_t all)> progress_of(const std::string& label,
                                                                     bool quiet);

}  // namespace pcgs::cli
