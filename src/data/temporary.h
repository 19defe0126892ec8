// Files that must not outlive the process, and what a signal does about them.
//
// The names of all temporaries that live are kept in a list. A program that calls
// remove_temporaries_on_signals() loses none of them to SIGINT, SIGTERM and their like: they are
// removed, and the process dies by the signal that came. While files get their names (SignalsWait),
// a signal waits until that is done.
#pragma once

#include <string>

namespace pcgs {

// A name in the list. Listed before the file is there, so that no moment is without it.
class Temporary {
 public:
  explicit Temporary(std::string path);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& path() const { return path_; }
  // The file stays: it has its name, or a journal answers for it.
  void keep();
  // Removes the file.
  void remove();

 private:
  friend struct TemporaryList;
  void unlist();
  std::string path_;
  bool listed_ = false;
  Temporary* before_ = nullptr;
  Temporary* after_ = nullptr;
};

// While one of these lives, a signal that would end the process is put off. Whichever thread it is
// delivered to.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();  // dies here, if a signal came
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
};

// For programs, at their start: a library leaves signals to its host. Signals that are ignored
// (nohup) stay so. A file that grows beyond its limit is an error that is told, and no signal.
void remove_temporaries_on_signals();

// For a process that is about to die in another way. No thread gives a file its name after this.
void remove_temporaries_for_good();

}  // namespace pcgs
