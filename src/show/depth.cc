#include "show/depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>

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

double mean(std::span<const double> x) {
  double sum = 0;
  for (const double y : x) sum += y;
  return x.empty() ? 0 : sum / static_cast<double>(x.size());
}

}  // namespace

double entropy(std::span<const double> q) {
  double nats = 0;
  for (const double p : q) nats -= p > 0 ? p * std::log(p) : 0;
  return nats;
}

double deviation(std::span<const double> x) {
  const double middle = mean(x);
  double squares = 0;
  for (const double y : x) squares += (y - middle) * (y - middle);
  return x.empty() ? 0 : std::sqrt(squares / static_cast<double>(x.size()));
}

DepthRecorder::DepthRecorder(std::string name, const Hindsight& hindsight, const Method* method)
    : hindsight_(hindsight),
      method_(method),
      regret_(hindsight.rounds(), hindsight.stretches()),
      eta_(regret_),
      rho_(regret_),
      q_on_next_(regret_),
      q_entropy_(regret_),
      weights_(hindsight.rounds(), hindsight.stretches()) {
  out_.name = std::move(name);
  out_.block_losses.resize(std::min(kBlocks, hindsight.rounds()));
  out_.mean_weights.resize(hindsight.experts());
}

void DepthRecorder::record(const TraceRow& row) {
  const std::size_t t = t_++;
  if (t >= hindsight_.rounds()) return;
  const auto x = static_cast<double>(row.round.number);
  numbers_.push_back(x);
  out_.total_loss += row.judged().mixture_loss;
  out_.block_losses[stretch_of(t, hindsight_.rounds(), out_.block_losses.size())] +=
      row.judged().mixture_loss;
  if (hindsight_.has_path()) {
    path_loss_ += hindsight_.path_loss(t);
    // What was published, where something was; bounded as the losses of experts are.
    published_loss_ += row.judged().learner_loss;
    regret_.add(x, published_loss_ - path_loss_);
  }
  weights_.add(x, row.played);
  for (std::size_t k = 0; k < row.played.size(); ++k) {
    out_.mean_weights[k] += row.played[k] / static_cast<double>(hindsight_.rounds());
  }

  constexpr std::size_t kMemory = kVolatilityRounds;
  if (recent_.size() < kMemory) {
    recent_.push_back(row.judged().mixture_loss);
  } else {
    recent_[t % kMemory] = row.judged().mixture_loss;
  }
  if (row.step != nullptr) {
    record_controls(x, row);
    // A certificate of its own can begin wherever the weights are uniform.
    if (t == 0 && uniform_over_awake(row.played)) live_.emplace(row.played.size());
    if (live_) {
      live_->observe(row.round.losses, *row.step,
                     {row.round.mixture_loss, row.combined_loss(), row.round.scale});
    }
  }
  if (hindsight_.ends_stretch(t)) record_bound(x, t);
}

void DepthRecorder::record_controls(double x, const TraceRow& row) {
  const std::size_t t = t_ - 1;
  const Controls& controls = row.step->controls;
  const auto uniform = static_cast<double>(row.played.size());
  eta_.add(x, controls.eta);
  rho_.add(x, controls.rho);
  q_entropy_.add(x, controls.q.empty() ? std::log(uniform) : entropy(controls.q));
  if (hindsight_.has_path() && t + 1 < hindsight_.rounds()) {
    q_on_next_.add(x, controls.q.empty() ? 1 / uniform : controls.q[hindsight_.path(t + 1)]);
  }
  if (recent_.size() == kVolatilityRounds && controls.rho > top_rho_) {
    top_rho_ = controls.rho;
    top_volatility_ = deviation(recent_);
  }
}

void DepthRecorder::record_bound(double x, std::size_t t) {
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
  for (auto [points, y] :
       {std::pair{&out_.bound, now.bound}, {&out_.certified_regret, now.regret}}) {
    points->x.push_back(x);
    points->y.push_back(y);
  }
}

MethodDepth DepthRecorder::finish() {
  weights_.finish();
  out_.weight_rounds = weights_.x();
  out_.weights = weights_.rows();
  out_.regret = regret_.points();
  out_.eta = eta_.points();
  out_.rho = rho_.points();
  out_.q_on_next = q_on_next_.points();
  out_.q_entropy = q_entropy_.points();
  if (live_) {
    out_.weighted = live_->constant_eta() == 0;
    if (!out_.weighted) {
      for (auto* points : {&out_.bound, &out_.certified_regret}) {
        for (double& y : points->y) y /= live_->constant_eta();
      }
    }
  }
  return std::move(out_);
}

void LossKeeper::record(const TraceRow& row) {
  ++losses_.rows;
  const Round& round = row.judged();
  for (std::size_t k = 0; k < round.losses.size(); ++k) {
    losses_.values.push_back(round.is_awake(k) ? round.losses[k]
                                               : std::numeric_limits<double>::infinity());
  }
}

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
  const auto& numbers = recorder.round_numbers();
  if (run.methods.empty() && !numbers.empty()) {
    run.first = numbers.front();
    run.last = numbers.back();
    for (std::size_t t = 0; hindsight.has_path() && t < numbers.size(); ++t) {
      if (run.path.empty() || run.path.back().expert != hindsight.path(t)) {
        run.path.push_back({numbers[t], numbers[t], hindsight.path(t), 0});
      }
      run.path.back().to = numbers[t];
      ++run.path.back().rounds;
    }
  }
  run.methods.push_back(recorder.finish());
}

void put_on(const Calendar& calendar, const std::function<double(double round)>& place,
            RunDepth& run) {
  const auto put = [&](std::vector<double>& rounds) {
    for (double& x : rounds) x = place(x);
  };
  for (auto& method : run.methods) {
    for (auto* points : {&method.regret, &method.eta, &method.rho, &method.q_on_next,
                         &method.q_entropy, &method.bound, &method.certified_regret}) {
      put(points->x);
    }
    put(method.weight_rounds);
  }
  for (auto& stay : run.path) {
    stay.from = place(stay.from);
    stay.to = place(stay.to);
  }
  run.first = place(run.first);
  run.last = place(run.last);
  run.calendar = calendar;
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
  LossKeeper keeper(first_pass.experts().size());
  std::string method;
  bool any = false;
  // The losses are those of the first method; the others met the same.
  while (first_pass.next() && (!any || first_pass.method() == method)) {
    method = first_pass.method();
    any = true;
    check_row(first_pass);
    keeper.record(first_pass.row());
  }
  if (!any) throw Error(fmt::format("{}: holds no round; give a trace of a run", origin));

  const Hindsight hindsight(keeper.take(), switches, stretches_for(3 * sharing));
  std::string title = std::filesystem::path(origin).stem().string();
  if (title.ends_with("-trace")) title.resize(title.size() - 6);
  RunDepth run = describe(std::move(title), first_pass.experts(), hindsight);
  io::TraceReader reader(text, origin);
  std::unique_ptr<DepthRecorder> recorder;
  const auto finish = [&] {
    if (!recorder) return;
    if (recorder->round_numbers().size() != hindsight.rounds()) {
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
    const auto& numbers = recorder->round_numbers();
    if (!numbers.empty() && static_cast<double>(reader.row().round.number) <= numbers.back()) {
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
