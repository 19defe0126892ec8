// The secret that requests must bring, if there is one.
#pragma once

#include <string>
#include <string_view>

namespace pcgs::serve {

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

}  // namespace pcgs::serve
