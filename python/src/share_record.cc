// pcgs.ShareRecord: one run of the share recursion, and what is proved about it; pcgs.certify's part.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "aggregator.h"
#include "arrays.h"
#include "bindings.h"
#include "combine/hindsight_methods.h"
#include "construction_guard.h"
#include "interpreter.h"
#include "paths.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "proof/path_certificates.h"
#include "proof/verify.h"

namespace pcgs::python {

namespace {

using Path = std::vector<std::uint32_t>;

// One number for all rounds, or one for each.
class OfEachRound {
 public:
  OfEachRound(py::handle given, std::size_t rounds, const char* what) {
    if (PyFloat_Check(given.ptr()) != 0 || PyLong_Check(given.ptr()) != 0) {
      constant_ = number_of(given, what);
      return;
    }
    row_ = row_of(given, what);
    if (row_.values.size() == rounds) return;
    throw Error(
        fmt::format("{}: here are {} numbers for {} rounds; give one number, or one for each", what,
                    row_.values.size(), rounds));
  }
  double operator[](std::size_t t) const { return constant_ ? *constant_ : row_.values[t]; }

 private:
  std::optional<double> constant_;
  Row row_;
};

ShareRecord from_controls(py::handle given, py::handle eta, py::handle rho, py::handle q) {
  const Table losses = table_of(given, "losses");
  const std::size_t rounds = losses.values.rows, experts = losses.values.columns;
  if (experts == 0) throw Error("losses: there are no experts; give a column for each");
  const OfEachRound etas(eta, rounds, "eta"), rhos(rho, rounds, "rho");
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
  const Table table = table_of(given, "losses");
  const auto& view = table.values;
  Matrix losses(view.rows, view.columns);  // which nobody changes meanwhile
  losses.values.assign(view.data, view.data + view.rows * view.columns);
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
  const Row row = row_of(given, "path");
  Path path;
  for (const double k : row.values) {
    if (!(k >= 0 && k < static_cast<double>(record.experts()) && k == std::floor(k))) {
      throw Error(
          fmt::format("path: {} is no expert; give numbers from 0 to {}", k, record.experts() - 1));
    }
    path.push_back(static_cast<std::uint32_t>(k));
  }
  return path;
}

LiveProof proof_of(const Certificate& certificate, bool weighted) {
  return {certificate.bound, certificate.regret, certificate.holds(), std::nullopt, weighted};
}

// In units of loss where eta never changed.
LiveProof readable(const ShareRecord& record, const Certificate& certificate) {
  const bool weighted = record.constant_eta() == 0;
  return proof_of(weighted ? certificate : unweighted(record, certificate), weighted);
}

constexpr const char* kRecord =
    R"(One run of the share recursion, kept whole, and what is proved about it.

>>> import pcgs
>>> losses = pcgs.suite.generate("switch", seed=3).losses
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

>>> import pcgs
>>> losses = pcgs.suite.generate("switch", seed=3).losses
>>> record = pcgs.ShareRecord.play(losses, "pcgs-tf:oracle")
>>> c = record.cross_entropy(eps=0.01)
>>> c.effective <= c.all_rounds and c.effective <= c.by_floor
True)";

void bind_parts(py::module_& m) {
  py::class_<CodeParts>(m, "CodeParts", kMadeByUsOnly,
                        "The code length of a path in nats, by what it is paid for.")
      .def_readonly("start", &CodeParts::start, "-ln w_1 of the first expert.")
      .def_readonly("stays", &CodeParts::stays, "The rounds in which the path stays.")
      .def_readonly("restarts", &CodeParts::restarts,
                    "Its switches: -ln rho, for there is a restart.")
      .def_readonly(
          "where_to", &CodeParts::where_to,
          "Its switches: -ln q of the next expert, for it goes there. C_eff of the paper.")
      .def_readonly("uniform_stays", &CodeParts::uniform_stays,
                    "What the stays would cost with uniform q.")
      .def_readonly("uniform_where_to", &CodeParts::uniform_where_to,
                    "What where_to would be with uniform q: switches ln K.")
      .def_readonly("switches", &CodeParts::switches, "How often the path switches.")
      .def_property_readonly("total", &CodeParts::total, "The code length.")
      .def("__repr__", [](const CodeParts& parts) {
        return fmt::format(
            "<pcgs.CodeParts: {:.6g} nats: start {:.6g}, stays {:.6g}, restarts {:.6g}, where to "
            "{:.6g}>",
            parts.total(), parts.start, parts.stays, parts.restarts, parts.where_to);
      });
  py::class_<CrossEntropy>(m, "CrossEntropy", kMadeByUsOnly, "Lemma 1 of the paper, in nats.")
      .def_readonly("effective", &CrossEntropy::effective,
                    "C_eff: -ln q of the next expert, over the switches of the path.")
      .def_readonly("all_rounds", &CrossEntropy::all_rounds, "The same over all rounds.")
      .def_readonly("by_floor", &CrossEntropy::by_floor,
                    "The number of switches times ln(K / eps).")
      .def("__repr__", [](const CrossEntropy& c) {
        return fmt::format("<pcgs.CrossEntropy: {:.6g} at switches, {:.6g} over all rounds>",
                           c.effective, c.all_rounds);
      });
}

py::array_t<double> controls_of(const ShareRecord& record, double Controls::*what) {
  std::vector<double> values(record.rounds());
  for (std::size_t t = 0; t < values.size(); ++t) values[t] = record.controls(t).*what;
  return array_of(values);
}

}  // namespace

void bind_share_record(py::module_& m) {
  const py::object best = py::none();
  bind_parts(m);
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
          "best_path",
          [](const ShareRecord& self) {
            const Path path = best_path(self).experts;
            return py::array_t<std::uint32_t>(static_cast<py::ssize_t>(path.size()), path.data());
          },
          "best_path()\n\n[T] the path for which the certificates say most.")
      .def(
          "code_parts",
          [](const ShareRecord& self, py::handle path) {
            return code_parts(self, path_of_experts(self, path));
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
            return proof_of(training_aligned_certificate(self, path_of_experts(self, path),
                                                         number_of(rho_max, "rho_max")),
                            false);
          },
          py::arg("path") = best, py::arg("rho_max") = 0.5, kAligned)
      .def(
          "cross_entropy",
          [](const ShareRecord& self, py::handle path, py::handle eps) {
            return cross_entropy(self, path_of_experts(self, path), number_of(eps, "eps"));
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
