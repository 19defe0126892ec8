// Fields that events and snapshots share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/state.h"
#include "serve/event.h"

namespace pcgs::stream {

void put_spec(StateWriter& out, const StreamSpec& spec);
StreamSpec take_spec(StateReader& in);

void put_texts(StateWriter& out, std::span<const std::string> texts);
std::vector<std::string> take_texts(StateReader& in);

// A whole state file as a string.
std::string file_text(const StateWriter& out, std::uint64_t architecture);
std::span<const std::uint8_t> bytes_of(std::string_view text);

}  // namespace pcgs::stream
