#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "combine/blend.h"
#include "combine/outliers.h"
#include "core/kernels.h"
#include "methods/methods.h"

namespace pcgs::blend {

namespace {

// A stack costs the square of its experts in time and, for each phase, in memory: a hundred experts
// or a season of ten thousand rounds do without.
constexpr std::size_t kMostStacked = 128;
constexpr std::size_t kMostLearned = 128;                   // so does attention
constexpr std::size_t kMostNumbers = std::size_t{1} << 19;  // of a stack with all its phases
constexpr std::size_t kMostPhases = std::size_t{1} << 13;

// From which round on there are outliers; over how many rounds the usual distance is a mean.
constexpr std::uint64_t kFirstRounds = 10;
constexpr std::uint64_t kDistanceRounds = 200;

// Of Units.
constexpr double kSpan = 500;
constexpr double kLeastOfSpread = 1e-3;
constexpr double kTiny = 1e-140;  // its square is still a normal number
constexpr double kHuge = 1e140;

struct Standard {
  std::vector<std::string> names;  // who is the same derived expert for another number of experts
  std::vector<std::unique_ptr<Derived>> derived;
  std::vector<double> trust;

  std::size_t add(std::string name, std::unique_ptr<Derived> one, double trusted = 1) {
    names.push_back(std::move(name));
    derived.push_back(std::move(one));
    trust.push_back(trusted);
    return derived.size() - 1;
  }
};

constexpr double kFragile = 0.3;

// The mean and the centre first. docs/results.md says on which data they were chosen.
Standard standard_derived(const Setting& s) {
  Standard all;
  const bool stacks = s.experts <= kMostStacked;
  all.add("mean", make_mean());
  const std::size_t centre = all.add("centre", make_linear(s, make_boa));
  all.add("median", make_median(s));
  all.add("ml-poly", make_linear(s, make_ml_poly));
  all.add("ml-prod", make_linear(s, make_ml_prod));
  all.add("ml-ewa", make_linear(s, make_ml_ewa));
  if (s.network != nullptr && s.experts <= kMostLearned) all.add("learned", make_learned(s));
  all.add("inverse error", make_inverse_error(s, 1, 0.99));
  all.add("filter", make_filter(s, 0.3, 0.05));
  all.add("fast filter", make_filter(s, 1, 0.05), kFragile);
  all.add("mean, corrected", make_corrected(s, kMeanIndex, false));
  all.add("centre, corrected", make_corrected(s, centre, true));
  if (stacks) {
    const std::size_t slow = all.add("slow stack", make_stack(s, {0.9995, 10}));
    all.add("stack", make_stack(s, {0.998, 10}));
    all.add("slow stack, corrected", make_corrected(s, slow, true));
  }
  const std::size_t phases = s.seasons.empty() ? 0 : s.seasons.front();
  if (phases == 0 || phases > kMostPhases || phases * s.experts > kMostNumbers) {
    all.add("recent inverse error", make_inverse_error(s, 3, 0.9));
    return all;
  }
  all.add("seasonal inverse error",
          make_seasonal(phases, [&] { return make_inverse_error(s, 3, 0.9); }));
  all.add("seasonal filter", make_seasonal(phases, [&] { return make_filter(s, 0.1, 0.001); }));
  if (stacks && phases * s.experts * s.experts <= kMostNumbers) {
    const auto stack = [&](const char* name, const StackOptions& options, double trusted) {
      return all.add(name, make_seasonal(phases, [&] { return make_stack(s, options); }), trusted);
    };
    stack("firm seasonal stack", {0.995, 100}, 1);
    stack("seasonal stack", {0.995, 10}, 1);
    stack("quick seasonal stack", {0.98, 1, false, false}, kFragile);
    const std::size_t loose = stack("loose seasonal stack", {0.995, 1, true, false}, kFragile);
    all.add("loose seasonal stack, corrected", make_corrected(s, loose, true), kFragile);
  }
  return all;
}

}  // namespace

// ---- Units --------------------------------------------------------------------------------------

Units::Units(std::size_t experts) : squares_(experts), losses_(experts), count_(experts) {}

bool Units::possible(const Size& size) {
  return size.error >= kTiny && size.error <= kHuge && size.loss >= kTiny * kTiny &&
         size.loss <= kHuge * kHuge;
}

Units::Size Units::size(const TaskLoss& task, double spread) const {
  const bool new_here = best_square_ == 0;
  const double least = new_here ? spread : kLeastOfSpread * spread;
  const double error = std::clamp(std::max(std::sqrt(best_square_), least), kTiny, kHuge);
  if (task.kind() == TaskLoss::Kind::kSquared) return {error, error * error};
  const double least_loss = task.kind() == TaskLoss::Kind::kLog ? 1e-3 : least;
  return {error, std::clamp(std::max(best_loss_, least_loss), kTiny, kHuge)};
}

void Units::observe(const Seen& seen, double outcome) {
  const double floor = seen.unit * seen.unit * kLeastOfSpread;
  const double loss_floor = seen.loss_unit * kLeastOfSpread;
  double square = std::numeric_limits<double>::infinity(), loss = square, most_judged = 0;
  for (std::size_t k = 0; k < squares_.size(); ++k) {
    if (seen.awake[k] != 0) {
      const bool first = count_[k] == 0;
      count_[k] = std::min(count_[k] + 1, kSpan);
      const auto take_in = [&](double& mean, double value, double best, double least) {
        const double usual = std::max({mean, best, least});
        mean += ((first ? value : capped(value, usual, kOutlierSquare)) - mean) / count_[k];
      };
      const double e = seen.forecasts[k] - outcome;
      take_in(squares_[k], std::min(e * e, kHuge), best_square_, floor);
      take_in(losses_[k], std::min(seen.task(seen.forecasts[k], outcome), kHuge), best_loss_,
              loss_floor);
    }
    most_judged = std::max(most_judged, count_[k]);
  }
  // Who has hardly been judged may have been lucky.
  for (std::size_t k = 0; k < squares_.size(); ++k) {
    if (count_[k] < most_judged / 2) continue;
    square = std::min(square, squares_[k]);
    loss = std::min(loss, losses_[k]);
  }
  best_square_ = square;
  best_loss_ = loss;
}

void Units::save(StateWriter& out) const {
  out.experts(squares_, 0);
  out.experts(losses_, 0);
  out.experts(count_, 0);
  out.f64(best_square_);
  out.f64(best_loss_);
}

void Units::load(StateReader& in) {
  in.f64s_within(squares_, 0, kHuge, "the usual error of an expert");
  in.f64s_within(losses_, 0, kHuge, "the usual loss of an expert");
  in.f64s_within(count_, 0, kSpan, "a count of rounds");
  best_square_ = in.f64_within(0, kHuge, "the usual error");
  best_loss_ = in.f64_within(0, kHuge, "the usual loss");
}

// ---- The pool -----------------------------------------------------------------------------------

DerivedPool::DerivedPool(const Setting& setting)
    : setting_(setting),
      units_(setting.experts),
      centre_errors_(setting),
      errors_(ErrorMemory::features(setting)),
      heard_at_(kErrors + errors_),
      made_at_(heard_at_ + setting.experts),
      distance_(setting.experts, 0.0),
      forecasts_(setting.experts),
      awake_(setting.experts),
      heard_(setting.experts) {
  Standard standard = standard_derived(setting);
  names_ = std::move(standard.names);
  derived_ = std::move(standard.derived);
  trust_ = std::move(standard.trust);
  kept_ = made_at_ + size();
  for (const auto& one : derived_) {
    kept_at_.push_back(kept_);
    kept_ += one->kept();
  }
}

double DerivedPool::median(const OpenedRound& round) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < forecasts_.size(); ++k) {
    if (round.awake[k] != 0) awake_[count++] = round.forecasts[k];
  }
  return upper_median(std::span(awake_).first(count));
}

