#include "stream/memory.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/fnv1a.h"
#include "core/invariant.h"
#include "stream/limits.h"
#include "stream/state_fields.h"

namespace pcgs::stream {

const Remembered* Memory::find(const std::string& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

void Memory::add(const std::string& id, Remembered what) {
  const bool over = what.kind != Remembered::Kind::kOpen;
  const bool added = by_id_.emplace(id, std::move(what)).second;
  invariant(added, "an id is remembered once");
  if (over) finish(id);
}

void Memory::close(const std::string& id, Remembered::Kind kind, double outcome) {
  Remembered& round = by_id_.at(id);
  invariant(round.kind == Remembered::Kind::kOpen, "what is closed was open");
  round.kind = kind;
  round.outcome = outcome;
  finish(id);
}

void Memory::finish(const std::string& id) {
  over_.push_back(id);
  if (over_.size() <= kRemembered) return;
  by_id_.erase(over_.front());
  over_.pop_front();
}

std::vector<std::string> Memory::open_ids() const {
  std::vector<std::pair<std::int64_t, std::string>> open;
  for (const auto& [id, what] : by_id_) {
    if (what.kind == Remembered::Kind::kOpen) open.emplace_back(what.round, id);
  }
  std::ranges::sort(open);
  std::vector<std::string> ids;
  for (auto& [round, id] : open) ids.push_back(std::move(id));
  return ids;
}

std::vector<RecentRound> Memory::recent_rounds(std::size_t most) const {
  std::vector<RecentRound> rounds;
  for (const auto& [id, what] : by_id_) {
    if (what.kind != Remembered::Kind::kExpertChange) rounds.push_back({id, what});
  }
  std::ranges::sort(rounds, {}, [](const RecentRound& one) { return one.what.round; });
  if (rounds.size() > most) rounds.erase(rounds.begin(), rounds.end() - std::ptrdiff_t(most));
  return rounds;
}

// Experts rarely change, so their names are written only where they differ from those before.
void Memory::save(StateWriter& out) const {
  std::vector<std::string> ids = open_ids();
  ids.insert(ids.end(), over_.begin(), over_.end());
  out.u64(ids.size());
  const Names* names = nullptr;
  for (const std::string& id : ids) {
    const Remembered& what = by_id_.at(id);
    out.text(id);
    out.u64(static_cast<std::uint64_t>(what.kind));
    out.u64(what.digest);
    if (what.kind == Remembered::Kind::kExpertChange) continue;
    out.u64(static_cast<std::uint64_t>(what.round));
    out.f64(what.outcome);
    out.f64(what.answer.forecast);
    if (what.kind == Remembered::Kind::kOpen) out.f64(what.mean);
    const bool changed = names == nullptr || *names != *what.answer.experts;
    out.u64(changed ? 1 : 0);
    names = what.answer.experts.get();
    if (changed) put_texts(out, *names);
    out.f64s(what.answer.weights);
  }
}

void Memory::load(StateReader& in, std::size_t version) {
  std::shared_ptr<const Names> names;
  for (std::size_t left = in.count(sizeof(std::uint64_t)); left > 0; --left) {
    const std::string id = in.text();
    Remembered what;
    const std::uint64_t kind = in.u64();
    if (kind > static_cast<std::uint64_t>(Remembered::Kind::kExpertChange)) {
      in.fail("it remembers a round of no known kind");
    }
    what.kind = static_cast<Remembered::Kind>(kind);
    what.digest = in.u64();
    if (what.kind != Remembered::Kind::kExpertChange) {
      what.round = static_cast<std::int64_t>(in.u64());
      what.outcome = in.f64();
      what.answer.forecast = in.f64();
      if (version > 1 && what.kind == Remembered::Kind::kOpen) what.mean = in.f64();
      if (in.u64() != 0) names = std::make_shared<const Names>(take_texts(in));
      if (!names) in.fail("it remembers an answer of nobody");
      what.answer.experts = names;
      what.answer.weights.resize(names->size());
      in.f64s(what.answer.weights);
    }
    if (find(id) != nullptr) in.fail("it remembers a round twice");
    add(id, std::move(what));
  }
}

std::uint64_t digest_of(const std::vector<std::pair<std::string, double>>& forecasts) {
  std::uint64_t hash = fnv1a<std::uint64_t>(std::string_view());
  for (const auto& [name, forecast] : forecasts) {
    hash = fnv1a(name, hash);
    hash = fnv1a(std::string_view("", 1), hash);  // no name holds a zero
    hash = fnv1a(std::bit_cast<std::array<char, sizeof forecast>>(forecast), hash);
  }
  return hash;
}

std::uint64_t digest_of(std::string_view kind, std::string_view name) {
  return fnv1a(name, fnv1a<std::uint64_t>(kind));
}

}  // namespace pcgs::stream
