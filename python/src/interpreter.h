// Letting other Python threads run, and taking the interpreter back.
//
// Before Python 3.14 a thread that wants the interpreter back while it is ending is ended by
// pthread_exit, which unwinds the stack like an exception: through destructors that run without the
// interpreter, and into one that may not throw, where the process is aborted. As 3.14 does, such a
// thread waits here instead, until the process has ended.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace pcgs::python {

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

}  // namespace pcgs::python
