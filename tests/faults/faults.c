// Lets the N-th call of a kind fail, or the process die before or after it. Loaded with LD_PRELOAD
// into the program, or linked into a test.
//
// PCGS_FAULT="KIND N HOW [MARK]": KIND is calls (open, write, fsync, rename, unlink, close, mkdir,
// getrandom, counted together) or memory (malloc and its like, from when the program sets its signals, the
// first thing that main() does); HOW is an errno by number, with + if all
// later calls fail as well, or kill-before, or kill-after. The file MARK is made when that happens, so
// that whoever counts N up knows when to stop.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

enum { kCalls, kMemory };
static int kind = -1;
static long which;
static int problem, from_then_on, before, after;
static char mark[512];
static atomic_long counted;
static atomic_int begun;

static void choose(const char* text) {
  char name[16] = "", how[16] = "";
  kind = -1;
  counted = 0;
  problem = from_then_on = before = after = 0;
  mark[0] = '\0';
  if (text == NULL || sscanf(text, "%15s %ld %15s %511s", name, &which, how, mark) < 3) return;
  before = strcmp(how, "kill-before") == 0;
  after = strcmp(how, "kill-after") == 0;
  problem = atoi(how);
  from_then_on = strchr(how, '+') != NULL;
  kind = strcmp(name, "memory") == 0 ? kMemory : kCalls;
}

// For a test that links this.
void faults_choose(const char* text) { choose(text); }

__attribute__((constructor)) static void choose_at_start(void) { choose(getenv("PCGS_FAULT")); }

static void leave_mark(void) {
  if (mark[0] == '\0') return;
  const long file = syscall(SYS_open, mark, O_WRONLY | O_CREAT, 0600);
  if (file >= 0) syscall(SYS_close, file);
}

static void die(void) {
  leave_mark();
  syscall(SYS_exit_group, 137);
}

enum { kGoOn, kFail, kDieAfter };

static int next(int of) {
  if (of != kind || (of == kMemory && !begun)) return kGoOn;
  const long number = atomic_fetch_add(&counted, 1) + 1;
  if (number < which || (number > which && !from_then_on)) return kGoOn;
  if (before) die();
  if (after) return kDieAfter;
  leave_mark();
  errno = problem;
  return kFail;
}

#define CALL(real)                   \
  const int fate = next(kCalls);     \
  if (fate == kFail) return -1;      \
  const long result = syscall real;  \
  if (fate == kDieAfter) die();      \
  return result

static int open_with(const char* path, int flags, va_list rest) {
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  CALL((SYS_open, path, flags, mode));
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int result = open_with(path, flags, rest);
  va_end(rest);
  return result;
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int result = open_with(path, flags | O_LARGEFILE, rest);
  va_end(rest);
  return result;
}

ssize_t write(int file, const void* data, size_t size) { CALL((SYS_write, file, data, size)); }
int fsync(int file) { CALL((SYS_fsync, file)); }
int rename(const char* from, const char* to) { CALL((SYS_rename, from, to)); }
int unlink(const char* path) { CALL((SYS_unlink, path)); }
int mkdir(const char* path, mode_t mode) { CALL((SYS_mkdir, path, mode)); }
ssize_t getrandom(void* data, size_t size, unsigned flags) {
  CALL((SYS_getrandom, data, size, flags));
}

// What cannot be closed is closed all the same.
int close(int file) {
  const int fate = next(kCalls);
  const long result = syscall(SYS_close, file);
  if (fate == kDieAfter) die();
  if (fate == kFail) errno = problem;
  return fate == kFail ? -1 : (int)result;
}

int sigaction(int number, const struct sigaction* new, struct sigaction* old) {
  static int (*real)(int, const struct sigaction*, struct sigaction*);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "sigaction");
  begun = 1;
  return real(number, new, old);
}

static int no_memory(void) {
  if (next(kMemory) != kFail) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return no_memory() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return no_memory() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return no_memory() ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return no_memory() ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (no_memory()) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == NULL ? ENOMEM : 0;
}
