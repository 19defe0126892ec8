// One function per subcommand: declares its options and what runs when it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace pcgs::cli {

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

}  // namespace pcgs::cli
