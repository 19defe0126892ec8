// pcgs.switching_oracle: the exact best sequence of experts in hindsight.
#include "pcgs/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.h"
#include "bindings.h"
#include "pcgs/error.h"
#include "unmade.h"

namespace pcgs::python {

namespace {

// The losses as the oracle wants them: where they are, unless somebody sleeps.
class OracleLosses {
 public:
  explicit OracleLosses(Table given) : given_(std::move(given)), losses_(given_.values) {
    const std::span<const double> all(losses_.data, losses_.rows * losses_.columns);
    const auto wrong = std::find(all.begin(), all.end(), -std::numeric_limits<double>::infinity());
    if (wrong != all.end()) {
      const auto at = static_cast<std::size_t>(wrong - all.begin());
      throw Error(
          fmt::format("losses: row {}, column {}: is -inf; give finite losses, and NaN or "
                      "inf where an expert sleeps",
                      at / losses_.columns + 1, at % losses_.columns + 1));
    }
    const auto asleep = [](double x) { return std::isnan(x); };
    if (std::none_of(all.begin(), all.end(), asleep)) return;
    copy_.assign(all.begin(), all.end());
    std::replace_if(copy_.begin(), copy_.end(), asleep, std::numeric_limits<double>::infinity());
    losses_.data = copy_.data();
  }

  MatrixView view() const { return losses_; }

 private:
  Table given_;
  std::vector<double> copy_;  // empty where nobody sleeps
  MatrixView losses_;
};

constexpr std::int64_t kMostSwitches = 1000000;
constexpr std::int64_t kMostThreads = 1024;

struct OraclePath {
  py::array values, experts;
  double loss;
  std::size_t switches;
};

py::object oracle(py::handle given, py::handle switches, bool path, py::handle threads) {
  const OracleLosses losses(table_of(given, "losses"));
  const auto most = static_cast<std::size_t>(count_of(switches, "switches", 0, kMostSwitches));
  const auto workers = static_cast<std::size_t>(count_of(threads, "threads", 1, kMostThreads));
  std::vector<double> values;
  SwitchingPath best;
  {
    const py::gil_scoped_release others_may_run;
    values = switching_oracle(losses.view(), most, workers);
    if (path) best = switching_path(losses.view(), most, kOracleMemory, workers);
  }
  if (!path) return array_of(values);
  return py::cast(
      OraclePath{array_of(values),
                 py::array_t<std::uint32_t>(static_cast<py::ssize_t>(best.experts.size()),
                                            best.experts.data()),
                 best.loss, best.switches});
}

}  // namespace

void bind_oracle(py::module_& m) {
  py::class_<OraclePath>(m, "OraclePath", kMadeByUsOnly,
                         "The best path of experts with so many switches.")
      .def_readonly("values", &OraclePath::values,
                    "[switches + 1] the least loss with at most 0, 1, ... switches.")
      .def_readonly("path", &OraclePath::experts,
                    "[T] the expert of each round; empty where every path meets a sleeper.")
      .def_readonly("loss", &OraclePath::loss, "What the path loses.")
      .def_readonly("switches", &OraclePath::switches,
                    "How many switches it takes: the fewest that reach this loss.")
      .def("__repr__", [](const OraclePath& self) {
        return fmt::format("<pcgs.OraclePath: loss {:.6g}, {} switch{}>", self.loss, self.switches,
                           self.switches == 1 ? "" : "es");
      });
  m.def("switching_oracle", &oracle, py::arg("losses"), py::arg("switches"),
        py::arg("path") = false, py::arg("threads") = 1,
        R"(switching_oracle(losses, switches, path=False, threads=1)

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

Takes time in proportion to rounds x experts x switches. Other Python threads run meanwhile; they
must leave the losses alone, which are not copied.)");
}

}  // namespace pcgs::python
