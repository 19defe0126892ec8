#include "show/depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <set>

#include "pcgs/error.h"
#include "proof/path_certificates.h"
#include "proof/trace_file.h"

namespace pcgs::report {

using compare::stretch_of;

namespace {

bool uniform_over_awake(std::span<const double> weights) {
  const double most = *std::max_element(weights.begin(), weights.end());
  return std::all_of(weights.begin(), weights.end(),
                     [&](double w) { return w == 0 || std::abs(w - most) < 1e-12; });
}

}  // namespace

double entropy(std::span<const double> q) {
  double nats = 0;
  for (const double p : q) nats -= p > 0 ? p * std::log(p) : 0;
  return nats;
}

double deviation(std::span<const double> x) {
  if (x.empty()) return 0;
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double squares = 0;
  for (const double y : x) squares += (y - mean) * (y - mean);
  return std::sqrt(squares / n);
}

DepthRecorder::DepthRecorder(std::string name, const Hindsight& hindsight, const Method* method,
                             std::function<double(double round)> place)
    : hindsight_(hindsight), method_(method), place_(std::move(place)) {
  out_.name = std::move(name);
  out_.block_losses.resize(std::min(kBlocks, hindsight.rounds()));
  out_.mean_weights.resize(hindsight.experts());
}

void DepthRecorder::record(const TraceRow& row) {
  const std::size_t t = places_.size();
  if (t >= hindsight_.rounds()) return;
  const auto number = static_cast<double>(row.round.number);
  places_.push_back(place_ ? place_(number) : number);
  const double loss = row.judged().mixture_loss;
  out_.total_loss += loss;
  out_.block_losses[stretch_of(t, hindsight_.rounds(), out_.block_losses.size())] += loss;
  if (hindsight_.has_path()) {
    path_loss_ += hindsight_.path_loss(t);
    // What was published, where something was; bounded as the losses of experts are.
    published_loss_ += row.judged().learner_loss;
    out_.regret.add(places_.back(), published_loss_ - path_loss_);
  }
  stretch_.emplace_back(row.played.begin(), row.played.end());
  for (std::size_t k = 0; k < row.played.size(); ++k) {
    out_.mean_weights[k] += row.played[k] / static_cast<double>(hindsight_.rounds());
  }
  recent_.resize(std::min(t + 1, kVolatilityRounds));
  recent_[t % kVolatilityRounds] = loss;
  if (row.step != nullptr) {
    record_controls(row);
    // A certificate of its own can begin wherever the weights are uniform.
    if (t == 0 && uniform_over_awake(row.played)) live_.emplace(row.played.size());
    if (live_) {
      live_->observe(row.round.losses, *row.step,
                     {row.round.mixture_loss, row.combined_loss(), row.round.scale});
    }
  }
  if (!hindsight_.ends_stretch(t)) return;
  keep_weights();
  record_bound(t);
}

void DepthRecorder::keep_weights() {
  std::vector<double> distances;
  for (const auto& row : stretch_) {
    distances.push_back(std::inner_product(row.begin(), row.end(), stretch_.front().begin(), 0.0,
                                           std::plus(),
                                           [](double x, double y) { return std::abs(x - y); }));
  }
  const auto far = std::ranges::max_element(distances) - distances.begin();
  std::set<std::size_t> kept = {0, static_cast<std::size_t>(far)};
  if (places_.size() == hindsight_.rounds()) kept.insert(stretch_.size() - 1);
  for (const std::size_t i : kept) {
    out_.weight_rounds.push_back(places_[places_.size() - stretch_.size() + i]);
    out_.weights.push_back(std::move(stretch_[i]));
  }
  stretch_.clear();
}

void DepthRecorder::record_controls(const TraceRow& row) {
  const double x = places_.back();
  const std::size_t next = places_.size();
  const Controls& controls = row.step->controls;
  const auto uniform = static_cast<double>(row.played.size());
  out_.eta.add(x, controls.eta);
  out_.rho.add(x, controls.rho);
  out_.q_entropy.add(x, controls.q.empty() ? std::log(uniform) : entropy(controls.q));
  if (hindsight_.has_path() && next < hindsight_.rounds()) {
    out_.q_on_next.add(x, controls.q.empty() ? 1 / uniform : controls.q[hindsight_.path(next)]);
  }
  if (recent_.size() == kVolatilityRounds && controls.rho > top_rho_) {
    top_rho_ = controls.rho;
    top_volatility_ = deviation(recent_);
  }
}

void DepthRecorder::record_bound(std::size_t t) {
  if (top_rho_ >= 0) {
    out_.scatter_rho.push_back(top_rho_);
    out_.scatter_volatility.push_back(top_volatility_);
    top_rho_ = -1;
  }
  Certificate now;
  if (live_) {
    now = live_->weighted();
  } else if (method_ != nullptr && std::isfinite(method_->switching_bound(0))) {
    const auto& frontier =
        hindsight_.frontier(stretch_of(t, hindsight_.rounds(), hindsight_.stretches()));
    if (frontier.empty() || !std::isfinite(frontier.back())) return;
    std::vector<double> bounds;
    for (std::size_t s = 0; s <= hindsight_.budget(); ++s) {
      bounds.push_back(method_->switching_bound(s));
    }
    now = switching_certificate(bounds, out_.total_loss, frontier, t + 1, hindsight_.experts());
    out_.certified_switches = hindsight_.switches();
  } else {
    return;
  }
  out_.bound.add(places_.back(), now.bound);
  out_.certified_regret.add(places_.back(), now.regret);
}

MethodDepth DepthRecorder::finish() {
  for (Points* curve : {&out_.regret, &out_.eta, &out_.rho, &out_.q_on_next, &out_.q_entropy}) {
    *curve = thin(*curve, hindsight_.rounds(), hindsight_.stretches());
  }
  out_.weighted = live_ && live_->constant_eta() == 0;
  if (live_ && !out_.weighted) {
    for (auto* points : {&out_.bound, &out_.certified_regret}) {
      for (double& y : points->y) y /= live_->constant_eta();
    }
  }
  return std::move(out_);
}

namespace {

// Where on the calendar of a problem, if it has one, a round stands by the number that an aggregator
// gives it, which had opened so many `before`: those that are missing have numbers, too.
std::function<double(double)> places(const Problem& problem, double before) {
  TimeAxis axis = time_axis(problem);
  if (!axis.calendar) return {};
  std::vector<double> numbers;
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (problem.has_forecasts() && !problem.missing.empty()) {
      before += static_cast<double>(problem.missing[t]);
    }
    numbers.push_back(++before);
  }
  return [numbers = std::move(numbers), at = std::move(axis.at)](double round) {
    const auto here = std::lower_bound(numbers.begin(), numbers.end() - 1, round);
    return at[static_cast<std::size_t>(here - numbers.begin())];
  };
}

}  // namespace

