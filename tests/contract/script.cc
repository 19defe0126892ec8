#include "contract/script.h"

#include <cmath>

#include "support/random.h"

namespace pcgs::test {

std::vector<Event> make_script(std::size_t experts, std::size_t events, std::uint64_t seed) {
  Random random(seed);
  ShiftingLosses losses(experts, seed + 1);
  struct Open {
    std::size_t which;
    bool has_forecasts;
  };
  std::vector<Open> open;
  std::size_t openings = 0;
  std::vector<Event> script;
  while (script.size() < events) {
    Event event;
    const double choice = random.uniform();
    if (choice < 0.3) {
      event.kind = Event::Kind::kLearnLosses;
      event.numbers = losses.next();
    } else if (choice < 0.65 && open.size() < 5) {
      const bool has_forecasts = random.chance(0.5);
      event.kind = has_forecasts ? Event::Kind::kPredict : Event::Kind::kOpen;
      event.numbers = random.losses(experts);
      event.awake = random.awake(experts, random.chance(0.5) ? 1 : 0.5);
      if (random.chance(0.05)) event.awake.assign(experts, 0);  // nobody
      for (std::size_t k = 0; k < experts; ++k) {
        if (event.awake[k] == 0) event.numbers[k] = std::nan("");
      }
      if (random.chance(0.3)) event.side = random.losses(1 + random.below(3));
      open.push_back({openings++, has_forecasts});
    } else if (!open.empty()) {
      const std::size_t i = random.below(open.size());
      const bool is_lost = random.chance(0.1);
      event.which = open[i].which;
      event.kind = is_lost                 ? Event::Kind::kAbandon
                   : open[i].has_forecasts ? Event::Kind::kCloseOutcome
                                           : Event::Kind::kCloseLosses;
      event.numbers = losses.next();
      event.outcome = random.uniform();
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      continue;
    }
    script.push_back(std::move(event));
  }
  return script;
}

std::vector<double> Player::apply(Aggregator& aggregator, const Event& event) {
  std::vector<double> seen;
  const auto note_played = [&] {
    const auto played = aggregator.played(opened_.back());
    seen.insert(seen.end(), played.begin(), played.end());
  };
  switch (event.kind) {
    case Event::Kind::kLearnLosses:
      aggregator.learn(event.numbers);
      break;
    case Event::Kind::kPredict:
      seen.push_back(aggregator.predict(event.numbers, event.side));
      opened_.push_back(aggregator.last_opened());
      note_played();
      break;
    case Event::Kind::kOpen:
      opened_.push_back(aggregator.open(event.awake, event.side));
      note_played();
      break;
    case Event::Kind::kCloseLosses:
      aggregator.learn(opened_[event.which], event.numbers);
      break;
    case Event::Kind::kCloseOutcome:
      aggregator.learn(opened_[event.which], event.outcome);
      break;
    case Event::Kind::kAbandon:
      aggregator.abandon(opened_[event.which]);
      break;
  }
  seen.push_back(aggregator.total_loss());
  seen.push_back(aggregator.total_forecast_loss());
  seen.push_back(static_cast<double>(aggregator.rounds()));
  seen.push_back(static_cast<double>(aggregator.skipped()));
  return seen;
}

}  // namespace pcgs::test
