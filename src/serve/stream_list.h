// GET /streams: which streams there are, page by page.
#pragma once

#include <string>

#include "serve/committer.h"
#include "serve/reply.h"

namespace pcgs::serve {

struct ListRequest {
  std::string after;     // names that come after this one
  std::string contains;  // only names that hold this text, in small letters or capitals
  bool details = false;  // how they stand, those that are in memory
};

Reply list_of_streams(Committer& committer, const ListRequest& request);

}  // namespace pcgs::serve
