// Starts the events, and restarts them in the child of a fork.
#include "interpose.h"
#include "Code/layouts.h"
#include "Lives/task_lives.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>

static void forked(void) {
  interlock_thread_forked();
  interlock_events_forked();
  interlock_work_items_forked();
  interlock_signals_forked();
  interlock_layouts_forked();
  interlock_lives_forked();
}

// Checks the layouts for a reader that was added before the constructors ran.
__attribute__((constructor(101))) static void prepare(void) {
  pthread_atfork(NULL, NULL, forked);
  interlock_events_begin();
}

#endif
