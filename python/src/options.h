// What Python gives beside numbers: options, the fields of a Request, paths, states and notes. All of it
// throws Error for what makes no sense.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/intervals.h"
#include "pcgs/loss_scale.h"
#include "pcgs/losses.h"
#include "pcgs/run.h"

namespace pcgs::python {

// loss= and tau=, by name.
TaskLoss loss_of(pybind11::handle loss, pybind11::handle tau);
// scale= of an Aggregator: a number, or a text as the program takes it.
LossScale scale_of(pybind11::handle scale);
// A number of rounds, or up to two of them, the shorter first; none for an empty sequence.
std::vector<std::size_t> seasons_of(pybind11::handle season);
// Levels, increasing; none for an empty sequence. What is wrong with levels, the library says.
std::optional<IntervalOptions> interval_options(pybind11::handle levels);

// The fields of a Request by their names, each in the forms that Python users give: a text or a list of
// them, a number or several, a method or several. None, or no such key: the library's default.
Request request_of(const pybind11::dict& fields);

// Of text, bytes or an os.PathLike, as the system takes it.
std::string path_of(pybind11::handle given);

// Of bytes, a bytearray or a memoryview.
pybind11::bytes state_bytes(pybind11::handle state);
pybind11::bytes py_bytes(const std::vector<std::uint8_t>& bytes);
std::span<const std::uint8_t> bytes_in(std::string_view text);
// Of text, which is kept as UTF-8, or bytes.
std::string note_bytes(pybind11::handle note);
// What a subclass written in Python adds to an object.
pybind11::dict attributes_of(const pybind11::object& self);

}  // namespace pcgs::python
