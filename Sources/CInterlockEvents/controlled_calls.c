// Installs the performer of explored threads' calls. Separate from the readers of events, which do
// not depend on a performer.
#include "controlled_dispatch.h"
#include "controlled_tasks.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>

typedef void free_call(void *);
/// As a pointer to data, which `interlock_lead_calls` writes.
static void *real_free;

/// Not an interposed call: only a process that explores pays for it.
static void free_and_tell(void *block) {
  if (block && interlock_is_controlled()) interlock_posix->freed(block);
  __attribute__((musttail)) return ((free_call *)real_free)(block);
}

void interlock_follow_freed_memory(void) {
  // Explorations take turns.
  if (!real_free) interlock_lead_calls("free", (void *)free, &real_free, (void *)free_and_tell);
}

bool interlock_control_begin(const interlock_performer *performer) {
  // Stored first. Only explored threads read it, and none exists yet.
  interlock_posix = performer->posix;
  interlock_dispatch = performer->dispatch;
  interlock_tasks = performer->tasks;
  interlock_follow_freed_memory();
  return interlock_want_control(true);
}

void interlock_control_end(void) {
  interlock_want_control(false);
  interlock_controlled_dispatch_ends();
}

#endif
