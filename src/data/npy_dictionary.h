// The dictionary in the header of an .npy file, as Python would read it.
//
//     {'descr': '<f8', 'fortran_order': False, 'shape': (rows, columns), }
//
// Exactly these three keys, each once, in any order and spacing; nothing after the brace but space.
// Anything else is an Error that starts with `origin`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs::io {

// The end of every message about a type that is not accepted.
inline constexpr std::string_view kNpyAcceptedTypes =
    "accepted are little-endian float32 and float64 ('<f4', '<f8'); in NumPy: a.astype('<f8')";

struct NpyDictionary {
  std::string type;  // any text: what it means is for others to say
  bool fortran_order = false;
  std::vector<std::size_t> shape;  // of any rank
};

NpyDictionary parse_npy_dictionary(std::string_view text, const std::string& origin);

}  // namespace pcgs::io
