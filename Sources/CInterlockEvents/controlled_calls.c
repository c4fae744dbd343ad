// Installs the performer of explored threads' calls. Separate from the readers of events, which do
// not depend on a performer.
#include "controlled_dispatch.h"
#include "controlled_tasks.h"

#ifdef INTERLOCK_INTERPOSES

bool interlock_control_begin(const interlock_performer *performer) {
  // Stored first. Only explored threads read it, and none exists yet.
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
