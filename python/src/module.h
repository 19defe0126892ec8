// What the files of the module share: what each adds to it, words, objects that Python made without
// their constructor, and letting other Python threads run.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include <utility>

#include "pcgs/error.h"

namespace pcgs {
struct Certificate;
}

namespace pcgs::python {

namespace py = pybind11;

void bind_aggregator(py::module_& m);
void bind_hindsight(py::module_& m);
void bind_run(py::module_& m);
void bind_expert_pool(py::module_& m);
void bind_quantile_panel(py::module_& m);

// How sentences of the library name what they advise: y, block=24, skip_learned=True.
const Wording& python_words();

// ---- Other threads ------------------------------------------------------------------------------

// Before Python 3.14 a thread that wants the interpreter back while it is ending is ended by
// pthread_exit, which unwinds the stack like an exception: through destructors that run without the
// interpreter, and into one that may not throw, where the process is aborted. As 3.14 does, such a
// thread waits here instead, until the process has ended.
//
// Calls what may take the interpreter back; nothing inside `work` may need a destructor. What
// pthread_exit throws has no object, only a type: the sanitizer would object to a reference to it.
template <class Work>
__attribute__((no_sanitize("undefined"))) auto or_wait_for_the_end(const Work& work) {
#ifdef __GLIBCXX__
  try {
    return work();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
#else
  return work();
#endif
}

// In a thread that has the interpreter: others may run meanwhile.
class OthersMayRun {
 public:
  OthersMayRun() : thread_(PyEval_SaveThread()) {}
  ~OthersMayRun() {
    or_wait_for_the_end([&] { PyEval_RestoreThread(thread_); });
  }
  OthersMayRun(const OthersMayRun&) = delete;
  OthersMayRun& operator=(const OthersMayRun&) = delete;

 private:
  PyThreadState* thread_;
};

// Inside of that: the interpreter is back for a moment.
class WithPython {
 public:
  WithPython() : before_(or_wait_for_the_end([] { return PyGILState_Ensure(); })) {}
  ~WithPython() { PyGILState_Release(before_); }
  WithPython(const WithPython&) = delete;
  WithPython& operator=(const WithPython&) = delete;

 private:
  PyGILState_STATE before_;
};

// What a function or a class of pcgs/_answers.py makes of these.
template <class... Values>
py::object answer(const char* name, Values&&... values) {
  const py::object make = py::module_::import("pcgs._answers").attr(name);
  const py::tuple given = py::make_tuple(std::forward<Values>(values)...);
  auto made = py::reinterpret_steal<py::object>(
      or_wait_for_the_end([&] { return PyObject_CallObject(make.ptr(), given.ptr()); }));
  if (!made) throw py::error_already_set();
  return made;
}

// pcgs.Certificate; `weighted`: every round by its eta, which changed.
py::object certificate_of(const Certificate& certificate, bool weighted);

// ---- Objects ------------------------------------------------------------------------------------

// pybind11 gives an object that Python made without its constructor, by Class.__new__(Class), memory
// that nobody initialised when a method of it is called. What users cannot make at all refuses already
// there. What they can make is Held (held.h).
inline const py::custom_type_setup kMadeByUsOnly([](PyHeapTypeObject* type) {
  type->ht_type.tp_new = [](PyTypeObject* made, PyObject*, PyObject*) -> PyObject* {
    PyErr_Format(PyExc_TypeError, "%s objects are made by pcgs", made->tp_name);
    return nullptr;
  };
});

}  // namespace pcgs::python
