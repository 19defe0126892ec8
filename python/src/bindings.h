// What each file of the module adds to it.
#pragma once

#include <pybind11/pybind11.h>

#include "pcgs/note.h"

namespace pcgs::python {

// How sentences of the library name what they advise: y, block=24, skip_learned=True.
const Wording& python_words();
const char* kind_name(NoteKind kind);

void bind_errors(pybind11::module_& m);
void bind_methods(pybind11::module_& m);
void bind_round(pybind11::module_& m);
void bind_aggregator(pybind11::module_& m);
void bind_oracle(pybind11::module_& m);
void bind_share_record(pybind11::module_& m);
void bind_suite(pybind11::module_& m);
void bind_run(pybind11::module_& m);
void bind_expert_pool(pybind11::module_& m);
void bind_quantile_panel(pybind11::module_& m);

}  // namespace pcgs::python