// The median of the awake, and who of them is no outlier, into `kept`.
void DerivedPool::find_heard(const OpenedRound& round, std::span<double> kept) {
  const double middle = median(round);
  kept[kMedian] = middle;
  const auto heard = kept.subspan(heard_at_, forecasts_.size());
  std::size_t awake = 0;
  for (std::size_t k = 0; k < heard.size(); ++k) {
    heard[k] = round.awake[k];
    awake += round.awake[k];
  }
  if (awake < 3 || rounds_ < kFirstRounds) return;
  const double unit = units_.size(round.task, 0).error;
  for (std::size_t k = 0; k < heard.size(); ++k) {
    const double usual = std::max(distance_[k], unit);
    if (is_outlier(std::abs(round.forecasts[k] - middle), usual, kOutlierForecast)) heard[k] = 0;
  }
}

// What `kept` says, as far as it has been filled.
Seen DerivedPool::seen(const OpenedRound& round, std::span<const double> kept) {
  ForecastRange range;
  for (std::size_t k = 0; k < forecasts_.size(); ++k) {
    heard_[k] = kept[heard_at_ + k] != 0 ? 1 : 0;
    forecasts_[k] = heard_[k] != 0 ? round.forecasts[k] : kept[kCentre];
    if (heard_[k] != 0) range.add(forecasts_[k]);
  }
  return {round.number,    forecasts_,
          heard_,          range,
          round.task,      kept[kMean],
          kept[kCentre],   kept[kUnit],
          kept[kLossUnit], kept.subspan(kErrors, errors_),
          made(kept),      0};
}

