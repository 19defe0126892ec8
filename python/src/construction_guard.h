// Objects that Python made without their constructor: Class.__new__(Class).
//
// pybind11 gives such an object memory that nobody initialised when a method of it is called. What
// users cannot make at all refuses already there (kMadeByUsOnly). What they can make inherits from
// ZeroedUntilConstructed and keeps a pointer that is null until a constructor has run, which every
// method checks.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace pcgs::python {

struct ZeroedUntilConstructed {
  static void* operator new(std::size_t size) { return std::memset(::operator new(size), 0, size); }
  static void* operator new(std::size_t, void* place) { return place; }
  static void operator delete(void* p) { ::operator delete(p); }
};

inline const pybind11::custom_type_setup kMadeByUsOnly([](PyHeapTypeObject* type) {
  type->ht_type.tp_new = [](PyTypeObject* made, PyObject*, PyObject*) -> PyObject* {
    PyErr_Format(PyExc_TypeError, "%s objects are made by pcgs", made->tp_name);
    return nullptr;
  };
});

}  // namespace pcgs::python
