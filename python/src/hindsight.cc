// What is known when all losses are: pcgs.switching_oracle, the exact best sequence of experts;
// pcgs.ShareRecord, one run of the share recursion and what is proved about it; pcgs.certify's part.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "arrays.h"
#include "combine/hindsight_methods.h"
#include "module.h"
#include "options.h"
#include "pcgs/error.h"
#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "proof/path_certificates.h"
#include "proof/verify.h"

namespace pcgs::python {

namespace {

// ---- The oracle ---------------------------------------------------------------------------------

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

// ---- Records ------------------------------------------------------------------------------------

using Path = std::vector<std::uint32_t>;

// [T] from one number for all rounds, or one for each.
std::vector<double> of_each_round(py::handle given, std::size_t rounds, const char* what) {
  if (PyFloat_Check(given.ptr()) != 0 || PyLong_Check(given.ptr()) != 0) {
    return std::vector<double>(rounds, number_of(given, what));
  }
  std::vector<double> numbers = numbers_of(given, what);
  if (numbers.size() == rounds) return numbers;
  throw Error(fmt::format("{}: here are {} numbers for {} rounds; give one number, or one for each",
                          what, numbers.size(), rounds));
}

ShareRecord from_controls(py::handle given, py::handle eta, py::handle rho, py::handle q) {
  const Table losses = table_of(given, "losses");
  const std::size_t rounds = losses.values.rows, experts = losses.values.columns;
  if (experts == 0) throw Error("losses: there are no experts; give a column for each");
  const auto etas = of_each_round(eta, rounds, "eta"), rhos = of_each_round(rho, rounds, "rho");
  std::optional<Table> restarts;
  if (!q.is_none()) {
    restarts = table_of(q, "q");
    if (restarts->values.rows != rounds || restarts->values.columns != experts) {
      throw Error(fmt::format("q: it has {} rows and {} columns, and the losses {} and {}",
                              restarts->values.rows, restarts->values.columns, rounds, experts));
    }
  }
  ShareRecord record(experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    record.add(losses.values.row(t),
               {etas[t], rhos[t], restarts ? restarts->values.row(t) : std::span<const double>()});
  }
  return record;
}

ShareRecord play(py::handle given, const std::string& method) {
  const Matrix losses = matrix_of(given, "losses");
  if (losses.rows == 0) throw Error("losses: there are no rounds to play; give a row for each");
  const OthersMayRun others_may_run;
  Aggregator aggregator = make_aggregator(method, losses.columns);
  if (aggregator.method().share() == nullptr) {
    throw Error(
        fmt::format("{} is not of the share form; choose one of {}", method, share_form_names()));
  }
  Trace trace;
  aggregator.trace(&trace);
  for (std::size_t t = 0; t < losses.rows; ++t) aggregator.learn(losses.row(t));
  return ShareRecord::of(trace.rows());
}

// The best path if none is given.
Path path_of_experts(const ShareRecord& record, py::handle given) {
  if (given.is_none()) return best_path(record).experts;
  Path path;
  for (const double k : numbers_of(given, "path")) {
    if (!(k >= 0 && k < static_cast<double>(record.experts()) && k == std::floor(k))) {
      throw Error(
          fmt::format("path: {} is no expert; give numbers from 0 to {}", k, record.experts() - 1));
    }
    path.push_back(static_cast<std::uint32_t>(k));
  }
  return path;
}

// In units of loss where eta never changed.
py::object readable(const ShareRecord& record, const Certificate& certificate) {
  const bool weighted = record.constant_eta() == 0;
  return certificate_of(weighted ? certificate : unweighted(record, certificate), weighted);
}

constexpr const char* kRecord =
    R"(One run of the share recursion, kept whole, and what is proved about it.

>>> import numpy as np, pcgs
>>> losses = np.random.default_rng(3).random((600, 32)) * np.linspace(0.5, 1, 32)
>>> record = pcgs.ShareRecord.play(losses, "pcgs-tf:oracle")
>>> record.rounds, record.experts
(600, 32)
>>> sharp = record.sharp_certificate()
>>> sharp.regret <= sharp.bound
True

A path names an expert, from 0, for each round; where none is given it is best_path(), for which the
proofs say most. docs/certificates.md has the formulas.)";

constexpr const char* kPlay = R"(play(losses, method)

Plays a method of the share form on a table of losses in [0, 1], a row for each round.)";

constexpr const char* kOf = R"(of(losses, eta, rho=0.0, q=None)

From losses and the controls that were chosen after each round, by a controller of your own say. eta and
rho are numbers, or one for each round; q has a row for each round, None where it was uniform. The first
weights are uniform.

>>> import pcgs
>>> record = pcgs.ShareRecord.of([[0, 1], [0, 1], [1, 0]], eta=2, rho=0.25)
>>> record.best_path()
array([0, 0, 0], dtype=uint32))";

constexpr const char* kCodeParts = R"(code_parts(path=None)

What it costs, in nats, to describe a path: the part of a bound that restarts decide.

