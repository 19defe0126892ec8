#include "serve/stream_list.h"

#include <algorithm>

#include "serve/service.h"

namespace pcgs::serve {

namespace {

// Names looked at while the committer waits. A search among millions lets others in between.
constexpr std::size_t kNamesAtOnce = 5000;

bool holds(std::string_view name, std::string_view part) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  const auto same = [&](char a, char b) { return small(a) == small(b); };
  return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

}  // namespace

Reply list_of_streams(Committer& committer, const ListRequest& request) {
  const std::size_t most = request.details ? kDetailsOnAPage : kNamesOnAPage;
  Json streams = Json::array();
  std::string last = request.after, last_shown;
  std::size_t all = 0;
  bool more = true, full = false;
  while (more && !full) {
    committer.run([&](stream::StreamTable& table) {
      all = table.names().size();
      auto at = table.names().upper_bound(last);
      for (std::size_t left = kNamesAtOnce; left > 0 && at != table.names().end(); --left, ++at) {
        if (holds(*at, request.contains)) {
          // Whether there is another page is known only by finding the first name of it.
          full = streams.size() == most;
          if (full) return;
          streams.push_back(request.details ? summary_json(*at, table.peek(*at)) : Json(*at));
          last_shown = *at;
        }
        last = *at;
      }
      more = at != table.names().end();
    });
  }
  Json body = {{"streams", std::move(streams)}};
  if (request.details) body["all"] = all;
  if (full) body["after"] = last_shown;
  return {200, std::move(body)};
}

}  // namespace pcgs::serve
