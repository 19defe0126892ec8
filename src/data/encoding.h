// Texts that are not in UTF-8, and what to do about them.
#pragma once

#include <string>
#include <string_view>

namespace pcgs::io {

// Throws Error for UTF-16 (by its byte order mark, or a NUL in every second byte), saying how to
// convert it, and for what holds a NUL otherwise and so is no text at all.
void require_text(std::string_view text, const std::string& origin);

// "if it is Latin-1, convert it with iconv -f ISO-8859-1 -t UTF-8 FILE > new.csv": where a text
// turned out not to be UTF-8.
std::string latin1_advice(const std::string& origin);

}  // namespace pcgs::io
