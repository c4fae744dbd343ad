#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_thread_name.h"

#if defined(__linux__)
#include <sys/prctl.h>
#else
#include <pthread.h>
#endif

// In C because Swift does not import the variadic `prctl`.

void interlock_name_thread(const char *name) {
#if defined(__linux__)
  prctl(PR_SET_NAME, name);
#else
  pthread_setname_np(name);
#endif
}
