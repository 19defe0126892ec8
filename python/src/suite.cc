// pcgs.suite: made-up sequences whose best expert changes.
#include "research/suite.h"

#include <fmt/format.h>

#include <limits>

#include "arrays.h"
#include "bindings.h"
#include "construction_guard.h"
#include "interpreter.h"
#include "pcgs/error.h"

namespace pcgs::python {

namespace {

// A made-up sequence, held by Python; its arrays are views into it.
struct MadeSequence {
  suite::Sequence made;
};

MadeSequence generate(py::handle given, py::handle rounds, py::handle experts, py::handle seed) {
  if (!py::isinstance<py::str>(given)) {
    throw Error(fmt::format("family is {}; give a name, as pcgs.suite.families() lists them",
                            std::string(py::repr(given))));
  }
  const auto family = given.cast<std::string>();
  constexpr std::int64_t kMost = 1 << 28;
  const auto t = static_cast<std::size_t>(count_of(rounds, "rounds", 1, kMost));
  const auto most_experts = kMost / static_cast<std::int64_t>(t);
  const auto k = static_cast<std::size_t>(count_of(experts, "experts", 1, most_experts));
  constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();
  const auto s = static_cast<std::uint64_t>(count_of(seed, "seed", 0, kMostSeed));
  const OthersMayRun others_may_run;
  return {suite::generate(family, t, k, s)};
}

}  // namespace

void bind_suite(py::module_& m) {
  py::class_<MadeSequence>(m, "Sequence", kMadeByUsOnly, "A made-up sequence of losses.")
      .def_property_readonly(
          "losses",
          [](py::object self) { return view_of(self.cast<MadeSequence&>().made.losses, self); },
          "[T x K] in [0, 1]; read-only.")
      .def_property_readonly(
          "path",
          [](const MadeSequence& self) {
            const auto& path = self.made.path;
            return py::array_t<std::uint32_t>(static_cast<py::ssize_t>(path.size()), path.data());
          },
          "[T] the expert with the lowest mean, before clipping, in each round.")
      .def_property_readonly(
          "unclipped",
          [](py::object self) -> py::object {
            const Matrix& matrix = self.cast<MadeSequence&>().made.unclipped;
            return matrix.rows == 0 ? py::object(py::none()) : view_of(matrix, self);
          },
          "[T x K] what was clipped to make the losses; None where unknown.")
      .def("__repr__", [](const MadeSequence& self) {
        return fmt::format("<pcgs.suite.Sequence: {} rounds, {} experts>", self.made.losses.rows,
                           self.made.losses.columns);
      });
  m.def(
      "families",
      [] {
        py::dict out;
        for (const suite::FamilyInfo& family : suite::families()) {
          out[py::str(std::string(family.name))] = std::string(family.summary);
        }
        return out;
      },
      R"(families()

The families of made-up sequences, with a line about each.

>>> import pcgs
>>> pcgs.suite.families()["switch"]
'one winner at a time, changing at random')");
  m.def("generate", &generate, py::arg("family"), py::arg("rounds") = 600, py::arg("experts") = 32,
        py::arg("seed") = 7,
        R"(generate(family, rounds=600, experts=32, seed=7)

A sequence of a family, with parameters if wanted: "heavy-tail{df=2}". The same arguments give the
same sequence.

>>> import pcgs
>>> sequence = pcgs.suite.generate("switch", rounds=100, experts=4, seed=1)
>>> sequence.losses.shape, sequence.path.shape
((100, 4), (100,)))");
}

}  // namespace pcgs::python
