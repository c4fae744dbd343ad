// Processor affinity and the idle policy. C, because both are extensions that glibc's headers keep
// back without _GNU_SOURCE, which Swift's import of them does not define.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_priority.h"

#ifdef __linux__

#include <sched.h>

int interlock_processor_count(void) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

bool interlock_run_on_processor(int number) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  for (int processor = 0; processor < CPU_SETSIZE; processor++) {
    if (!CPU_ISSET(processor, &allowed) || number-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
  return false;
}

bool interlock_run_when_idle(void) {
  struct sched_param parameter = {.sched_priority = 0};
  return sched_setscheduler(0, SCHED_IDLE, &parameter) == 0;
}

#else

int interlock_processor_count(void) { return 0; }

bool interlock_run_on_processor(int number) {
  (void)number;
  return false;
}

bool interlock_run_when_idle(void) { return false; }

#endif
