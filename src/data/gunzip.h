// What a gzipped text holds. Several members, one after the other, are one text; zeros that pad the
// end are ignored.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/growing_bytes.h"

namespace pcgs::io {

// Whether it begins like one.
bool is_gzipped(std::string_view bytes);

// An Error, which begins with `name`, if the text is cut off or damaged, or larger than `most`
// bytes.
GrowingBytes gunzip(std::string_view bytes, const std::string& name, std::size_t most);

}  // namespace pcgs::io
