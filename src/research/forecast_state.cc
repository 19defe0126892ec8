#include "research/forecast_state.h"

#include "data/whole_file.h"
#include "pcgs/state.h"

namespace pcgs::studies {

namespace {

std::uint64_t kind_of_file() { return architecture_hash("a pool and its aggregator", 0); }

}  // namespace

std::vector<std::uint8_t> ForecastState::file() const {
  StateWriter out;
  for (const auto* part : {&pool, &aggregator}) {
    out.u64(part->size());
    out.bytes(*part);
  }
  out.u64(seasons.size());
  for (const std::size_t season : seasons) out.u64(season);
  return out.file(kind_of_file());
}

ForecastState ForecastState::load(const std::string& path) {
  const auto bytes = read_whole_file(path);
  StateReader in(bytes, path);
  if (in.architecture() != kind_of_file()) in.fail("pcgs forecast did not save it");
  ForecastState state;
  for (auto* part : {&state.pool, &state.aggregator}) {
    part->resize(in.count(1));
    in.bytes(*part);
  }
  state.seasons.resize(in.count(sizeof(std::uint64_t)));
  for (std::size_t& season : state.seasons) season = in.u64();
  in.finish();
  return state;
}

}  // namespace pcgs::studies
