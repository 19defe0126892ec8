#include "serve/memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "data/checksums.h"
#include "data/invariant.h"
#include "serve/state_fields.h"

namespace pcgs::stream {

using Kind = Remembered::Kind;

std::optional<Remembered> Memory::find(const std::string& id) const {
  if (const auto open = open_.find(id); open != open_.end()) return open->second.what;
  return closed_.find(id);
}

Answer Memory::answer(const std::string& id) const {
  if (const auto open = open_.find(id); open != open_.end()) return open->second.answer;
  return closed_.answer(id);
}

void Memory::open(const std::string& id, const Remembered& what, Answer answer) {
  const bool added = open_.emplace(id, Open{what, std::move(answer)}).second;
  invariant(added && what.kind == Kind::kOpen, "a round is opened once");
}

void Memory::add_change(const std::string& id, std::uint64_t digest) {
  closed_.add(id, {.kind = Kind::kExpertChange, .digest = digest}, {});
}

void Memory::close(const std::string& id, Kind kind, double outcome) {
  const auto open = open_.find(id);
  invariant(open != open_.end(), "what is closed was open");
  Remembered& what = open->second.what;
  what.kind = kind;
  what.outcome = outcome;
  closed_.add(id, what, open->second.answer);
  open_.erase(open);
}

std::vector<std::string> Memory::open_ids() const {
  std::vector<std::pair<std::int64_t, std::string>> open;
  for (const auto& [id, round] : open_) open.emplace_back(round.what.round, id);
  std::ranges::sort(open);
  std::vector<std::string> ids;
  for (auto& [round, id] : open) ids.push_back(std::move(id));
  return ids;
}

std::vector<RecentRound> Memory::recent_rounds(std::size_t most) const {
  std::vector<RecentRound> rounds;
  for (const auto& [id, round] : open_) rounds.push_back({id, round.what, round.answer});
  closed_.each([&](std::string_view id, const Remembered& what, const Answer& answer) {
    if (what.kind != Kind::kExpertChange) rounds.push_back({std::string(id), what, answer});
  });
  std::ranges::sort(rounds, {}, [](const RecentRound& one) { return one.what.round; });
  if (rounds.size() > most) rounds.erase(rounds.begin(), rounds.end() - std::ptrdiff_t(most));
  return rounds;
}

namespace {

// Experts rarely change, so their names are written only where they differ from those before.
class Writer {
 public:
  explicit Writer(StateWriter& out) : out_(out) {}
  void operator()(std::string_view id, const Remembered& what, const Answer& answer) {
    out_.text(id);
    out_.u64(static_cast<std::uint64_t>(what.kind));
    out_.u64(what.digest);
    if (what.kind == Kind::kExpertChange) return;
    out_.u64(static_cast<std::uint64_t>(what.round));
    out_.f64(what.outcome);
    out_.f64(what.forecast);
    if (what.kind == Kind::kOpen) out_.f64(what.mean);
    const bool changed = !names_ || (names_ != answer.experts && *names_ != *answer.experts);
    out_.u64(changed ? 1 : 0);
    names_ = answer.experts;
    if (changed) put_texts(out_, *names_);
    out_.f64s(answer.weights);
  }

 private:
  StateWriter& out_;
  std::shared_ptr<const Names> names_;
};

}  // namespace

void Memory::save(StateWriter& out) const {
  out.u64(open_.size() + closed_.size());
  Writer write(out);
  for (const std::string& id : open_ids()) {
    const Open& round = open_.at(id);
    write(id, round.what, round.answer);
  }
  closed_.each(std::ref(write));
}

void Memory::load(StateReader& in, std::size_t version) {
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
    if (version > 1 && what.kind == Kind::kOpen) what.mean = in.f64();
    if (in.u64() != 0) names = std::make_shared<const Names>(take_texts(in));
    if (!names) in.fail("it remembers an answer of nobody");
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
    hash = fnv1a(std::string_view("", 1), hash);  // no name holds a zero
    hash = fnv1a(std::bit_cast<std::array<char, sizeof forecast>>(forecast), hash);
  }
  return hash;
}

std::uint64_t digest_of(std::string_view kind, std::string_view name) {
  return fnv1a(name, fnv1a<std::uint64_t>(kind));
}

}  // namespace pcgs::stream
