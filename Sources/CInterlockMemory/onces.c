// One-time initialisation. A call on a completed token publishes no event, so the order is added
// here: the calling thread comes after the initialiser. C++ has separate functions for a static
// variable of a function.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>

/// Called by the interposed calls for an initialisation that is done.
void interlock_memory_once_done(const void *once) {
  memory_thread *own = own_memory();
  if (!own || is_interrupted(own) || !interlock_memory_settle(own)) return;
  // The key includes the clock's number, which changes when a task begins or ends: the task may not
  // have come after the initialiser yet.
  uint64_t key = (uint64_t)(uintptr_t)once << 16 ^ own->clock->number;
  uint64_t *seen = &own->onces[((uintptr_t)once >> 3) % seen_onces];
  if (*seen == key) return;
  *seen = key;
  begin_change();
  interlock_clock_get(own->clock, (uintptr_t)once, AS_LOCK, false, false);
  end_change();
}

typedef int acquire_call(uint64_t *);
typedef void release_call(uint64_t *);
#define REAL_CALL(type, name) ((type *)dlsym(RTLD_NEXT, name))

// Rarely called: the compiler's code first reads the guard by an atomic load that acquires it.

EXPORTED __attribute__((weak)) int __cxa_guard_acquire(uint64_t *guard) {
  int is_first = REAL_CALL(acquire_call, "__cxa_guard_acquire")(guard);
  if (!is_first) interlock_memory_once_done(guard);
  return is_first;
}

EXPORTED __attribute__((weak)) void __cxa_guard_release(uint64_t *guard) {
  memory_thread *own = own_memory();
  if (own && !is_interrupted(own) && interlock_memory_settle(own)) {
    begin_change();
    interlock_clock_pass(own->clock, (uintptr_t)guard, AS_LOCK, false);
    end_change();
  }
  REAL_CALL(release_call, "__cxa_guard_release")(guard);
}

#endif
