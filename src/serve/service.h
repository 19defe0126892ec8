// The service: a store, its streams and HTTP before them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "serve/bearer_token.h"
#include "serve/patience.h"
#include "serve/store.h"
#include "serve/stream_table.h"

namespace pcgs::serve {

struct ServiceOptions {
  std::string store;               // a folder
  std::string host = "127.0.0.1";  // a name or an address of this machine
  int port = 8080;                 // 0: any that is free
  BearerToken token{};
  std::size_t connections = 64;  // at the same time; others wait
  Patience patience{};
  store::Durability durability = store::Durability::kSynced;
  stream::TableLimits limits{};
};

inline constexpr std::size_t kLargestBody = std::size_t{8} << 20;  // bytes of a request
inline constexpr std::size_t kMostLines = 1000;                    // of POST /events
inline constexpr std::size_t kNamesOnAPage = 1000;                 // of GET /streams
inline constexpr std::size_t kDetailsOnAPage = 100;                // with details=1
inline constexpr std::size_t kMostRecentRounds = 200;              // of GET /streams/NAME?rounds=

class Service {
 public:
  // Opens the store and the port and answers from then on. Throws Error if either is not to be had.
  explicit Service(const ServiceOptions& options);
  // Stops listening, answers what was asked, and closes the store.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  int port() const;
  // GET /ready says so from now on, and everything else is answered as before.
  void announce_stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// "127.0.0.1:8080", "[::1]:8080", ":0" for any port of the loopback. Throws Error for anything else.
void set_address(ServiceOptions& options, const std::string& text);

}  // namespace pcgs::serve
