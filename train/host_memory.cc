#include "host_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace pcgs::train {

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace pcgs::train
