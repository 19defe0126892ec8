// What Aggregator, QuantilePanel and ExpertPool of Python have in common: one call at a time, states and
// notes.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.h"
#include "pcgs/error.h"

namespace pcgs::python {

namespace py = pybind11;

// An object of the library that Python holds, a `Self::kWhat` that `Self::kMaker` makes. It is used by one
// call at a time: a second thread, or a controller that reaches for the aggregator it steers, gets an
// Error and not a data race. What Class.__new__(Class) makes is zeroed, so that every call sees that no
// constructor has run.
template <class Self, class One>
class Held {
 public:
  static void* operator new(std::size_t size) { return std::memset(::operator new(size), 0, size); }
  static void* operator new(std::size_t, void* place) { return place; }
  static void operator delete(void* p) { ::operator delete(p); }

  // For what only reads, and between calls only.
  const One& at_rest() const {
    check_made();
    if (!busy_) return *one_;
    throw Error(std::string("this ") + Self::kWhat +
                " is in the middle of another call; use it from one thread at a time, and not from "
                "what it calls");
  }

 protected:
  // One call's use of it.
  class Turn {
   public:
    explicit Turn(Held& held) : held_(held) {
      held_.at_rest();
      held_.busy_ = true;
    }
    ~Turn() { held_.busy_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Held& held_;
  };

  void check_made() const {
    if (one_ != nullptr) return;
    throw Error(std::string("this ") + Self::kWhat + " was never made; call " + Self::kMaker);
  }

  std::unique_ptr<One> one_;  // null: no constructor has run

 private:
  bool busy_ = false;
};

// A property that is read between calls: a const method of what is held, or a function of it.
template <class Self, class Read>
void add_property(py::class_<Self>& to, const char* name, const Read& read, const char* doc) {
  to.def_property_readonly(
      name, [read](const Self& self) { return std::invoke(read, self.at_rest()); }, doc);
}

// save(path), to_bytes() and note.
template <class Self>
void add_states(py::class_<Self>& to) {
  to.def(
        "save", [](Self& self, py::handle path) { self.save(path_of(path)); }, py::arg("path"),
        R"(save(path)

Writes the whole state to a file, all of it or nothing. load(path) of the class goes on from there, to
the bit.)")
      .def("to_bytes", &Self::to_bytes, R"(to_bytes()

The state that save() writes, as bytes: from_bytes() of the class goes on from there.)")
      .def_property(
          "note", [](const Self& self) { return py::bytes(self.at_rest().note()); },
          [](Self& self, py::handle note) { self.set_note(note_bytes(note)); },
          R"(What its owner wants to keep with the state, as bytes: say, when the last round was.

Set it to bytes, or to text, which is kept as UTF-8; at most 65536 bytes. A state of `pcgs run --save`
holds a note of the program's, which `pcgs run --resume` reads: leave it where that is to go on.)")
      .def("__repr__", &Self::description);
}

}  // namespace pcgs::python
