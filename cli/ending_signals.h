// SIGTERM and SIGINT, held back until somebody asks for them.
#pragma once

#include <pthread.h>

#include <csignal>

namespace pcgs::cli {

class EndingSignals {
 public:
  // In this thread, and in every one that it starts from here on.
  EndingSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }

  // For the next one.
  int wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
    return signal;
  }
  // Whether one has come; from one thread.
  bool pending() {
    constexpr timespec kAtOnce{0, 0};
    if (!came_) came_ = sigtimedwait(&signals_, nullptr, &kAtOnce) > 0;
    return came_;
  }

 private:
  sigset_t signals_;
  bool came_ = false;
};

}  // namespace pcgs::cli
