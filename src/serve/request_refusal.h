// What is refused by the head of a request.
#pragma once

#include <httplib.h>

#include <optional>

#include "serve/bearer_token.h"
#include "serve/reply.h"

namespace pcgs::serve {

// None if the body can be read.
std::optional<Reply> refusal(const httplib::Request& request, const BearerToken& token);

}  // namespace pcgs::serve