>>> import pcgs
>>> record = pcgs.ShareRecord.of([[0, 1], [0, 1], [1, 0]], eta=2, rho=0.25)
>>> parts = record.code_parts([0, 0, 1])
>>> round(parts.start, 3), round(parts.stays, 3), round(parts.restarts, 3), round(parts.where_to, 3)
(0.693, 0.134, 1.386, 0.693))";

constexpr const char* kAligned = R"(training_aligned_certificate(path=None, rho_max=0.5)

Theorem 2 of the paper: a bound in terms of what a controller is trained on, for a constant eta and
rho <= rho_max <= 1/2. The larger rho_max, the lower it is. An Error where it does not apply.)";

constexpr const char* kCrossEntropy = R"(cross_entropy(path=None, *, eps)

Lemma 1 of the paper, with every q at least eps / K: C_eff is at most the sum over all rounds, and at
most the number of switches times ln(K / eps).

>>> import numpy as np, pcgs
>>> losses = np.random.default_rng(3).random((600, 32)) * np.linspace(0.5, 1, 32)
>>> record = pcgs.ShareRecord.play(losses, "pcgs-tf:oracle")
>>> c = record.cross_entropy(eps=0.01)
>>> c.effective <= c.all_rounds and c.effective <= c.by_floor
True)";

py::array_t<double> controls_of(const ShareRecord& record, double Controls::*what) {
  std::vector<double> values(record.rounds());
  for (std::size_t t = 0; t < values.size(); ++t) values[t] = record.controls(t).*what;
  return array_of(values);
}

}  // namespace

py::object certificate_of(const Certificate& certificate, bool weighted) {
  return answer("Certificate", certificate.bound, certificate.regret, certificate.holds(),
                py::none(), weighted);
}

void bind_hindsight(py::module_& m) {
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
  const py::object best = py::none();
  py::class_<ShareRecord>(m, "ShareRecord", kMadeByUsOnly, kRecord)
      .def_static("play", &play, py::arg("losses"), py::arg("method"), kPlay)
      .def_static("of", &from_controls, py::arg("losses"), py::arg("eta"), py::arg("rho") = 0.0,
                  py::arg("q") = py::none(), kOf)
      .def_property_readonly("rounds", &ShareRecord::rounds, "How many rounds there are.")
      .def_property_readonly("experts", &ShareRecord::experts, "How many experts there are.")
      .def_property_readonly(
          "eta", [](const ShareRecord& self) { return controls_of(self, &Controls::eta); },
          "[T] the learning rate after each round.")
      .def_property_readonly(
          "rho", [](const ShareRecord& self) { return controls_of(self, &Controls::rho); },
          "[T] how much was restarted after each round.")
      .def(
          "best_path", [](const ShareRecord& self) { return array_of(best_path(self).experts); },
          "best_path()\n\n[T] the path for which the certificates say most.")
      .def(
          "code_parts",
          [](const ShareRecord& self, py::handle path) {
            const CodeParts parts = code_parts(self, path_of_experts(self, path));
            return answer("CodeParts", parts.start, parts.stays, parts.restarts, parts.where_to,
                          parts.uniform_stays, parts.uniform_where_to, parts.switches);
          },
          py::arg("path") = best, kCodeParts)
      .def(
          "sharp_certificate",
          [](const ShareRecord& self, py::handle path) {
            return readable(self, sharp_certificate(self, path_of_experts(self, path)));
          },
          py::arg("path") = best,
          "sharp_certificate(path=None)\n\nCode length and the mixability gaps that occurred.")
      .def(
          "plain_certificate",
          [](const ShareRecord& self, py::handle path) {
            return readable(self, weighted_certificate(self, path_of_experts(self, path)));
          },
          py::arg("path") = best,
          "plain_certificate(path=None)\n\nTheorem 1 of the paper: code length, and eta / 8 for "
          "each gap.")
      .def(
          "training_aligned_certificate",
          [](const ShareRecord& self, py::handle path, py::handle rho_max) {
            return certificate_of(training_aligned_certificate(self, path_of_experts(self, path),
                                                               number_of(rho_max, "rho_max")),
                                  false);
          },
          py::arg("path") = best, py::arg("rho_max") = 0.5, kAligned)
      .def(
          "cross_entropy",
          [](const ShareRecord& self, py::handle path, py::handle eps) {
            const CrossEntropy lemma =
                cross_entropy(self, path_of_experts(self, path), number_of(eps, "eps"));
            return answer("CrossEntropy", lemma.effective, lemma.all_rounds, lemma.by_floor);
          },
          py::arg("path") = best, py::kw_only(), py::arg("eps"), kCrossEntropy)
      .def("__repr__", [](const ShareRecord& self) {
        return fmt::format("<pcgs.ShareRecord: {} rounds, {} experts>", self.rounds(),
                           self.experts());
      });
  m.def(
      "certified_json",
      [](py::handle trace, py::handle certificate) {
        const std::string trace_path = path_of(trace), certificate_path = path_of(certificate);
        const OthersMayRun others_may_run;
        return to_json(verify::verify_files(trace_path, certificate_path));
      },
      py::arg("trace"), py::arg("certificate"));
}

}  // namespace pcgs::python