void DerivedPool::forecast(const OpenedRound& round, std::span<double> kept) {
  find_heard(round, kept);
  const auto heard = kept.subspan(heard_at_, forecasts_.size());
  double n = 0, mean = 0, spread = 0;
  for (const double one : heard) n += one;
  ForecastRange range;
  for (std::size_t k = 0; k < heard.size(); ++k) {
    if (heard[k] == 0) continue;
    mean += round.forecasts[k] / n;
    range.add(round.forecasts[k]);
  }
  mean = range.hold(mean);
  for (std::size_t k = 0; k < heard.size(); ++k) {
    if (heard[k] == 0) continue;
    const double d = (round.forecasts[k] - mean) / 1e100;
    spread += d * d;
  }
  const auto [unit, loss_unit] = units_.size(round.task, std::sqrt(spread / n) * 1e100);
  kept[kMean] = kept[kCentre] = mean;
  kept[kUnit] = unit;
  kept[kLossUnit] = loss_unit;
  const auto errors = kept.subspan(kErrors, errors_);
  centre_errors_.recall(round.number, errors);
  for (double& e : errors) e = std::clamp(e / unit, -kLargestError, kLargestError);

  kept[kCentre] = derived_[kCentreIndex]->forecast(
      seen(round, kept), kept.subspan(kept_at_[kCentreIndex], derived_[kCentreIndex]->kept()));
  const Seen now = seen(round, kept);
  for (std::size_t i = 0; i < size(); ++i) {
    kept[made_at_ + i] =
        i == kCentreIndex
            ? kept[kCentre]
            : derived_[i]->forecast(now, kept.subspan(kept_at_[i], derived_[i]->kept()));
  }
}

void DerivedPool::observe(const OpenedRound& round, std::span<const double> kept, double outcome,
                          std::int64_t late) {
  Seen then = seen(round, kept);
  then.late = late;
  for (std::size_t i = 0; i < size(); ++i) {
    derived_[i]->observe(then, kept.subspan(kept_at_[i], derived_[i]->kept()), then.made[i],
                         outcome);
  }
  centre_errors_.put(round.number, std::clamp(outcome - then.centre, -kHuge, kHuge));
  units_.observe(then, outcome);
  observe_distances(round, kept[kMedian]);
}

// Slowly, and an outlier counts like kOutlierForecast usual ones.
void DerivedPool::observe_distances(const OpenedRound& round, double middle) {
  rounds_ = std::min(rounds_ + 1, kDistanceRounds);
  for (std::size_t k = 0; k < distance_.size(); ++k) {
    if (round.awake[k] == 0) continue;
    const double d = std::min(std::abs(round.forecasts[k] - middle), kHuge);
    const double counts =
        rounds_ < kFirstRounds ? d : capped(d, distance_[k] + 1e-140, kOutlierForecast);
    distance_[k] += (counts - distance_[k]) / static_cast<double>(rounds_);
  }
}

