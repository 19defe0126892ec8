// One training in several processes: each calculates its part of every batch, and what they find is
// added up, by libtorch's gloo engine.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string>

namespace pcgs::train {

class Processes {
 public:
  Processes();  // alone
  // Waits until all `count` processes, each with a rank of its own below that, have come to the
  // same rendezvous: a file that all can reach and that was not there before. Throws Error if they
  // do not come, or if this program was built without the engine.
  Processes(std::int64_t rank, std::int64_t count, const std::string& rendezvous);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  std::int64_t rank() const { return rank_; }
  std::int64_t count() const { return count_; }
  bool first() const { return rank_ == 0; }

  // Of `size` things this process takes those from begin to before end; the parts cover all.
  struct Part {
    std::int64_t begin, end;
  };
  Part part_of(std::int64_t size) const {
    return {size * rank_ / count_, size * (rank_ + 1) / count_};
  }

  // The sum over all processes, the same to the bit in each. All must call it in the same order
  // with the same shapes. Throws Error when another process is gone.
  torch::Tensor sum(const torch::Tensor& mine) const;

 private:
  struct Engine;
  std::int64_t rank_ = 0, count_ = 1;
  std::unique_ptr<Engine> engine_;
};

}  // namespace pcgs::train
