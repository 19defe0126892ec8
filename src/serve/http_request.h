// What is refused of a request before its body is read.
//
// httplib skips lines that it does not understand, and reads lines without a limit. So heads are read here
// before httplib sees them; what two readers would read differently is refused.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "serve/service.h"
#include "serve/service_json.h"

namespace httplib {
struct Request;
}

namespace pcgs::serve {

inline constexpr std::size_t kLargestHead = 32768;  // bytes of a request line and headers
inline constexpr std::size_t kLongestLine = 8192;   // of it, with its end

// Where the head ends that `received` begins with: after its empty line, or after the first byte that shows
// that it is not a head. Nothing while more has to come. Bytes before `from` were looked at before.
std::optional<std::size_t> head_end(std::string_view received, std::size_t from);

// What is wrong with a head that has ended; nothing if httplib can read it.
std::optional<Reply> head_refusal(std::string_view head);
// Of one that goes on after kLargestHead bytes.
Reply endless_head_refusal(std::string_view begin);

// What is wrong with a request that httplib has read up to its body; nothing if that can be read.
std::optional<Reply> refusal(const httplib::Request& request, const BearerToken& token);

}  // namespace pcgs::serve