void DerivedPool::add_weights(const OpenedRound& round, std::span<const double> kept,
                              std::span<double> shares, std::span<double> weights) {
  const Seen now = seen(round, kept);
  for (std::size_t i = size(); i-- > 0;) {
    const auto [share, base] = derived_[i]->add_weights(now, shares[i], weights);
    if (share != 0) shares[base] += share;  // base < i
  }
}

bool DerivedPool::could_have_kept(std::span<const double> kept) const {
  const auto errors = kept.subspan(kErrors, errors_);
  const auto heard = kept.subspan(heard_at_, forecasts_.size());
  return std::all_of(heard.begin(), heard.end(), [](double x) { return x == 0 || x == 1; }) &&
         std::any_of(heard.begin(), heard.end(), [](double x) { return x == 1; }) &&
         Units::possible({kept[kUnit], kept[kLossUnit]}) &&
         std::all_of(errors.begin(), errors.end(),
                     [](double e) { return std::abs(e) <= kLargestError; });
}

std::string DerivedPool::description() const {
  std::string all = fmt::format("errors {}; ", errors_);
  for (std::size_t i = 0; i < size(); ++i) {
    all += fmt::format("{} keeps {} trust {}; ", names_[i], derived_[i]->kept(), trust_[i]);
  }
  return all;
}

DerivedPool DerivedPool::fresh_for(std::size_t experts) const {
  Setting setting = setting_;
  setting.experts = experts;
  return DerivedPool(setting);
}

ExpertChange DerivedPool::change_to(const DerivedPool& after) const {
  std::vector<std::size_t> from;
  for (const std::string& name : after.names_) {
    const auto at = std::find(names_.begin(), names_.end(), name);
    from.push_back(at == names_.end() ? ExpertChange::kNew
                                      : static_cast<std::size_t>(at - names_.begin()));
  }
  return {size(), std::move(from)};
}

std::vector<double> DerivedPool::kept_after(const ExpertChange& experts,
                                            std::span<const double> kept,
                                            std::span<const std::uint8_t> awake) const {
  const DerivedPool after = fresh_for(experts.after());
  const ExpertChange derived = change_to(after);
  std::vector<double> out(after.kept());
  std::copy_n(kept.begin(), heard_at_, out.begin());
  const auto put = [&](std::span<const double> values, std::size_t at) {
    std::copy(values.begin(), values.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
  };
  auto heard = experts.moved(kept.subspan(heard_at_, this->experts()), 0.0);
  // Everybody who was heard has left: the outliers are all there is.
  if (std::all_of(heard.begin(), heard.end(), [](double x) { return x == 0; })) {
    std::copy(awake.begin(), awake.end(), heard.begin());
  }
  put(heard, after.heard_at_);
  put(derived.moved(made(kept), kept[kCentre]), after.made_at_);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (derived.is_new(i)) continue;
    const std::size_t from = derived.from(i);
    put(kept.subspan(kept_at_[from], derived_[from]->kept()), after.kept_at_[i]);
  }
  return out;
}

void DerivedPool::save(StateWriter& out) const {
  units_.save(out);
  centre_errors_.save(out);
  // A newcomer is not taken for an outlier where others are not.
  out.experts(distance_, *std::max_element(distance_.begin(), distance_.end()));
  out.u64(rounds_);
  if (out.change() == nullptr) {
    for (const auto& one : derived_) one->save(out);
    return;
  }
  // Some come and go with the number of experts.
  const DerivedPool after = fresh_for(out.change()->after());
  const ExpertChange derived = change_to(after);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (derived.is_new(i)) {
      const StateWriter::Changing nobody(out, nullptr);
      after.derived_[i]->save(out);
    } else {
      derived_[derived.from(i)]->save(out);
    }
  }
}

void DerivedPool::load(StateReader& in) {
  units_.load(in);
  centre_errors_.load(in);
  in.f64s_within(distance_, 0, kHuge, "the usual distance of an expert");
  rounds_ = in.u64_below(kDistanceRounds + 1, "a count of rounds");
  for (const auto& one : derived_) one->load(in);
}

}  // namespace pcgs::blend
