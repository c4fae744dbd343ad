// Keeps OS threads on one processor, because only one logical thread runs at a time. On one
// processor a hand-over is a switch between two threads; on two it wakes the other processor, which
// takes about twice as long. The same holds for the creation of a parked thread, for which its
// maker waits.
//
// Explored code that asks for the affinity mask gets the mask from before. An uncontrolled thread
// that it starts inherits the narrow mask.
#include "../../CInterlockEvents/interpose.h"
#include "stacks.h"

#ifdef INTERLOCK_INTERPOSES

#include <sched.h>
#include <string.h>

typedef int affinity_call(pid_t, size_t, cpu_set_t *);

/// The carrier's mask outside the exploration.
static cpu_set_t before;
static bool is_narrow;

static bool narrow(int processor) {
  if (REAL(affinity_call, sched_getaffinity)(0, sizeof before, &before) != 0) return false;
  if (processor < 0 || processor >= CPU_SETSIZE || !CPU_ISSET(processor, &before)) return false;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

void interlock_processor_enter(void) {
  // The same processor in each exploration: the parked threads of earlier ones stay on it.
  static int processor = -1;
  if (processor < 0) processor = sched_getcpu();
  is_narrow = narrow(processor);
}

bool interlock_processor_stay(void) {
  if (is_narrow) return false;
  return is_narrow = narrow(sched_getcpu());
}

void interlock_processor_leave(void) {
  if (is_narrow) sched_setaffinity(0, sizeof before, &before);
  is_narrow = false;
}

INTERPOSED int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask) {
  if (!is_narrow || !interlock_is_controlled() || pid != 0) {
    return REAL(affinity_call, sched_getaffinity)(pid, size, mask);
  }
  size_t known = size < sizeof before ? size : sizeof before;
  memset(mask, 0, size);
  memcpy(mask, &before, known);
  return 0;
}

#endif
