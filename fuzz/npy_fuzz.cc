// Any bytes as NPY: read, or refused with an Error. What is read survives being written out again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/invariant.h"
#include "data/npy.h"
#include "pcgs/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pcgs::invariant;
  pcgs::Matrix matrix;
  try {
    matrix = pcgs::io::read_npy({data, size}, "fuzz");
  } catch (const pcgs::Error&) {
    return 0;
  }
  // From here on even an Error is a bug.
  invariant(matrix.rows > 0 && matrix.columns > 0, "not empty");
  invariant(matrix.values.size() == matrix.rows * matrix.columns, "as large as it says");
  const std::vector<std::uint8_t> file = pcgs::io::npy_bytes(matrix);
  const pcgs::Matrix back = pcgs::io::read_npy(file, "fuzz");
  invariant(back.rows == matrix.rows && back.columns == matrix.columns, "the same shape");
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const double a = matrix.values[i];
    const double b = back.values[i];
    invariant(a == b || (std::isnan(a) && std::isnan(b)), "the same numbers");
  }
  return 0;
}
