#include "data/temporary.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

namespace pcgs {

// What the handler looks at. It may run on any thread at any moment, so the list has a lock that
// spins, and whoever holds it cannot be interrupted: signals are blocked on that thread, and the
// handler itself blocks them.
struct TemporaryList {
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
  Temporary* first = nullptr;
  int waiting = 0;  // SignalsWait that live
  int pending = 0;  // the signal that came meanwhile

  void take() {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  void give_back() { busy.clear(std::memory_order_release); }

  // The lock is never given back after this: from here on no thread gives a file its name.
  void remove_all() const {
    for (const Temporary* one = first; one != nullptr; one = one->after_) {
      unlink(one->path_.c_str());
    }
  }

  [[noreturn]] void remove_all_and_die(int signal) const {
    remove_all();
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
    sigset_t this_one;
    sigemptyset(&this_one);
    sigaddset(&this_one, signal);
    pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
    raise(signal);
    _exit(128 + signal);
  }
};

namespace {

TemporaryList list;

class ListLock {
 public:
  ListLock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    list.take();
  }
  ~ListLock() {
    list.give_back();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  ListLock(const ListLock&) = delete;
  ListLock& operator=(const ListLock&) = delete;

 private:
  sigset_t before_;
};

void handle(int signal) {
  const int kept = errno;
  list.take();
  if (list.waiting == 0) list.remove_all_and_die(signal);
  list.pending = signal;
  list.give_back();
  errno = kept;
}

}  // namespace

Temporary::Temporary(std::string path) : path_(std::move(path)), listed_(true) {
  const ListLock lock;
  after_ = list.first;
  if (after_ != nullptr) after_->before_ = this;
  list.first = this;
}

void Temporary::unlist() {
  if (!listed_) return;
  const ListLock lock;
  (before_ != nullptr ? before_->after_ : list.first) = after_;
  if (after_ != nullptr) after_->before_ = before_;
  listed_ = false;
}

Temporary::~Temporary() { unlist(); }

void Temporary::keep() { unlist(); }

void Temporary::remove() {
  unlink(path_.c_str());
  unlist();
}

SignalsWait::SignalsWait() {
  const ListLock lock;
  ++list.waiting;
}

SignalsWait::~SignalsWait() {
  const ListLock lock;
  if (--list.waiting == 0 && list.pending != 0) list.remove_all_and_die(list.pending);
}

void remove_temporaries_on_signals() {
  struct sigaction ours = {};
  ours.sa_handler = handle;
  sigfillset(&ours.sa_mask);
  ours.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    struct sigaction found = {};
    sigaction(signal, nullptr, &found);
    if (found.sa_handler == SIG_DFL) sigaction(signal, &ours, nullptr);
  }
  signal(SIGXFSZ, SIG_IGN);
}

void remove_temporaries_for_good() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  list.take();
  list.remove_all();
}

}  // namespace pcgs
