// Thread-specific data as an order: parts of tasks, and blocks, that one thread runs may share it.
#include "interlock_performer.h"
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <pthread.h>

typedef void *get_call(pthread_key_t);
static get_call *real_get;

/// Looks the real function up before any thread is started.
static __attribute__((noinline)) void find_call(void) {
  static bool is_looking;
  if (is_looking) return;
  is_looking = true;
  real_get = (get_call *)dlsym(RTLD_NEXT, "pthread_getspecific");
}
__attribute__((constructor(101))) static void prepare(void) {
  if (!real_get) find_call();
}

static void note_use(memory_thread *own, uintptr_t place) {
  if (is_interrupted(own) || interlock_marks.hidden) return;
  // The runtime's own data is not the user's, and makes no order.
  if (!interlock_events_is_users(place) && !interlock_events_is_foundation(place)) return;
  if (!interlock_memory_settle(own)) return;
  begin_change();
  interlock_clock_uses_locals(own->record);
  end_change();
}

__attribute__((weak, visibility("default"))) void *pthread_getspecific(pthread_key_t key) {
  if (__builtin_expect(!real_get, 0)) {
    find_call();
    // Only the look-up itself calls here.
    if (!real_get) return NULL;
  }
  memory_thread *own = interlock_memory_own;
  if (own) note_use(own, PLACE);
  return real_get(key);
}

#endif
