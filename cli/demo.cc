// pcgs demo: every method on a made-up sequence whose best expert changes at random times.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "comparison.h"
#include "core/whole_file.h"
#include "pcgs/error.h"
#include "suite/switching_sequence.h"

namespace pcgs::cli {

namespace {

struct DemoOptions {
  std::size_t rounds = 600;
  std::size_t experts = 32;
  std::uint64_t seed = 7;
  std::string out;
  bool json = false;
  bool quiet = false;
};

// Collects what a method lost in each round.
class LossCurve final : public TraceSink {
 public:
  explicit LossCurve(std::vector<double>& losses) : losses_(losses) {}
  void record(const TraceRow& row) override { losses_.push_back(row.mixture_loss); }

 private:
  std::vector<double>& losses_;
};

// Cumulative loss beyond that of the experts that were really best, a column for each method.
std::string curves_csv(const suite::SwitchingSequence& sequence,
                       const std::vector<std::pair<std::string, std::vector<double>>>& curves) {
  std::string out = "round,winner";
  for (const auto& [name, losses] : curves) out += ',' + name;
  out += '\n';
  std::vector<double> excess(curves.size());
  for (std::size_t t = 0; t < sequence.winner.size(); ++t) {
    out += fmt::format("{},{}", t + 1, sequence.winner[t] + 1);
    for (std::size_t i = 0; i < curves.size(); ++i) {
      excess[i] += curves[i].second[t] - sequence.losses.row(t)[sequence.winner[t]];
      out += fmt::format(",{}", excess[i]);
    }
    out += '\n';
  }
  return out;
}

void run_demo(const DemoOptions& options) {
  const auto sequence = suite::switching_sequence(options.rounds, options.experts, options.seed);
  Problem problem;
  problem.origin = fmt::format("switching sequence, seed {}", options.seed);
  problem.values = sequence.losses;
  for (std::size_t k = 0; k < options.experts; ++k) {
    problem.experts.push_back(fmt::format("e{}", k + 1));
  }

  ComparisonOptions compared;
  compared.methods = all_methods();
  compared.switches = {0, 5, 12, 20};
  compared.quiet = options.quiet;
  std::vector<std::pair<std::string, std::vector<double>>> curves;
  curves.reserve(compared.methods.size());  // sinks keep references into it
  compared.sink = [&](const std::string& name) -> std::unique_ptr<TraceSink> {
    curves.emplace_back(name, std::vector<double>());
    return std::make_unique<LossCurve>(curves.back().second);
  };

  std::unique_ptr<WholeFile> curve_file;
  if (!options.out.empty()) {
    std::error_code failed;  // then the file cannot be written either, and says so
    std::filesystem::create_directories(options.out, failed);
    curve_file = std::make_unique<WholeFile>(options.out + "/curves.csv");
  }
  const Comparison comparison = compare(problem, compared);
  if (curve_file) {
    curve_file->write(curves_csv(sequence, curves));
    curve_file->commit();
  }
  fmt::print("{}", options.json ? json(problem, comparison) : table(problem, comparison));
}

}  // namespace

void add_demo(CLI::App& app) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command =
      app.add_subcommand("demo", "Compare all methods on a made-up switching sequence");
  command->add_option("--rounds", options->rounds, "Rounds")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  command->add_option("--experts", options->experts, "Experts")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  command->add_option("--seed", options->seed, "Seed of the sequence")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--out", options->out,
                      "Folder for curves.csv: each method's cumulative loss beyond the winners'");
  command->add_flag("--json", options->json, "Print one JSON object instead of the table");
  command->add_flag("--quiet", options->quiet, "No progress bar");
  command->footer("Example:\n  pcgs demo --rounds 2000 --experts 100 --seed 3");
  command->callback([options] { run_demo(*options); });
}

}  // namespace pcgs::cli
