// Which request does what.
#pragma once

#include <httplib.h>

#include "serve/bearer_token.h"
#include "serve/committer.h"
#include "serve/metrics.h"

namespace pcgs::serve {

// All three must outlive the server.
void add_routes(httplib::Server& server, Committer& committer, Metrics& metrics,
                const BearerToken& token);

}  // namespace pcgs::serve
