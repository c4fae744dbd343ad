#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_real_time_limit.h"

#include <stddef.h>

#if defined(__linux__)
#include <sys/resource.h>
#endif

// In C because Swift's module of the C library has no `prlimit`.

uint64_t interlock_real_time_limit(int process) {
#if defined(__linux__)
  struct rlimit limit;
  if (prlimit(process, RLIMIT_RTTIME, NULL, &limit) != 0) return 0;
  return limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : limit.rlim_max;
#else
  (void)process;
  return 0;
#endif
}

bool interlock_set_real_time_limit(uint64_t microseconds) {
#if defined(__linux__)
  struct rlimit limit;
  if (getrlimit(RLIMIT_RTTIME, &limit) != 0) return false;
  limit.rlim_max = (rlim_t)microseconds;
  // RLIM_INFINITY is the highest number.
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_RTTIME, &limit) == 0;
#else
  (void)microseconds;
  return false;
#endif
}
