// The service: a store, its streams and HTTP before them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "serve/http.h"
#include "serve/store.h"
#include "serve/stream_table.h"

namespace pcgs::serve {

// The secret that requests must bring, if there is one.
class BearerToken {
 public:
  BearerToken() = default;  // everybody may ask
  // The first line of a file. Throws Error, naming it, if that has fewer than 16 characters.
  static BearerToken from_file(const std::string& path);
  explicit BearerToken(std::string secret) : secret_(std::move(secret)) {}

  bool required() const { return !secret_.empty(); }
  // Whether the header "Authorization: Bearer SECRET" brings it. How long that takes says nothing about
  // how much of a guess was right.
  bool admits(std::string_view authorization) const;

 private:
  std::string secret_;
};

struct ServiceOptions {
  std::string store;               // a folder
  std::string host = "127.0.0.1";  // a name or an address of this machine
  int port = 8080;                 // 0: any that is free
  BearerToken token{};
  std::size_t connections = 64;  // at work at the same time; others wait
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
