// A user's own losses as training sequences: overlapping windows of the past, and the most recent
// rounds held out.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <string>

#include "data/progress.h"
#include "pcgs/matrix.h"
#include "pool.h"
#include "trainer.h"

namespace pcgs::train {

inline constexpr std::size_t kFewestRounds = 150;

struct OwnFile {
  Matrix values;
  std::string origin;  // stands for the file in messages
};

struct OwnLosses {
  Pool windows;
  HeldOut held_out;  // the last fifth in one piece; no window reaches into it
};

// Windows of `window` rounds, or half of what is not held out where that is less. The oracle may
// switch `switches` times in a window, and in proportion in the held-out piece. `side` has a row
// for every round, or no columns at all. Throws Error, naming the file, for losses outside [0,1] or
// fewer than kFewestRounds of them, and for side information that is not finite or of other rounds.
OwnLosses own_losses(const OwnFile& losses, const OwnFile& side, std::size_t window,
                     std::size_t switches, std::size_t threads, torch::Device device,
                     const io::Monitor& monitor = io::progress_bars(true));

}  // namespace pcgs::train
