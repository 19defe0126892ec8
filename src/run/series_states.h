// The states of one series, or of several in one file.
//
// One series without a name is saved as an Aggregator is, so that every door loads it. Several are
// saved together as a state file (pcgs/state.h) that holds the names of the columns that tell them
// apart and, for each, its values of these and the bytes of its state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pcgs::compare {

class SeriesStates {
 public:
  using Key = std::vector<std::string>;
  using Bytes = std::vector<std::uint8_t>;

  // What tells the series apart; empty: there is one.
  explicit SeriesStates(std::vector<std::string> by = {}) : by_(std::move(by)) {}
  // Throws Error, naming the file.
  static SeriesStates load(const std::string& path);

  const std::vector<std::string>& by() const { return by_; }
  std::size_t size() const { return states_.size(); }
  const std::map<Key, Bytes>& all() const { return states_; }
  const Bytes* find(const Key& key) const;  // null if there is none
  void put(Key key, Bytes state) { states_[std::move(key)] = std::move(state); }

  // The file's bytes.
  Bytes file() const;

 private:
  std::vector<std::string> by_;
  std::map<Key, Bytes> states_;
};

}  // namespace pcgs::compare
