// The start of the wait table, also in the child of a fork.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>

static int started;

/// True in a child process, in which the reader was removed.
static bool was_forked;

static void forked(void) {
  __atomic_store_n(&started, 0, __ATOMIC_RELAXED);
  was_forked = true;
  interlock_left_forked();
  interlock_kept_forked();
}

bool interlock_waits_start(void) {
  static int only;
  if (was_forked) {
    // The layouts and the handler are as in the parent.
    was_forked = false;
    __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
    return interlock_follow(INTERLOCK_PART_WAITS);
  }
  if (__atomic_exchange_n(&only, 1, __ATOMIC_ACQ_REL)) return interlock_waits_started();
  if (interlock_events_available() == INTERLOCK_EVENTS_NONE_LAYOUT) return false;
  // Queued blocks may not have been seen.
  if (interlock_events_available() != INTERLOCK_EVENTS_ALL) interlock_note_partial();
  interlock_queues_prepare();
  pthread_atfork(NULL, NULL, forked);
  // Release: a thread that sees the flag sees the layout.
  __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
  return interlock_follow(INTERLOCK_PART_WAITS);
}

bool interlock_waits_started(void) { return __atomic_load_n(&started, __ATOMIC_ACQUIRE); }

#endif
