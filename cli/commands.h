// One function per subcommand: declares its options and what runs when it is chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace pcgs::cli {

void add_run(CLI::App& app);
void add_oracle(CLI::App& app);
void add_certify(CLI::App& app);
void add_suite(CLI::App& app);
void add_forecast(CLI::App& app);
void add_electricity(CLI::App& app);
void add_report(CLI::App& app);
void add_methods(CLI::App& app);

}  // namespace pcgs::cli
