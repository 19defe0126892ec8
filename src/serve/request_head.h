// The head of an HTTP request, before httplib sees it. httplib skips lines that it does not understand, and
// reads lines without a limit; what two readers would read differently is refused here.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "serve/reply.h"

namespace pcgs::serve {

inline constexpr std::size_t kLargestHead = std::size_t{32}
                                            << 10;  // bytes of a request line and headers
inline constexpr std::size_t kLongestLine = std::size_t{8} << 10;  // of it, with its end

// Where the head ends that `received` begins with: after its empty line, or after the first byte that shows
// that it is none. None while more has to come. Bytes before `from` were looked at before.
std::optional<std::size_t> head_end(std::string_view received, std::size_t from);

// What is wrong with a head that has ended; none if httplib can read it.
std::optional<Reply> head_refusal(std::string_view head);
// Of one that goes on after kLargestHead bytes.
Reply endless_head_refusal(std::string_view begin);

}  // namespace pcgs::serve
