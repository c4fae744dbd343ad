// Processor affinity and the idle policy. C, because glibc declares both only under _GNU_SOURCE,
// which Swift's import does not define.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "priority.h"

#ifdef __linux__

#include <sched.h>

bool known_bugs_run_on_first_processor(void) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  for (int processor = 0; processor < CPU_SETSIZE; processor++) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
  return false;
}

bool known_bugs_run_when_idle(void) {
  struct sched_param parameter = {.sched_priority = 0};
  return sched_setscheduler(0, SCHED_IDLE, &parameter) == 0;
}

#else

bool known_bugs_run_on_first_processor(void) { return false; }

bool known_bugs_run_when_idle(void) { return false; }

#endif
