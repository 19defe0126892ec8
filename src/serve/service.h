// The service: a store, its streams and HTTP before them.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "serve/committer.h"
#include "serve/http.h"
#include "serve/store.h"
#include "serve/stream_table.h"

namespace pcgs::serve {

// The secret that requests must bring: the first line of a file. Throws Error, naming it, if that has fewer than
// 16 characters.
std::string read_token(const std::string& path);

struct ServiceOptions {
  std::string store;               // a folder
  std::string host = "127.0.0.1";  // a name or an address of this machine
  int port = 8080;                 // 0: any that is free
  std::string token{};             // empty: everybody may ask
  std::size_t connections = 64;    // at work at the same time; others wait
  Patience patience{};
  Durability durability = Durability::kSynced;
  TableLimits limits{};
};

inline constexpr std::size_t kMostLines = 1000;        // of POST /events
inline constexpr std::size_t kNamesOnAPage = 1000;     // of GET /streams
inline constexpr std::size_t kDetailsOnAPage = 100;    // with details=1
inline constexpr std::size_t kMostRecentRounds = 200;  // of GET /streams/NAME?rounds=

class Service {
 public:
  // Opens the store and the port and answers from then on. Throws Error if either is not to be had.
  explicit Service(const ServiceOptions& options);
  // Stops listening, answers what was asked, and closes the store.
  ~Service();

  int port() const { return server_->port(); }
  // GET /ready says so from now on, and everything else is answered as before.
  void announce_stop() { stopping_ = true; }

 private:
  const std::string token_;
  const std::size_t connections_;  // that may be open
  Store store_;
  StreamTable table_;
  Metrics metrics_;
  Committer committer_;
  std::atomic<bool> stopping_ = false;
  std::unique_ptr<HttpServer> server_;
};

// "127.0.0.1:8080", "[::1]:8080", ":0" for any port of the loopback. Throws Error for anything else.
void set_address(ServiceOptions& options, const std::string& text);

}  // namespace pcgs::serve
