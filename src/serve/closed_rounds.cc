#include "serve/closed_rounds.h"

#include <cstring>

#include "data/checksums.h"
#include "data/invariant.h"
#include "serve/limits.h"

namespace pcgs::stream {

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
  Remembered::Kind kind() { return take<Remembered::Kind>(); }
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
  if (out.what.kind == Remembered::Kind::kExpertChange) return out;
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
  invariant(what.kind != Remembered::Kind::kOpen, "what is closed is not open");
  Block& block = block_for(answer);
  block.hashes[block.count] = fnv1a<std::uint32_t>(id);
  block.begins[block.count] = static_cast<std::uint32_t>(block.bytes.size());
  ++block.count;
  put(block.bytes, what.kind);
  put(block.bytes, static_cast<std::uint32_t>(id.size()));
  block.bytes += id;
  put(block.bytes, what.digest);
  if (what.kind != Remembered::Kind::kExpertChange) {
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
  invariant(round.what.kind != Remembered::Kind::kExpertChange, "a round has an answer");
  return unpack_answer(record, round.what.forecast, place->block->experts);
}

void ClosedRounds::each(const Use& use) const {
  std::size_t first = forgotten_;
  for (const Block& block : blocks_) {
    for (std::size_t i = first; i < block.count; ++i) {
      Record record(&block.bytes[block.begins[i]]);
      const Unpacked one = unpack(record);
      const bool change = one.what.kind == Remembered::Kind::kExpertChange;
      use(one.id, one.what,
          change ? Answer{} : unpack_answer(record, one.what.forecast, block.experts));
    }
    first = 0;
  }
}

}  // namespace pcgs::stream
