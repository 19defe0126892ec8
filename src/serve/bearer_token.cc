#include "serve/bearer_token.h"

#include <fmt/format.h>

#include "data/text.h"
#include "data/whole_file.h"
#include "pcgs/error.h"

namespace pcgs::serve {

namespace {

constexpr std::size_t kShortestSecret = 16;
constexpr std::size_t kLongestFile = 4096;
constexpr std::string_view kScheme = "Bearer ";

}  // namespace

BearerToken BearerToken::from_file(const std::string& path) {
  const auto bytes = read_whole_file(path, kLongestFile);
  std::string text(bytes.begin(), bytes.end());
  text.resize(std::min(text.size(), text.find('\n')));
  const std::string secret(trimmed(text, " \t\r"));
  if (secret.size() < kShortestSecret) {
    throw Error(fmt::format("{}: has a token of {} characters; give at least {} on its first line",
                            path, secret.size(), kShortestSecret));
  }
  if (secret.find('%') != std::string::npos) {  // httplib decodes headers as if they were addresses
    throw Error(fmt::format("{}: has a token with a %; choose other characters", path));
  }
  return BearerToken(secret);
}

bool BearerToken::admits(std::string_view authorization) const {
  if (!required()) return true;
  if (!authorization.starts_with(kScheme)) return false;
  const std::string_view given = authorization.substr(kScheme.size());
  // Every character of the secret is looked at, whatever was given.
  unsigned difference = given.size() == secret_.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret_.size(); ++i) {
    const char theirs = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned char>(theirs ^ secret_[i]);
  }
  return difference == 0;
}

}  // namespace pcgs::serve