TraceSink* DepthObserver::begin(const Problem& problem, const MethodResult& method,
                                const Aggregator& player, const Hindsight* hindsight) {
  hindsight_ = hindsight;
  if (!run_) {
    run_ = describe(problem.origin, problem.experts, *hindsight);
    run_->range.calendar = time_axis(problem).calendar;
  }
  const auto before = static_cast<double>(player.last_opened());
  recorder_.emplace(method.name, *hindsight, before == 0 ? &player.method() : nullptr,
                    places(problem, before));
  return &*recorder_;
}

void DepthObserver::end() { add_method(*run_, *hindsight_, *recorder_); }

std::size_t stretches_for(std::size_t methods) {
  return std::clamp<std::size_t>(3300 / std::max<std::size_t>(methods, 1), 150, 2000);
}

RunDepth describe(std::string title, std::vector<std::string> experts, const Hindsight& hindsight) {
  RunDepth run;
  run.title = std::move(title);
  run.experts = std::move(experts);
  run.expert_losses = hindsight.expert_losses();
  run.rounds = hindsight.rounds();
  run.switches = hindsight.switches();
  return run;
}

void add_method(RunDepth& run, const Hindsight& hindsight, DepthRecorder& recorder) {
  const auto& places = recorder.places();
  if (run.methods.empty() && !places.empty()) {
    run.range.first = places.front();
    run.range.last = places.back();
    for (std::size_t t = 0; hindsight.has_path() && t < places.size(); ++t) {
      if (run.path.empty() || run.path.back().expert != hindsight.path(t)) {
        run.path.push_back({places[t], places[t], hindsight.path(t), 0});
      }
      run.path.back().to = places[t];
      ++run.path.back().rounds;
    }
  }
  run.methods.push_back(recorder.finish());
}

