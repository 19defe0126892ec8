#include "run/level_scores.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "combine/missing_quantiles.h"
#include "combine/quantile_pool.h"
#include "run/level_play.h"

namespace pcgs::compare {

void LevelSums::add(const levels::Levels& levels, std::span<const double> quantiles,
                    double outcome) {
  ++rounds;
  score += level_score(levels, quantiles, outcome);
  if (!levels.symmetric()) return;
  const levels::ScoreParts one = score_parts(levels, quantiles, outcome);
  parts.width += one.width;
  parts.above += one.above;
  parts.below += one.below;
  const std::size_t last = levels.size() - 1;
  held.resize(levels.size() / 2);
  for (std::size_t i = 0; i < held.size(); ++i) {
    held[i] += quantiles[i] <= outcome && outcome <= quantiles[last - i];
  }
}

namespace {

// Sums by time, of two forecasters on the rounds of both.
class Pairing {
 public:
  void add(double time, double combination, double other) {
    auto& [a, b] = by_time_[time];
    a += combination;
    b += other;
  }
  std::optional<stats::LossRatio> ratio() const {
    std::vector<double> a, b;
    for (const auto& [time, sums] : by_time_) {
      a.push_back(sums.first);
      b.push_back(sums.second);
    }
    return stats::loss_ratio(a, b);
  }

 private:
  std::map<double, std::pair<double, double>> by_time_;
};

// What everybody said in one round, on the scale that is scored on.
class Said {
 public:
  Said(const LevelProblem& problem, const levels::Levels& levels, QuantileScale scale)
      : problem_(problem),
        levels_(levels),
        scale_(scale),
        completion_(levels),
        pool_(levels, problem.experts.size()),
        quantiles_(problem.experts.size() * levels.size()),
        awake_(problem.experts.size()),
        weights_(problem.experts.size()),
        order_(problem.experts.size()),
        made_(levels.size()) {}

  double scaled(double x) const { return scale_ == QuantileScale::kLog1p ? std::log1p(x) : x; }

  void take(const LevelProblem::Round& round) {
    forecasts_of(problem_, round, quantiles_);
    for (double& x : quantiles_) x = scaled(x);
    completion_.complete(quantiles_, awake_);
    const auto heard = std::ranges::count(awake_, std::uint8_t{1});
    for (std::size_t k = 0; k < awake_.size(); ++k) {
      weights_[k] = awake_[k] ? 1 / static_cast<double>(heard) : 0;
    }
  }
  bool awake(std::size_t expert) const { return awake_[expert] != 0; }
  std::span<const double> expert(std::size_t k) const {
    return {quantiles_.data() + k * levels_.size(), levels_.size()};
  }
  std::span<const double> mean() {
    levels::quantile_mean(quantiles_, weights_, made_);
    return made_;
  }
  std::span<const double> median() {
    levels::quantile_median(quantiles_, weights_, order_, made_);
    return made_;
  }
  std::span<const double> pool() {
    pool_.arrange(quantiles_);
    pool_.linear(weights_, made_);
    return made_;
  }

 private:
  const LevelProblem& problem_;
  const levels::Levels& levels_;
  QuantileScale scale_;
  levels::Completion completion_;
  levels::Pool pool_;
  std::vector<double> quantiles_;
  std::vector<std::uint8_t> awake_;
  std::vector<double> weights_;
  std::vector<std::size_t> order_;
  std::vector<double> made_;
};

constexpr std::size_t kPoolReference = 1, kReferences = 3, kFirstExpert = 1 + kReferences;

void rank_experts(LevelScores& scores) {
  std::erase_if(scores.all, [](const LevelError& one) { return one.own.rounds == 0; });
  const auto experts = scores.all.begin() + kFirstExpert;
  std::stable_sort(experts, scores.all.end(),
                   [](const LevelError& a, const LevelError& b) { return a.ratio() > b.ratio(); });
  for (std::size_t i = kFirstExpert; i < scores.all.size() && !scores.best_expert; ++i) {
    if (2 * scores.all[i].own.rounds >= scores.all.front().own.rounds) scores.best_expert = i;
  }
}

}  // namespace

LevelScores level_scores(const LevelProblem& problem, const Matrix& published,
                         QuantileScale scale) {
  std::vector<std::size_t> all(problem.rounds.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return level_scores(problem, published, scale, all);
}

LevelScores level_scores(const LevelProblem& problem, const Matrix& published, QuantileScale scale,
                         std::span<const std::size_t> rounds) {
  const levels::Levels levels(problem.levels);
  LevelScores scores;
  scores.between.assign(levels.size() + 1, 0);
  using Kind = LevelError::Kind;
  scores.all = {{"blend", Kind::kMethod, {}, {}},
                {kLinearPool, Kind::kReference, {}, {}},
                {kQuantileMean, Kind::kReference, {}, {}},
                {kQuantileMedian, Kind::kReference, {}, {}}};
  for (const auto& name : problem.experts) scores.all.push_back({name, Kind::kExpert, {}, {}});
  Said said(problem, levels, scale);
  std::vector<Pairing> beside(scores.all.size());
  std::vector<double> combined(levels.size());
  for (const std::size_t t : rounds) {
    const LevelProblem::Round& round = problem.rounds[t];
    if (std::isnan(round.outcome) || std::isnan(published.row(t)[0])) continue;
    const double y = said.scaled(round.outcome);
    std::ranges::transform(published.row(t), combined.begin(),
                           [&](double x) { return said.scaled(x); });
    const double paid = level_score(levels, combined, y);
    const auto add = [&](std::size_t i, std::span<const double> quantiles) {
      scores.all[i].own.add(levels, quantiles, y);
      scores.all[i].combined.add(levels, combined, y);
      beside[i].add(round.time, paid, level_score(levels, quantiles, y));
    };
    said.take(round);
    add(0, combined);
    add(kPoolReference, said.pool());
    add(kPoolReference + 1, said.mean());
    add(kPoolReference + 2, said.median());
    for (const auto& one : round.forecasts) {
      if (said.awake(one.expert)) add(kFirstExpert + one.expert, said.expert(one.expert));
    }
    ++scores.between[static_cast<std::size_t>(std::ranges::lower_bound(combined, y) -
                                              combined.begin())];
  }
  if (scores.all.front().own.rounds == 0) return scores;
  scores.beside_pool = beside[kPoolReference].ratio();
  std::vector<std::string> names;
  for (const auto& one : scores.all) names.push_back(one.name);
  rank_experts(scores);
  if (scores.best_expert) {
    const auto& name = scores.all[*scores.best_expert].name;
    const auto at = std::find(names.begin() + kFirstExpert, names.end(), name) - names.begin();
    scores.beside_best = beside[static_cast<std::size_t>(at)].ratio();
  }
  return scores;
}

}  // namespace pcgs::compare
