#include "processes.h"

#include <fmt/format.h>

#include <chrono>

#ifdef PCGS_GLOO
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

#include "pcgs/error.h"

namespace pcgs::train {

Processes::~Processes() = default;

#ifdef PCGS_GLOO

struct Processes::Engine {
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
};

Processes::Processes() = default;

Processes::Processes(std::int64_t rank, std::int64_t count, const std::string& rendezvous)
    : rank_(rank), count_(count) {
  if (count == 1) return;
  constexpr std::chrono::minutes kPatience{10};  // others may still be making their sequences
  const auto options = c10d::ProcessGroupGloo::Options::create(kPatience);
  try {
    options->devices.push_back(c10d::ProcessGroupGloo::createDefaultDevice());
    auto store = c10::make_intrusive<c10d::FileStore>(rendezvous, static_cast<int>(count));
    store->setTimeout(kPatience);
    engine_ = std::make_unique<Engine>();
    engine_->group = c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(rank),
                                                                 static_cast<int>(count), options);
  } catch (const std::exception&) {
    throw Error(
        fmt::format("process {} of {} met no others at {}; start all with the same --processes and "
                    "--rendezvous, a file that is not there yet in a folder that all can write to",
                    rank, count, rendezvous));
  }
}

torch::Tensor Processes::sum(const torch::Tensor& mine) const {
  if (count_ == 1) return mine;
  std::vector<at::Tensor> all = {mine.detach().to(torch::kCPU, /*non_blocking=*/false,
                                                  /*copy=*/true)};
  try {
    engine_->group->allreduce(all)->wait();
  } catch (const std::exception&) {
    throw Error("another process of this training is gone; start all of them again");
  }
  return all[0].to(mine.device());
}

#else

struct Processes::Engine {};

Processes::Processes() = default;

Processes::Processes(std::int64_t rank, std::int64_t count, const std::string&)
    : rank_(rank), count_(count) {
  if (count > 1) {
    throw Error(
        "this pcgs-train was built for one process alone, without gloo's headers (libgloo-dev); "
        "leave out --processes");
  }
}

torch::Tensor Processes::sum(const torch::Tensor& mine) const { return mine; }

#endif

}  // namespace pcgs::train
