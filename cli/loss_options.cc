#include "loss_options.h"

#include <fmt/format.h>

#include "option_kinds.h"
#include "pcgs/error.h"

namespace pcgs::cli {

LossFlags add_loss_options(CLI::App& command, LossOptions& options,
                           const std::vector<std::string>& losses,
                           const std::string& when_automatic) {
  LossFlags flags{};
  flags.loss = command.add_option("--loss", options.loss, "What forecasts are judged by")
                   ->check(CLI::IsMember(losses))
                   ->capture_default_str()
                   ->each([&options](const std::string&) { options.given = true; });
  flags.tau = command.add_option("--tau", options.tau, "Level of the pinball loss (0.5)")
                  ->check(CLI::Range(1e-9, 1 - 1e-9))
                  ->type_name("NUMBER");
  flags.scale =
      command
          .add_option("--scale", options.scale,
                      fmt::format("Divide losses by this number and cap them at 1; auto follows "
                                  "them, twenty times a typical loss ({}). catoni:NUMBER and "
                                  "catoni:auto bend them to 1 instead of capping them",
                                  when_automatic))
          ->check(not_empty())
          ->type_name("TEXT");
  return flags;
}

TaskLoss chosen_task(const LossOptions& options) {
  if (options.tau > 0 && options.loss != "pinball") {
    throw Error(ErrorKind::kRequest, {.field = "tau"},
                fmt::format("{} is the level of the pinball loss; give {}, or leave it out",
                            option("tau"), option("loss", "pinball")));
  }
  return TaskLoss(options.loss, options.tau > 0 ? options.tau : 0.5);
}

LossScale chosen_scale(const LossOptions& options) {
  return options.scale.empty() ? LossScale() : LossScale::from(options.scale, option("scale"));
}

}  // namespace pcgs::cli
