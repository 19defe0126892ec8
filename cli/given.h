// Refuses an empty value: more often than not a shell variable that was never set.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace pcgs::cli {

inline CLI::Validator given() {
  return CLI::Validator(
      [](std::string& value) {
        return value.empty() ? std::string("is empty; give a value or leave it out") : "";
      },
      "");
}

}  // namespace pcgs::cli
