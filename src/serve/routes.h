// Which request does what.
#pragma once

#include <atomic>

#include "serve/committer.h"
#include "serve/service.h"

namespace httplib {
class Server;
}

namespace pcgs::serve {

// What requests are answered with.
struct Served {
  Committer& committer;
  Metrics& metrics;
  const BearerToken& token;
  const std::atomic<bool>& stopping;
};

// All of it must outlive the server.
void add_routes(httplib::Server& server, const Served& served);

}  // namespace pcgs::serve
