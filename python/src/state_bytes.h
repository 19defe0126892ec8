// States and notes as Python hands them over.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace pcgs::python {

// Of bytes, a bytearray or a memoryview. Throws Error for anything else.
pybind11::bytes state_bytes(const pybind11::object& state);

// Of text, which is kept as UTF-8, or bytes. Throws Error for anything else.
std::string note_bytes(pybind11::handle note);

// What a subclass written in Python adds to an object.
pybind11::dict attributes_of(const pybind11::object& self);

}  // namespace pcgs::python
