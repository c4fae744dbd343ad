// The state of the check, for the process and for the calling thread.
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>
#include <string.h>
#include <unistd.h>

__thread memory_thread *interlock_memory_own, *interlock_memory_thread;
bool interlock_memory_is_on;
static const char *lost;

void interlock_memory_stop_thread(void) {
  interlock_memory_own = interlock_memory_thread = NULL;
}

const char *interlock_memory_blindness(void) {
  // Acquire: the text was written before.
  return __atomic_load_n(&lost, __ATOMIC_ACQUIRE);
}

void interlock_memory_lose_sight(const char *reason) {
  const char *none = NULL;
  // Relaxed: a thread that still checks compares accesses that were valid before.
  __atomic_store_n(&interlock_memory_is_on, false, __ATOMIC_RELAXED);
  interlock_memory_stop_thread();
  if (!__atomic_compare_exchange_n(&lost, &none, reason, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    return;
  }
  char line[256];
  snprintf(line, sizeof line, "interlock: races in memory are no longer looked for: %.190s\n",
           reason);
  ssize_t written = write(STDERR_FILENO, line, strlen(line));
  (void)written;
}

#endif
