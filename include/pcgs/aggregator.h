// The user's object: a method, the losses it learns from, and the rounds that are still open.
//
// Two verbs. With losses:
//
//     play(aggregator.weights());
//     aggregator.learn(losses);
//
// With forecasts (NaN: that expert sleeps this round):
//
//     double combined = aggregator.predict(forecasts);
//     aggregator.learn(outcome);
//
// Outcomes may come late: predict() and open() number the rounds 1, 2, ..., any number can be open,
// and each is closed by its number in any order. The update happens on arrival.
//
// Every finite number is taken as a forecast or an outcome (for log loss probabilities, and 0 or 1),
// and everything that comes out is finite: a combination of experts lies in the range of those awake,
// and a loss beyond the range of a double, or the infinite log loss of a forecast that ruled out what
// happened, counts as the largest double.
//
// Memory is O(K) for each open round and nothing else grows; once as many rounds have been open
// together as ever will be, learning allocates nothing. After an Error the aggregator is as it was
// before the call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/certificates.h"
#include "pcgs/intervals.h"
#include "pcgs/loss_scale.h"
#include "pcgs/losses.h"
#include "pcgs/method.h"
#include "pcgs/trace.h"

namespace pcgs {

class Intervals;

struct AggregatorOptions {
  TaskLoss task{};    // what forecasts are judged by
  LossScale scale{};  // how losses come into [0,1]
  // Names of the experts, or none. They are kept with the state, so that whoever loads it can tell
  // whether the experts are still the same.
  std::vector<std::string> names{};
  // Proves as it goes what the run has achieved. Takes a method of the share form, or one that
  // certifies its forecasts, such as blend.
  bool certify = false;
  // Number of the first round, at least 1. Methods that know a season count its phases from round 1.
  std::int64_t first_round = 1;
  // Puts intervals around combined forecasts. Not for log loss, whose outcomes are 0 and 1.
  std::optional<IntervalOptions> intervals{};
};

class Aggregator {
 public:
  using Options = AggregatorOptions;
  // Builds the method of this full name for this many experts.
  using MethodFactory =
      std::function<std::unique_ptr<Method>(std::string_view name, std::size_t experts)>;

  // Throws Error where the options do not fit the method.
  explicit Aggregator(std::unique_ptr<Method> method, Options options = {});
  ~Aggregator();
  Aggregator(Aggregator&&) noexcept;
  Aggregator& operator=(Aggregator&&) noexcept;

  std::size_t experts() const;
  const Method& method() const { return *method_; }
  const TaskLoss& task() const { return options_.task; }
  // As it stands before the coming round.
  const LossScale& scale() const { return options_.scale; }
  const std::vector<std::string>& names() const { return options_.names; }
  // As the options asked for them.
  const std::optional<IntervalOptions>& interval_options() const { return options_.intervals; }

  // [K] what to play when everybody is awake. Opens nothing.
  std::span<const double> weights() const { return method_->weights(); }

  // Losses: one whole round with everybody awake. Entries finite, >= 0, and <= 1 unless there is a
  // scale.
  // An Error where the method needs side information: open() takes it.
  void learn(std::span<const double> losses);

  // Forecasts: opens a round and combines. NaN if nobody is awake: that round is skipped when it is
  // closed.
  double predict(std::span<const double> forecasts, std::span<const double> side = {});
  // Closes the only open round; an Error if none or several are open.
  void learn(double outcome);

  // Late outcomes, sleepers, side information: finite, and as many numbers as the method needs,
  // here and in predict().
  std::int64_t open(std::span<const std::uint8_t> awake = {}, std::span<const double> side = {});
  std::int64_t last_opened() const { return next_round_ - 1; }
  std::size_t open_rounds() const { return open_.size(); }
  // [K] what that open round plays: zero for sleepers, renormalised over the rest.
  std::span<const double> played(std::int64_t round) const;
  void learn(std::int64_t round, std::span<const double> losses);  // sleepers' entries are ignored
  void learn(std::int64_t round, double outcome);
  // [levels] around the combined forecast of that open round. Empty unless the options asked for
  // them, and where there is nothing to make them from: no error yet, and no two forecasts that differ.
  std::span<const Interval> intervals(std::int64_t round) const;
  // Forgets an open round whose outcome will never come.
  void abandon(std::int64_t round);
  // Rounds pass that nobody forecasts, so that phases of a season keep to the clock. At least 0.
  void skip(std::int64_t rounds);

