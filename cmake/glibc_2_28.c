// For a module that must run with the GNU C library 2.28 of 2018 though it was compiled with a newer one: what
// the C++ library takes from newer ones, and the older versions of functions that exist in several. Linked with
// --wrap for each of the latter (cmake/portable.cmake). They compute the same numbers: the versions of 2.29
// differ in who sets errno.
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// 2.32. "No" is right for one thread, too, and only slower.
HIDDEN char __libc_single_threaded = 0;

// 2.36; behind std::random_device.
HIDDEN uint32_t arc4random(void) {
  uint32_t bits;
  if (getentropy(&bits, sizeof bits) != 0) abort();
  return bits;
}

#define OLDER_OF_ONE(name)                               \
  double older_##name(double);                           \
  __asm__(".symver older_" #name "," #name "@GLIBC_2.2.5"); \
  HIDDEN double __wrap_##name(double x) { return older_##name(x); }

OLDER_OF_ONE(exp)
OLDER_OF_ONE(exp2)
OLDER_OF_ONE(log)
OLDER_OF_ONE(log2)

double older_pow(double, double);
__asm__(".symver older_pow,pow@GLIBC_2.2.5");
HIDDEN double __wrap_pow(double x, double y) { return older_pow(x, y); }
