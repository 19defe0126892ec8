#include "ending_signals.h"

#include <pthread.h>

#include <initializer_list>

namespace pcgs::cli {

EndingSignals::EndingSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

int EndingSignals::wait() const {
  int signal = 0;
  sigwait(&signals_, &signal);
  return signal;
}

bool EndingSignals::pending() const {
  constexpr timespec kAtOnce{0, 0};
  if (!came_) came_ = sigtimedwait(&signals_, nullptr, &kAtOnce) > 0;
  return came_;
}

}  // namespace pcgs::cli
