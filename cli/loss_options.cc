#include "loss_options.h"

#include <fmt/format.h>

#include <charconv>

#include "given.h"
#include "pcgs/error.h"

namespace pcgs::cli {

LossFlags add_loss_options(CLI::App& command, LossOptions& options,
                           const std::vector<std::string>& losses,
                           const std::string& when_automatic, const std::string& usual_warmup) {
  LossFlags flags{};
  flags.loss = command.add_option("--loss", options.loss, "What forecasts are judged by")
                   ->check(CLI::IsMember(losses))
                   ->capture_default_str();
  flags.tau = command.add_option("--tau", options.tau, "Level of the pinball loss (0.5)")
                  ->check(CLI::Range(1e-9, 1 - 1e-9))
                  ->type_name("NUMBER");
  flags.scale =
      command
          .add_option("--scale", options.scale,
                      fmt::format("Divide losses by this number and clip them at 1; auto takes a "
                                  "quantile of the warm-up ({})",
                                  when_automatic))
          ->check(given())
          ->type_name("TEXT");
  flags.warmup =
      command
          .add_option("--warmup", options.warmup,
                      fmt::format("Rounds that set an automatic scale ({})", usual_warmup))
          ->check(CLI::Range(1, 1000000000))
          ->type_name("ROUNDS");
  flags.quantile = command
                       .add_option("--quantile", options.quantile,
                                   "Quantile that becomes the automatic scale (0.95)")
                       ->check(CLI::Range(1e-9, 1.0))
                       ->type_name("NUMBER");
  return flags;
}

TaskLoss chosen_task(const LossOptions& options) {
  if (options.tau > 0 && options.loss != "pinball") {
    throw Error("--tau is the level of the pinball loss; give --loss pinball, or leave it out");
  }
  return TaskLoss(options.loss, options.tau > 0 ? options.tau : 0.5);
}

Bound chosen_bound(const LossOptions& options, bool automatic_by_default, std::size_t usual_warmup,
                   std::size_t rounds, const std::string& origin) {
  const bool automatic = options.scale == "auto" || (options.scale.empty() && automatic_by_default);
  if (!automatic && (options.warmup > 0 || options.quantile > 0)) {
    throw Error(
        "--warmup and --quantile set an automatic scale; give --scale auto, or leave them out");
  }
  if (automatic) {
    const std::size_t warmup = options.warmup > 0 ? options.warmup : usual_warmup;
    if (warmup > rounds) {
      throw Error(
          fmt::format("{}: {} rounds are too few for a warm-up of {}; give --warmup at most {}",
                      origin, rounds, warmup, rounds));
    }
    return Bound::automatic(warmup, options.quantile > 0 ? options.quantile : 0.95);
  }
  if (options.scale.empty()) return Bound::unit();
  double c = 0;
  const char* end = options.scale.data() + options.scale.size();
  const auto [stop, problem] = std::from_chars(options.scale.data(), end, c);
  if (problem != std::errc() || stop != end) {
    throw Error(fmt::format("--scale is '{}'; give a positive number or auto", options.scale));
  }
  return Bound::scale(c);
}

}  // namespace pcgs::cli
