// Which performer makes the calls of explored threads. Apart from the readers of events, which know
// of no performer.
#include "controlled_dispatch.h"
#include "controlled_tasks.h"

#ifdef INTERLOCK_INTERPOSES

bool interlock_control_begin(const interlock_performer *performer) {
  // Before a call can ask for it. Only explored threads do, and there is none yet.
  interlock_posix = performer->posix;
  interlock_dispatch = performer->dispatch;
  interlock_tasks = performer->tasks;
  return interlock_want_control(true);
}

void interlock_control_end(void) {
  interlock_want_control(false);
  interlock_controlled_dispatch_ends();
}

#endif
