// What a QuantilePanel writes to a state file, and how it comes back: include/pcgs/state.h has the
// format around it.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "combine/quantile_panel.h"
#include "combine/quantile_pool.h"
#include "data/whole_file.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr std::uint64_t kCalibrates = 1, kCertifies = 2;
constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 53;

std::int64_t counter(StateReader& in) {
  const std::uint64_t n = in.u64();
  if (n >= kMostRounds) in.fail("a count in it is out of range");
  return static_cast<std::int64_t>(n);
}

void save_names(StateWriter& out, const std::vector<std::string>& names) {
  out.u64(names.size());
  for (const auto& name : names) out.text(name);
}

std::vector<std::string> load_names(StateReader& in) {
  std::vector<std::string> names(in.count(sizeof(std::uint64_t)));
  std::unordered_set<std::string> seen;
  for (auto& name : names) {
    name = in.text();
    if (!seen.insert(name).second) in.fail("a name stands in it twice");
  }
  return names;
}

// Distributions that somebody made: finite and in order.
void load_rows(StateReader& in, std::span<double> rows, std::size_t count) {
  in.f64s(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows[i])) in.fail("a quantile in it is not finite");
    if (i % count > 0 && rows[i] < rows[i - 1]) in.fail("quantiles in it are not in order");
  }
}

}  // namespace

void QuantilePanel::Panel::save(StateWriter& out, const Round& round) const {
  out.u64(static_cast<std::uint64_t>(round.number));
  out.u64(round.series);
  out.u64(round.heard ? 1 : 0);
  out.bytes(round.awake);
  for (std::size_t k = 0; k < experts(); ++k) {
    if (round.awake[k]) out.f64s({round.forecasts.data() + k * levels.size(), levels.size()});
  }
  if (!round.heard) return;
  out.f64s(round.of_vectors);
  out.f64s(round.made);
  out.f64s(round.combined);
  out.f64s(round.calibrated);
}

void QuantilePanel::Panel::load(StateReader& in, Round& round) {
  const std::size_t count = levels.size();
  round.number = counter(in);
  if (round.number < 1 || round.number >= next_round) in.fail("a round in it was never opened");
  if (!open.empty() && open.back()->number >= round.number) in.fail("its rounds are not in order");
  round.series = in.u64();
  if (round.series >= series.size()) in.fail("a round in it is of no series");
  const std::uint64_t heard = in.u64();
  if (heard > 1) in.fail("a flag in it is neither 0 nor 1");
  round.heard = heard == 1;
  round.awake.resize(experts());
  in.bytes(round.awake);
  if (round.heard) round.forecasts.assign(experts() * count, std::nan(""));
  for (std::size_t k = 0; k < experts(); ++k) {
    if (round.awake[k] > 1) in.fail("an awake flag in it is neither 0 nor 1");
    if (!round.awake[k]) continue;
    if (!round.heard) in.fail("an expert is awake in a round without forecasts");
    load_rows(in, {round.forecasts.data() + k * count, count}, count);
  }
  if (!round.heard) return;
  make_room(round);
  load_rows(in, round.of_vectors, count);
  load_rows(in, round.made, count);
  load_rows(in, round.combined, count);
  load_rows(in, round.calibrated, count);
  publish(round);
}

void QuantilePanel::Panel::save(StateWriter& out) const {
  out.text(kQuantilePanel);
  out.u64(levels.size());
  out.f64s(levels.values());
  out.u64(options.scale == QuantileScale::kLog1p ? 1 : 0);
  out.u64((options.calibrate ? kCalibrates : 0) | (options.certify ? kCertifies : 0));
  save_names(out, names);
  save_names(out, series);
  for (const std::int64_t n : {next_round, learned, crossed, outliers}) {
    out.u64(static_cast<std::uint64_t>(n));
  }
  out.text(note);
  all.save(out);
  for (const auto& one : own) one.save(out);
  for (const auto& one : units) one.save(out);
  calibration.save(out);
  for (const auto& one : proofs) one.save(out);
  out.u64(open.size());
  for (const auto& round : open) save(out, *round);
}

void QuantilePanel::Panel::load(StateReader& in) {
  names = load_names(in);
  series = load_names(in);
  next_round = counter(in);
  if (next_round < 1) in.fail("its rounds do not start at 1");
  learned = counter(in);
  crossed = counter(in);
  outliers = counter(in);
  note = in.text();
  own.resize(series.size());
  units.resize(series.size());
  all.load(in, experts());
  for (auto& one : own) one.load(in, experts());
  for (auto& one : units) one.load(in);
  calibration.load(in);
  for (std::size_t i = 0; options.certify && i < series.size(); ++i) {
    proofs.emplace_back(levels::kRates.size()).load(in, experts());
    if (proofs.back().rounds() > static_cast<std::uint64_t>(learned)) {
      in.fail("it proves more rounds than it has learned");
    }
  }
  resize_for_experts();
  const std::size_t rounds = in.count(4 * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < rounds; ++i) {
    load(in, new_round());
    open.push_back(std::move(free.back()));
    free.pop_back();
  }
}

std::vector<std::uint8_t> QuantilePanel::save_bytes() const {
  StateWriter out;
  panel_->save(out);
  return out.file(architecture_hash(kQuantilePanel, panel_->levels.size()));
}

QuantilePanel QuantilePanel::load_bytes(std::span<const std::uint8_t> file,
                                        const std::string& origin) {
  StateReader in(file, origin);
  const std::string name = in.text();
  if (name != kQuantilePanel)
    in.mismatch("holds the state of something else than a panel of quantile forecasts");
  QuantileOptions options;
  options.levels.resize(in.count(sizeof(double)));
  in.f64s(options.levels);
  if (in.architecture() != architecture_hash(name, options.levels.size())) {
    in.fail("its header belongs to another number of levels");
  }
  const std::uint64_t scale = in.u64();
  if (scale > 1) in.fail("it was combined on a scale that is unknown");
  options.scale = scale == 1 ? QuantileScale::kLog1p : QuantileScale::kRaw;
  const std::uint64_t does = in.u64();
  if (does > (kCalibrates | kCertifies)) in.fail("it does something unknown");
  options.calibrate = (does & kCalibrates) != 0;
  options.certify = (does & kCertifies) != 0;
  std::unique_ptr<Panel> panel;
  try {
    panel = std::make_unique<Panel>(std::move(options));
  } catch (const Error&) {
    in.fail("its levels are damaged");
  }
  panel->load(in);
  in.finish();
  return QuantilePanel(std::move(panel));
}

void QuantilePanel::save(const std::string& path) const {
  WholeFile file(path);
  const auto bytes = save_bytes();
  file.write(bytes.data(), bytes.size());
  file.commit();
}

QuantilePanel QuantilePanel::load(const std::string& path) {
  return load_bytes(read_whole_file(path), path);
}

}  // namespace pcgs
