// A number made from every key and every value of a JSON document, in order; spaces do not count.
//
// Of each value a word for its type goes into a Fingerprint (fingerprint.h), and then: nothing for null (1), 0 or 1 for a truth value (2), the bits of a number as a double (3),
// the length and every byte of a text (4), the size and every value of a list (5), the size and every
// key, as a text without its type, and value of an object (6).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "proof/fingerprint.h"

namespace pcgs::io {

namespace checksum {

inline void add_text(const std::string& text, Fingerprint& hash) {
  hash.add(std::uint64_t{text.size()});
  for (const char byte : text) hash.add(std::uint64_t{static_cast<unsigned char>(byte)});
}

inline void add_value(const nlohmann::ordered_json& value, Fingerprint& hash) {
  if (value.is_null()) {
    hash.add(std::uint64_t{1});
  } else if (value.is_boolean()) {
    hash.add(std::uint64_t{2});
    hash.add(std::uint64_t{value.get<bool>()});
  } else if (value.is_number()) {
    hash.add(std::uint64_t{3});
    hash.add(value.get<double>());
  } else if (value.is_string()) {
    hash.add(std::uint64_t{4});
    add_text(value.get_ref<const std::string&>(), hash);
  } else if (value.is_array()) {
    hash.add(std::uint64_t{5});
    hash.add(std::uint64_t{value.size()});
    for (const auto& one : value) add_value(one, hash);
  } else {
    hash.add(std::uint64_t{6});
    hash.add(std::uint64_t{value.size()});
    for (const auto& [key, one] : value.items()) {
      add_text(key, hash);
      add_value(one, hash);
    }
  }
}

}  // namespace checksum

inline std::string json_checksum(const nlohmann::ordered_json& value) {
  Fingerprint hash;
  checksum::add_value(value, hash);
  return hash.text();
}

}  // namespace pcgs::io
