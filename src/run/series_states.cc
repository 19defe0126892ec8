#include "run/series_states.h"

#include "data/whole_file.h"
#include "pcgs/state.h"

namespace pcgs::compare {

namespace {

std::uint64_t kind_of_file() { return architecture_hash(kStatesOfSeries, 0); }

}  // namespace

SeriesStates SeriesStates::load(const std::string& path) {
  Bytes file = read_whole_file(path);
  StateReader in(file, path);
  if (in.architecture() != kind_of_file()) {
    SeriesStates one;
    one.put({}, std::move(file));
    return one;
  }
  if (in.text() != kStatesOfSeries) in.fail("it is damaged");
  std::vector<std::string> by(in.count(sizeof(std::uint64_t)));
  if (by.empty()) in.fail("nothing tells its series apart");
  for (auto& name : by) name = in.text();
  SeriesStates out(std::move(by));
  const std::size_t series = in.count(sizeof(std::uint64_t));
  for (std::size_t i = 0; i < series; ++i) {
    Key key(out.by_.size());
    for (auto& value : key) value = in.text();
    Bytes state(in.count(1));
    in.bytes(state);
    if (!out.states_.emplace(std::move(key), std::move(state)).second) {
      in.fail("a series is in it twice");
    }
  }
  in.finish();
  return out;
}

const SeriesStates::Bytes* SeriesStates::find(const Key& key) const {
  const auto at = states_.find(key);
  return at == states_.end() ? nullptr : &at->second;
}

SeriesStates::Bytes SeriesStates::file() const {
  if (by_.empty()) return states_.begin()->second;
  StateWriter out;
  out.text(kStatesOfSeries);
  out.u64(by_.size());
  for (const auto& name : by_) out.text(name);
  out.u64(states_.size());
  for (const auto& [key, state] : states_) {
    for (const auto& value : key) out.text(value);
    out.u64(state.size());
    out.bytes(state);
  }
  return out.file(kind_of_file());
}

}  // namespace pcgs::compare
