// Installs the performer of explored threads' calls. Separate from the readers of events, which do
// not depend on a performer.
#include "Dispatch/controlled_dispatch.h"
#include "Concurrency/controlled_tasks.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>

typedef void free_call(void *);
/// A pointer to data, because `interlock_lead_calls` writes it.
static void *real_free;

/// Redirected by `interlock_lead_calls` instead of interposed, so that only a process that explores
/// pays for it.
static void free_and_tell(void *block) {
  if (block && interlock_is_controlled()) interlock_posix->freed(block);
  __attribute__((musttail)) return ((free_call *)real_free)(block);
}

void interlock_follow_freed_memory(void) {
  // No lock is needed: one exploration runs at a time.
  if (!real_free) interlock_lead_calls("free", (void *)free, &real_free, (void *)free_and_tell);
}

bool interlock_control_begin(const interlock_performer *performer) {
  // Stored before control begins: only explored threads read it, and there is none yet.
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
