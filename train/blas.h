// OpenBLAS chooses its kernels by the processor's model number. One that is newer than the library
// it takes for the oldest there is, and matrix products are then several times slower than need be.
#pragma once

namespace pcgs::train {

// To be called first in main. Where that has happened, starts the program again with
// OPENBLAS_CORETYPE set: the choice is made while libraries are loaded, too early for anything
// else. Does nothing where the variable is set or another BLAS is used.
void let_blas_use_this_processor(char** argv);

// Threads of libtorch and, which libtorch does not pass on, of OpenBLAS.
void set_threads(int count);

}  // namespace pcgs::train
