// One-time initialisation that is done: the calling thread comes after the initialiser, of which no
// event tells any more.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

/// Called by the interposed calls for an initialisation that is done.
void interlock_memory_once_done(const void *once) {
  memory_thread *own = own_memory();
  if (!own || is_interrupted(own) || !interlock_memory_settle(own)) return;
  // The clock's number changes when a task begins or ends: the task may not have seen it.
  uint64_t key = (uint64_t)(uintptr_t)once << 16 ^ own->clock->number;
  uint64_t *seen = &own->onces[((uintptr_t)once >> 3) % seen_onces];
  if (*seen == key) return;
  *seen = key;
  mark_busy(own->record->base, true);
  interlock_clock_get(own->clock, (uintptr_t)once, AS_LOCK, false, false);
  mark_busy(own->record->base, false);
}

#endif
