// Simulates thread pools of another machine's size: interposes the calls by which libdispatch and
// Swift Concurrency read the number of processors, because the executable's symbols precede the C
// library's. In C because it must work before libdispatch's constructor, under the C library's
// names.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_pool_width.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INTERLOCK_WITHOUT_INTERPOSITION 1
#endif
#endif

#if defined(__linux__) && !defined(INTERLOCK_WITHOUT_INTERPOSITION)

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void refuse(const char *text) {
  static const char before[] =
      "interlock: " INTERLOCK_POOL_WIDTH_VARIABLE " must be a whole number from 1 to 1024, found '";
  char line[256];
  size_t length = sizeof before - 1;
  memcpy(line, before, length);
  // Show the value, but no control characters.
  for (const char *c = text; *c && length < sizeof line - 3; c++) {
    line[length++] = *c >= 0x20 && *c < 0x7f ? *c : '?';
  }
  line[length++] = '\'';
  line[length++] = '\n';
  // If the error cannot be written, exit all the same.
  if (write(STDERR_FILENO, line, length) < 0) _exit(64);
  _exit(64);
}

int interlock_pool_width(void) {
  // 0 before the first call, -1 for none. Relaxed: concurrent first calls store the same value.
  static int known;
  int width = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (width == 0) {
    const char *text = getenv(INTERLOCK_POOL_WIDTH_VARIABLE);
    width = -1;
    if (text) {
      char *end;
      errno = 0;
      long value = strtol(text, &end, 10);
      if (end == text || *end || errno || value < 1 || value > INTERLOCK_POOL_WIDTH_MOST)
        refuse(text);
      width = (int)value;
    }
    __atomic_store_n(&known, width, __ATOMIC_RELAXED);
  }
  return width < 0 ? 0 : width;
}

long sysconf(int name) {
  typedef long function(int);
  if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) {
    int width = interlock_pool_width();
    if (width) return width;
  }
  static function *real;
  function *known = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (!known) {
    known = (function *)dlsym(RTLD_NEXT, "sysconf");
    __atomic_store_n(&real, known, __ATOMIC_RELAXED);
  }
  return known(name);
}

// libdispatch calls this in its constructor.
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
  typedef int function(pthread_t, size_t, cpu_set_t *);
  int width = interlock_pool_width();
  if (width) {
    if (size * 8 < (size_t)width) return EINVAL;
    memset(set, 0, size);
    for (int processor = 0; processor < width; processor++) CPU_SET_S(processor, size, set);
    return 0;
  }
  static function *real;
  function *known = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (!known) {
    known = (function *)dlsym(RTLD_NEXT, "pthread_getaffinity_np");
    __atomic_store_n(&real, known, __ATOMIC_RELAXED);
  }
  return known(thread, size, set);
}

#else

int interlock_pool_width(void) { return 0; }

#endif
