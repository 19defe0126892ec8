#include "show/trace_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include "pcgs/error.h"
#include "proof/trace_file.h"

namespace pcgs::report {

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
  throw Error(
      fmt::format("{}: holds weights, losses or controls that cannot be; give a trace as pcgs run "
                  "--trace wrote it",
                  reader.position()));
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
      throw Error(
          fmt::format("{}: a round of {} comes after a later one; give a trace in which each "
                      "method is once, and no outcome came late",
                      reader.position(), reader.method()));
    }
    recorder->record(reader.row());
  }
  finish();
  return run;
}

}  // namespace pcgs::report
