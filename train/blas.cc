#include "blas.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace pcgs::train {

void let_blas_use_this_processor([[maybe_unused]] char** argv) {
#if defined(__x86_64__) && defined(__linux__)
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  if (std::getenv(kVariable) != nullptr) return;
  using Name = char* (*)();
  const auto name = reinterpret_cast<Name>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  if (name == nullptr || std::strcmp(name(), "Prescott") != 0) return;
  __builtin_cpu_init();
  const char* better = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                               __builtin_cpu_supports("avx512bw") &&
                               __builtin_cpu_supports("avx512dq")
                           ? "SkylakeX"
                       : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell"
                                                                                         : nullptr;
  if (better == nullptr || setenv(kVariable, better, 1) != 0) return;
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) execv(self.c_str(), argv);  // where that fails too, it only takes longer
#endif
}

void set_threads(int count) {
  at::set_num_threads(count);
  using SetThreads = void (*)(int);
  const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set != nullptr) set(count);
}

}  // namespace pcgs::train