  // Rounds learned, and the sum of <played weights, losses in [0,1]> over them.
  std::int64_t rounds() const { return learned_; }
  double total_loss() const { return total_loss_; }
  // Sum over the same rounds of what the combined forecast lost, raw (0 without forecasts). At most
  // the largest double, which stands for whatever is beyond it.
  double total_forecast_loss() const { return total_forecast_loss_; }
  // Rounds closed with nobody awake.
  std::int64_t skipped() const { return skipped_; }
  // Rounds learned in which some loss lay beyond the scale and counted as 1.
  std::int64_t capped() const { return capped_; }

  // A text of the owner's, kept with the state: say, when the last round was. At most kLongestNote
  // bytes, or an Error.
  static constexpr std::size_t kLongestNote = 1 << 16;
  const std::string& note() const { return note_; }
  void set_note(std::string note);

  // Every learned round is shown to the sink, which must outlive its use; null to stop.
  void trace(TraceSink* sink) { sink_ = sink; }

  // What is proved so far; null unless the options asked for it. The second is for methods that are
  // not of the share form and certify their forecasts.
  const LiveCertificate* certificate() const { return live_ ? &*live_ : nullptr; }
  const ForecastCertificate* forecast_certificate() const { return of_forecasts_; }

  // Experts come and go, by name (expert_change.h): these are there from the next round on. Those that
  // stay come first and keep their order, and names() says who is where. A newcomer gets about 1/K of
  // the weight, exactly that in the share form, and is asleep in rounds that are open; what a leaver had
  // returns in proportion, in open rounds too, whose forecasts stay as they were published. The same as
  // changing a saved state, to the bit. An Error if a name comes twice, if nobody would be left, without
  // names, and while there is a sink.
  void set_experts(std::span<const std::string> names, const MethodFactory& factory);
  void add_expert(std::string_view name, const MethodFactory& factory);
  void remove_expert(std::string_view name, const MethodFactory& factory);

  // Everything but the sink. run, save, load, run gives the bits of run, run.
  void save(const std::string& path) const;
  static Aggregator load(const std::string& path, const MethodFactory& factory);
  std::vector<std::uint8_t> save_bytes() const;
  static Aggregator load_bytes(std::span<const std::uint8_t> file, const std::string& origin,
                               const MethodFactory& factory);

 private:
  struct Slot;  // one round from its opening until it is learned
  using Slots = std::vector<std::unique_ptr<Slot>>;

  std::size_t checked_index(std::int64_t round) const;
  std::unique_ptr<Slot> new_slot() const;
  Slot& next_slot();
  void play(Slot& slot) const;
  void combine(Slot& slot) const;
  void put_intervals(Slot& slot) const;
  void check_takes_losses() const;
  void check_side(std::span<const double> side) const;
  void check_losses(std::span<const double> losses, std::span<const std::uint8_t> awake) const;
  void close(std::size_t index);
  void learn_from(Slot& slot);
  void load_open(StateReader& in, Slot& slot) const;
  std::vector<std::uint8_t> bytes_after(const ExpertChange* change,
                                        std::span<const std::string> names) const;
  void save_open(StateWriter& out, const Slot& slot) const;
  Slot slot_after(const ExpertChange& change, const Slot& slot) const;
  void update(Round& round, std::span<const double> played, double forecast_loss,
              std::span<const Interval> intervals);

  std::unique_ptr<Method> method_;
  bool needs_forecasts_ = false;  // the method's, asked once
  Options options_;
  TraceSink* sink_ = nullptr;
  std::optional<LiveCertificate> live_;
  ForecastCertificate* of_forecasts_ = nullptr;  // the method's
  std::unique_ptr<Intervals> intervals_;         // null unless the options asked for them

  Slots open_;  // in the order of opening
  Slots free_;  // to reuse

  std::int64_t next_round_ = 1;
  std::int64_t learned_ = 0;
  std::int64_t skipped_ = 0;
  std::int64_t capped_ = 0;
  double total_loss_ = 0;
  double total_forecast_loss_ = 0;
  std::string note_;
};

}  // namespace pcgs
