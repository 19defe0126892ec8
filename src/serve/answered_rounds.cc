#include "serve/answered_rounds.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>

#include "data/checksums.h"
#include "data/invariant.h"
#include "serve/event.h"

namespace pcgs::serve {

using Kind = Remembered::Kind;

namespace {

template <class Value>
void put(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads a record from its beginning on.
class Record {
 public:
  explicit Record(const char* at) : at_(at) {}
  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  Kind kind() { return take<Kind>(); }
  std::string_view id() {
    const auto size = take<std::uint32_t>();
    at_ += size;
    return {at_ - size, size};
  }
  void weights(std::vector<double>& out) {
    if (!out.empty()) std::memcpy(out.data(), at_, out.size() * sizeof(double));
  }

 private:
  const char* at_;
};

struct Unpacked {
  std::string_view id;
  Remembered what{};
};

// Everything but the weights, which are next.
Unpacked unpack(Record& record) {
  Unpacked out;
  out.what.kind = record.kind();
  out.id = record.id();
  out.what.digest = record.take<std::uint64_t>();
  if (out.what.kind == Kind::kExpertChange) return out;
  out.what.round = record.take<std::int64_t>();
  out.what.outcome = record.take<double>();
  out.what.forecast = record.take<double>();
  return out;
}

std::string_view id_at(const char* at) {
  Record record(at);
  record.kind();
  return record.id();
}

Answer unpack_answer(Record& record, double forecast, const std::shared_ptr<const Names>& experts) {
  Answer answer{forecast, std::vector<double>(experts->size()), experts};
  record.weights(answer.weights);
  return answer;
}

}  // namespace

// The experts of a block are the same, so a change of experts ends one.
ClosedRounds::Block& ClosedRounds::block_for(const Answer& answer) {
  const auto fits = [&](const Block& block) {
    return block.count < kBlock &&
           (!answer.experts || !block.experts || block.experts == answer.experts ||
            *block.experts == *answer.experts);
  };
  if (blocks_.empty() || !fits(blocks_.back())) {
    if (!blocks_.empty()) blocks_.back().bytes.shrink_to_fit();
    blocks_.emplace_back();
  }
  Block& block = blocks_.back();
  if (!block.experts) block.experts = answer.experts;
  return block;
}

void ClosedRounds::add(std::string_view id, const Remembered& what, const Answer& answer) {
  invariant(what.kind != Kind::kOpen, "what is closed is not open");
  Block& block = block_for(answer);
  block.hashes[block.count] = fnv1a<std::uint32_t>(id);
  block.begins[block.count] = static_cast<std::uint32_t>(block.bytes.size());
  ++block.count;
  put(block.bytes, what.kind);
  put(block.bytes, static_cast<std::uint32_t>(id.size()));
  block.bytes += id;
  put(block.bytes, what.digest);
  if (what.kind != Kind::kExpertChange) {
    put(block.bytes, what.round);
    put(block.bytes, what.outcome);
    put(block.bytes, what.forecast);
    for (const double weight : answer.weights) put(block.bytes, weight);
  }
  if (++size_ > kRemembered) forget_oldest();
}

void ClosedRounds::forget_oldest() {
  --size_;
  if (++forgotten_ < blocks_.front().count) return;
  blocks_.pop_front();
  forgotten_ = 0;
}

std::optional<ClosedRounds::Place> ClosedRounds::place_of(std::string_view id) const {
  const auto hash = fnv1a<std::uint32_t>(id);
  std::size_t first = forgotten_;
  for (const Block& block : blocks_) {
    // Without a way out, so that it becomes a few vector instructions.
    unsigned same = 0;
    for (const std::uint32_t one : block.hashes) same |= one == hash ? 1U : 0U;
    for (std::size_t i = first; same != 0 && i < block.count; ++i) {
      if (block.hashes[i] == hash && id_at(&block.bytes[block.begins[i]]) == id) {
        return Place{&block, i};
      }
    }
    first = 0;
  }
  return {};
}

std::optional<Remembered> ClosedRounds::find(std::string_view id) const {
  const auto place = place_of(id);
  if (!place) return {};
  Record record(&place->block->bytes[place->block->begins[place->record]]);
  return unpack(record).what;
}

Answer ClosedRounds::answer(std::string_view id) const {
  const auto place = place_of(id);
  invariant(place.has_value(), "an answer is asked for that is remembered");
  Record record(&place->block->bytes[place->block->begins[place->record]]);
  const Unpacked round = unpack(record);
  invariant(round.what.kind != Kind::kExpertChange, "a round has an answer");
  return unpack_answer(record, round.what.forecast, place->block->experts);
}

void ClosedRounds::each(const Use& use) const {
  std::size_t first = forgotten_;
  for (const Block& block : blocks_) {
    for (std::size_t i = first; i < block.count; ++i) {
      Record record(&block.bytes[block.begins[i]]);
      const Unpacked one = unpack(record);
      const bool change = one.what.kind == Kind::kExpertChange;
      use(one.id, one.what,
          change ? Answer{} : unpack_answer(record, one.what.forecast, block.experts));
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

void AnsweredRounds::open(const std::string& id, const Remembered& what, Answer answer) {
  const bool added = open_.emplace(id, Open{what, std::move(answer)}).second;
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
    if (what.kind == Kind::kOpen) out.f64(what.mean);
    const bool changed = !names || (names != answer.experts && *names != *answer.experts);
    out.u64(changed ? 1 : 0);
    names = answer.experts;
    if (changed) put_texts(out, *names);
    out.f64s(answer.weights);
  };
  out.u64(open_.size() + closed_.size());
  for (const std::string& id : open_ids()) {
    const Open& round = open_.at(id);
    write(id, round.what, round.answer);
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
    if (what.kind == Kind::kOpen) what.mean = in.f64();
    if (in.u64() != 0) names = std::make_shared<const Names>(take_texts(in));
    if (!names) in.fail("it remembers an answer without experts");
    Answer answer{what.forecast, std::vector<double>(names->size()), names};
    in.f64s(answer.weights);
    if (what.kind == Kind::kOpen) {
      open(id, what, std::move(answer));
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

std::uint64_t digest_of(std::string_view kind, std::string_view name) {
  return fnv1a(name, fnv1a<std::uint64_t>(kind));
}

}  // namespace pcgs::serve