void put_combination_first(RunDepth& run) {
  if (run.methods.size() > 1) {
    std::rotate(run.methods.begin(), run.methods.end() - 1, run.methods.end());
  }
}

namespace {

// A trace that somebody made up must not get further than this.
void check_row(const io::TraceReader& reader) {
  const TraceRow& row = reader.row();
  const auto fits = [](std::span<const double> numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x >= 0 && x <= 1; });
  };
  const double sum = std::accumulate(row.played.begin(), row.played.end(), 0.0);
  bool right = fits(row.played) && std::abs(sum - 1) < 1e-6 && fits(row.round.losses) &&
               fits(std::span(&row.round.mixture_loss, 1));
  if (row.step != nullptr) {
    const Controls& controls = row.step->controls;
    right = right && controls.eta > 0 && controls.rho >= 0 && controls.rho <= 1 &&
            fits(controls.q) && std::abs(row.step->mix_loss) <= 2 && std::abs(row.step->gap) <= 2;
  }
  if (right) return;
  throw Error(ErrorKind::kFormat, reader.place(),
              "holds weights, losses or controls that cannot be; give a trace as pcgs run --trace "
              "wrote it");
}

}  // namespace

bool is_trace(std::string_view text) { return io::TraceReader::looks_like_trace(text); }

RunDepth depth_of_trace(std::string_view text, const std::string& origin, std::size_t switches,
                        std::size_t sharing) {
  io::TraceReader first_pass(text, origin);
  Matrix losses(0, first_pass.experts().size());
  std::string method;
  // The losses are those of the first method; the others met the same.
  while (first_pass.next() && (losses.rows == 0 || first_pass.method() == method)) {
    method = first_pass.method();
    check_row(first_pass);
    ++losses.rows;
    const Round& round = first_pass.row().judged();
    for (std::size_t k = 0; k < round.losses.size(); ++k) {
      losses.values.push_back(round.is_awake(k) ? round.losses[k]
                                                : std::numeric_limits<double>::infinity());
    }
  }
  if (losses.rows == 0) {
    throw Error(fmt::format("{}: holds no round; give a trace of a run", origin));
  }

  const Hindsight hindsight(std::move(losses), switches, stretches_for(3 * sharing));
  std::string title = std::filesystem::path(origin).stem().string();
  if (title.ends_with("-trace")) title.resize(title.size() - 6);
  RunDepth run = describe(std::move(title), first_pass.experts(), hindsight);
  io::TraceReader reader(text, origin);
  std::unique_ptr<DepthRecorder> recorder;
  const auto finish = [&] {
    if (!recorder) return;
    if (recorder->places().size() != hindsight.rounds()) {
      throw Error(fmt::format(
          "{}: its methods played different numbers of rounds; give a trace as it was written",
          origin));
    }
    add_method(run, hindsight, *recorder);
  };
  while (reader.next()) {
    if (!recorder || reader.method() != recorder->name()) {
      finish();
      recorder = std::make_unique<DepthRecorder>(reader.method(), hindsight);
    }
    check_row(reader);
    const auto& earlier = recorder->places();
    if (!earlier.empty() && static_cast<double>(reader.row().round.number) <= earlier.back()) {
      throw Error(ErrorKind::kFormat, reader.place(),
                  fmt::format("a round of {} comes after a later one; give a trace in which each "
                              "method is once, and no outcome came late",
                              reader.method()));
    }
    recorder->record(reader.row());
  }
  finish();
  return run;
}

}  // namespace pcgs::report
