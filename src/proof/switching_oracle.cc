#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "proof/sweep.h"

namespace pcgs {

std::vector<double> switching_oracle(MatrixView losses, std::size_t max_switches,
                                     std::size_t threads, double switch_cost) {
  return switching_oracle(oracle::MatrixRows(losses), max_switches, threads, switch_cost);
}

std::vector<double> switching_oracle(const LossRows& losses, std::size_t max_switches,
                                     std::size_t threads, double switch_cost) {
  std::vector<double> frontier;
  if (max_switches >= frontier.max_size()) {
    throw Error(
        fmt::format("the values for 0 to {} switches are more than any memory holds; ask for fewer",
                    max_switches));
  }
  oracle::checked_switch_cost(switch_cost);
  frontier.resize(max_switches + 1);
  if (losses.rows() == 0) return frontier;
  if (losses.columns() == 0) {  // nobody to be with
    std::fill(frontier.begin(), frontier.end(), std::numeric_limits<double>::infinity());
    return frontier;
  }
  // More budget than rounds to switch in buys nothing.
  const std::size_t budgets = std::min(max_switches, losses.rows() - 1) + 1;
  oracle::Sweep sweep(losses, budgets, threads, switch_cost);
  sweep.advance(0, losses.rows(), budgets);
  for (std::size_t s = 0; s <= max_switches; ++s) {
    frontier[s] = sweep.best(std::min(s, budgets - 1));
  }
  return frontier;
}

}  // namespace pcgs
