// SIGTERM and SIGINT, held back until somebody asks for them.
#pragma once

#include <csignal>

namespace pcgs::cli {

class EndingSignals {
 public:
  // In this thread, and in every one that it starts from here on.
  EndingSignals();

  int wait() const;      // for the next one
  bool pending() const;  // whether one has come; from one thread

 private:
  sigset_t signals_;
  mutable bool came_ = false;
};

}  // namespace pcgs::cli
