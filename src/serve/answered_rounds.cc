#include "serve/answered_rounds.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "data/checksums.h"
#include "data/invariant.h"
#include "serve/stream.h"

namespace pcgs::serve {

using Kind = Remembered::Kind;

// The experts of a block are the same, so a change of experts ends one.
ClosedRounds::Block& ClosedRounds::block_for(const Answer& answer) {
  const auto fits = [&](const Block& block) {
    return block.what.size() < kBlock &&
           (!answer.experts || !block.experts || block.experts == answer.experts ||
            *block.experts == *answer.experts);
  };
  if (blocks_.empty() || !fits(blocks_.back())) {
    if (!blocks_.empty()) {
      blocks_.back().what.shrink_to_fit();
      blocks_.back().ids.shrink_to_fit();
      blocks_.back().weights.shrink_to_fit();
    }
    blocks_.emplace_back();
  }
  return blocks_.back();
}

void ClosedRounds::add(std::string_view id, const Remembered& what, const Answer& answer) {
  invariant(what.kind != Kind::kOpen, "what is closed is not open");
  Block& block = block_for(answer);
  const std::size_t i = block.what.size();
  if (answer.experts) {
    if (!block.experts) block.experts = answer.experts;
    block.weights.resize(i * answer.experts->size());
    block.weights.insert(block.weights.end(), answer.weights.begin(), answer.weights.end());
  }
  block.hashes[i] = fnv1a<std::uint32_t>(id);
  block.ids += id;
  block.ends[i] = static_cast<std::uint32_t>(block.ids.size());
  block.what.push_back(what);
  if (++size_ <= kRemembered) return;
  --size_;
  if (++forgotten_ < blocks_.front().what.size()) return;
  blocks_.pop_front();
  forgotten_ = 0;
}

std::string_view ClosedRounds::Block::id(std::size_t i) const {
  const std::size_t begin = i == 0 ? 0 : ends[i - 1];
  return std::string_view(ids).substr(begin, ends[i] - begin);
}

Answer ClosedRounds::Block::answer(std::size_t i) const {
  if (what[i].kind == Kind::kExpertChange) return {};
  const auto row = std::span(weights).subspan(i * experts->size(), experts->size());
  return {what[i].forecast, {row.begin(), row.end()}, experts};
}

std::optional<ClosedRounds::Place> ClosedRounds::place_of(std::string_view id) const {
  const auto hash = fnv1a<std::uint32_t>(id);
  std::size_t first = forgotten_;
  for (const Block& block : blocks_) {
    // Without a way out, so that it becomes a few vector instructions.
    unsigned same = 0;
    for (const std::uint32_t one : block.hashes) same |= one == hash ? 1U : 0U;
    for (std::size_t i = first; same != 0 && i < block.what.size(); ++i) {
      if (block.hashes[i] == hash && block.id(i) == id) return Place{&block, i};
    }
    first = 0;
  }
  return {};
}

std::optional<Remembered> ClosedRounds::find(std::string_view id) const {
  const auto place = place_of(id);
  return place ? std::optional(place->block->what[place->record]) : std::nullopt;
}

Answer ClosedRounds::answer(std::string_view id) const {
  const auto place = place_of(id);
  invariant(place.has_value(), "an answer is asked for that is remembered");
  return place->block->answer(place->record);
}

void ClosedRounds::each(const Use& use) const {
  std::size_t first = forgotten_;
  for (const Block& block : blocks_) {
    for (std::size_t i = first; i < block.what.size(); ++i) {
      use(block.id(i), block.what[i], block.answer(i));
    }
    first = 0;
  }
}

std::optional<Remembered> AnsweredRounds::find(const std::string& id) const {
  if (const auto open = open_.find(id); open != open_.end()) return open->second.what;
  return closed_.find(id);
}

Answer AnsweredRounds::answer(const std::string& id) const {
  if (const auto open = open_.find(id); open != open_.end()) return open->second.answer;
  return closed_.answer(id);
}

void AnsweredRounds::open(const std::string& id, const Remembered& what, double mean,
                          Answer answer) {
  const bool added = open_.emplace(id, Open{what, mean, std::move(answer)}).second;
  invariant(added && what.kind == Kind::kOpen, "a round is opened once");
}

void AnsweredRounds::add_change(const std::string& id, std::uint64_t digest) {
  closed_.add(id, {.kind = Kind::kExpertChange, .digest = digest}, {});
}

void AnsweredRounds::close(const std::string& id, Kind kind, double outcome) {
  const auto open = open_.find(id);
  invariant(open != open_.end(), "what is closed was open");
  Remembered& what = open->second.what;
  what.kind = kind;
  what.outcome = outcome;
  closed_.add(id, what, open->second.answer);
  open_.erase(open);
}

std::vector<std::string> AnsweredRounds::open_ids() const {
  std::vector<std::pair<std::int64_t, std::string>> open;
  for (const auto& [id, round] : open_) open.emplace_back(round.what.round, id);
  std::ranges::sort(open);
  std::vector<std::string> ids;
  ids.reserve(open.size());
  for (auto& [round, id] : open) ids.push_back(std::move(id));
  return ids;
}

std::vector<RecentRound> AnsweredRounds::recent_rounds(std::size_t most) const {
  std::vector<RecentRound> rounds;
  for (const auto& [id, round] : open_) rounds.push_back({id, round.what, round.answer});
  closed_.each([&](std::string_view id, const Remembered& what, const Answer& answer) {
    if (what.kind != Kind::kExpertChange) rounds.push_back({std::string(id), what, answer});
  });
  std::ranges::sort(rounds, {}, [](const RecentRound& one) { return one.what.round; });
  if (rounds.size() > most) rounds.erase(rounds.begin(), rounds.end() - std::ptrdiff_t(most));
  return rounds;
}

// Experts rarely change, so their names are written only where they differ from those before.
void AnsweredRounds::save(StateWriter& out) const {
  std::shared_ptr<const Names> names;
  const auto write = [&](std::string_view id, const Remembered& what, const Answer& answer) {
    out.text(id);
    out.u64(static_cast<std::uint64_t>(what.kind));
    out.u64(what.digest);
    if (what.kind == Kind::kExpertChange) return;
    out.u64(static_cast<std::uint64_t>(what.round));
    out.f64(what.outcome);
    out.f64(what.forecast);
    const bool changed = !names || (names != answer.experts && *names != *answer.experts);
    out.u64(changed ? 1 : 0);
    names = answer.experts;
    if (changed) Writing{out}(*names);
    out.f64s(answer.weights);
  };
  out.u64(open_.size() + closed_.size());
  for (const std::string& id : open_ids()) {
    const Open& round = open_.at(id);
    write(id, round.what, round.answer);
    out.f64(round.mean);
  }
  closed_.each(write);
}

void AnsweredRounds::load(StateReader& in) {
  std::shared_ptr<const Names> names;
  for (std::size_t left = in.count(sizeof(std::uint64_t)); left > 0; --left) {
    const std::string id = in.text();
    const std::uint64_t kind = in.u64();
    if (kind > static_cast<std::uint64_t>(Kind::kExpertChange)) {
      in.fail("it remembers a round of no known kind");
    }
    if (find(id)) in.fail("it remembers a round twice");
    Remembered what;
    what.kind = static_cast<Kind>(kind);
    what.digest = in.u64();
    if (what.kind == Kind::kExpertChange) {
      add_change(id, what.digest);
      continue;
    }
    what.round = static_cast<std::int64_t>(in.u64());
    what.outcome = in.f64();
    what.forecast = in.f64();
    if (in.u64() != 0) {
      Names read;
      Reading{in}(read);
      names = std::make_shared<const Names>(std::move(read));
    }
    if (!names) in.fail("it remembers an answer without experts");
    Answer answer{what.forecast, std::vector<double>(names->size()), names};
    in.f64s(answer.weights);
    if (what.kind == Kind::kOpen) {
      open(id, what, in.f64(), std::move(answer));
    } else {
      closed_.add(id, what, answer);
    }
  }
}

std::uint64_t digest_of(const std::vector<std::pair<std::string, double>>& forecasts) {
  std::uint64_t hash = fnv1a<std::uint64_t>(std::string_view());
  for (const auto& [name, forecast] : forecasts) {
    hash = fnv1a(name, hash);
    hash = fnv1a(std::array{'\0'}, hash);  // no name holds a zero
    hash = fnv1a(std::bit_cast<std::array<char, sizeof forecast>>(forecast), hash);
  }
  return hash;
}

}  // namespace pcgs::serve
