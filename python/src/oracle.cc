// pcgs.switching_oracle: the exact best sequence of experts in hindsight.
#include "pcgs/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.h"
#include "module.h"
#include "pcgs/error.h"

namespace pcgs::python {

namespace {

constexpr double kAsleep = std::numeric_limits<double>::infinity();

// The losses as the oracle wants them: where they are, unless somebody sleeps or they must be safe
// from threads that write into the caller's array while the oracle works.
class OracleLosses {
 public:
  OracleLosses(Table given, bool safe) : given_(std::move(given)), losses_(given_.values) {
    constexpr std::size_t kFew = 1 << 14;  // copied before anybody notices
    if (safe || all().size() <= kFew) copy();
    check();
    const auto missing = [](double x) { return std::isnan(x); };
    if (std::none_of(all().begin(), all().end(), missing)) return;
    if (copy_.empty()) copy();
    std::replace_if(copy_.begin(), copy_.end(), missing, kAsleep);
  }

  MatrixView view() const { return losses_; }

 private:
  std::span<const double> all() const { return {losses_.data, losses_.rows * losses_.columns}; }

  void copy() {
    copy_.assign(all().begin(), all().end());
    losses_.data = copy_.data();
  }

  // No sum over the rounds may overflow: it would read like a sleeper's.
  void check() const {
    const double most = 1e300 / static_cast<double>(std::max<std::size_t>(losses_.rows, 1));
    const auto wrong = std::find_if(all().begin(), all().end(), [most](double x) {
      return std::abs(x) > most && x != kAsleep;
    });
    if (wrong == all().end()) return;
    const auto at = static_cast<std::size_t>(wrong - all().begin());
    throw Error(fmt::format(
        "losses: row {}, column {}: is {}; give losses from {:.3g} to {:.3g}, whose sums are "
        "finite, and NaN or inf where an expert sleeps",
        at / losses_.columns + 1, at % losses_.columns + 1, *wrong, -most, most));
  }

  Table given_;
  std::vector<double> copy_;  // empty where the caller's array will do
  MatrixView losses_;
};

constexpr std::int64_t kMostSwitches = 1000000;
constexpr std::int64_t kMostThreads = 1024;

py::object oracle(py::handle given, py::handle switches, bool path, py::handle threads,
                  py::handle switch_cost) {
  // A value that is overwritten halfway is wrong; a path could even lead out of the table.
  const OracleLosses losses(table_of(given, "losses"), path);
  const double cost = number_of(switch_cost, "switch_cost");
  const bool limited = !switches.is_none();
  const std::size_t most =
      limited ? static_cast<std::size_t>(count_of(switches, "switches", 0, kMostSwitches)) : 0;
  const auto workers = static_cast<std::size_t>(count_of(threads, "threads", 1, kMostThreads));
  std::vector<double> values;
  SwitchingPath best;
  {
    const OthersMayRun others_may_run;
    if (limited) {
      values = switching_oracle(losses.view(), most, workers, cost);
      if (path) best = switching_path(losses.view(), most, kOracleMemory, workers, cost);
    } else {
      best = unlimited_path(losses.view(), cost);
      values = {best.loss};
    }
  }
  if (!path) return array_of(values);
  return answer("OraclePath", array_of(values), array_of(best.experts), best.loss, best.switches);
}

}  // namespace

void bind_oracle(py::module_& m) {
  m.def("switching_oracle", &oracle, py::arg("losses"), py::arg("switches"),
        py::arg("path") = false, py::arg("threads") = 1, py::arg("switch_cost") = 0.0,
        R"(switching_oracle(losses, switches, path=False, threads=1, switch_cost=0)

The exact best sequence of experts in hindsight. losses has a row for each round and a column for
each expert; NaN or inf where an expert sleeps. Returns the least loss with at most 0, 1, ...,
switches switches, infinite where every such path meets a sleeper.

>>> import numpy as np, pcgs
>>> losses = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.25]])
>>> pcgs.switching_oracle(losses, 1)
array([1.  , 0.25])

With path=True, also a path that attains the last of them:

>>> best = pcgs.switching_oracle(losses, 1, path=True)
>>> best.path, best.loss, best.switches
(array([0, 0, 1], dtype=uint32), 0.25, 1)

With switch_cost, every switch adds that much to the loss of a path. switches may then be None: the
best path of all takes as many as pay.

>>> pcgs.switching_oracle(losses, 1, switch_cost=0.5)
array([1.  , 0.75])
>>> pcgs.switching_oracle(losses, None, path=True, switch_cost=1).switches
0

Takes time in proportion to rounds x experts x switches. Other Python threads run meanwhile; they
must leave the losses alone, which are copied only where path=True.)");
}

}  // namespace pcgs::python
