// What a QuantilePanel writes to a state file, and how it comes back: include/pcgs/state.h has the
// format around it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "combine/quantile_panel.h"
#include "data/whole_file.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr std::uint64_t kCalibrates = 1, kCertifies = 2;
constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 53;

std::int64_t counter(StateReader& in) {
  return static_cast<std::int64_t>(in.u64_below(kMostRounds, "a count"));
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
  out.u64(round.anchor ? 1 : 0);
  out.f64(round.anchor.value_or(0));
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
  round.heard = in.u64_below(2, "a flag") == 1;
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
  const bool anchored = in.u64_below(2, "a flag") == 1;
  constexpr double kMost = std::numeric_limits<double>::max();
  const double anchor = in.f64_within(-kMost, kMost, "an anchor");
  if (anchored) round.anchor = anchor;
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
  save_names(out, titles);
  for (const std::int64_t n : {next_round, learned, crossed})
    out.u64(static_cast<std::uint64_t>(n));
  for (const std::int64_t n : far) out.u64(static_cast<std::uint64_t>(n));
  out.text(note);
  scores.save(out);
  roots.save(out);
  trust.save(out);
  for (const Series& one : series) {
    levels::save(out, one.scores);
    levels::save(out, one.roots);
    out.u64(one.has_roots ? 1 : 0);
    one.follower.save(out);
    one.anchor.save(out);
    one.trust.save(out);
    if (one.proof) one.proof->save(out);
  }
  calibration.save(out);
  out.u64(open.size());
  for (const auto& round : open) save(out, *round);
}

void QuantilePanel::Panel::load(StateReader& in) {
  names = load_names(in);
  titles = load_names(in);
  next_round = counter(in);
  if (next_round < 1) in.fail("its rounds do not start at 1");
  learned = counter(in);
  crossed = counter(in);
  for (std::size_t k = 0; k < experts(); ++k) far.push_back(counter(in));
  note = in.text();
  scores.load(in, experts());
  roots.load(in, experts());
  trust.load(in);
  for (std::size_t i = 0; i < titles.size(); ++i) {
    Series& one = series.emplace_back(trust.weights(), experts(), options.certify);
    levels::load(in, one.scores, experts());
    levels::load(in, one.roots, experts());
    one.has_roots = in.u64_below(2, "a flag") == 1;
    one.follower.load(in, experts());
    one.anchor.load(in);
    one.trust.load(in);
    if (!one.proof) continue;
    one.proof->load(in, experts());
    if (one.proof->rounds() > static_cast<std::uint64_t>(learned)) {
      in.fail("it proves more rounds than it has learned");
    }
  }
  calibration.load(in);
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
