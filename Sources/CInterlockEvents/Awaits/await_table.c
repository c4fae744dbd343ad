// The waits of tasks, keyed by the call's context, by the task, or by an `async let`. An entry
// belongs to one task, from its compare-exchange until the task gives it back.
#include "await_table.h"

#if defined(INTERLOCK_INTERPOSES)

enum { most_pending = 1 << 16, probes = 32 };
static pending_await pending[most_pending];
/// True once any task has waited for a task, an actor or a group.
static bool has_awaited;

static pending_await *at_probe(uintptr_t key, size_t probe) {
  size_t first = (size_t)((key ^ key >> 3) * 0x9e3779b97f4a7c15ull >> 40);
  return &pending[(first + probe) % most_pending];
}

pending_await *interlock_await_find(uintptr_t key) {
  for (size_t probe = 0; probe < probes; probe++) {
    pending_await *entry = at_probe(key, probe);
    // Relaxed: only the task itself looks up its keys, and the runtime runs the parts of a task one
    // after another.
    if (__atomic_load_n(&entry->key, __ATOMIC_RELAXED) == key) return entry;
  }
  return NULL;
}

/// Returns NULL if the table is full. Reuses an entry that an earlier call with this key left
/// behind without ending.
pending_await *interlock_await_put(uintptr_t key, uintptr_t resume, await_kind kind) {
  pending_await *entry = interlock_await_find(key);
  for (size_t probe = 0; !entry && probe < probes; probe++) {
    pending_await *tried = at_probe(key, probe);
    uintptr_t free_key = 0;
    // Relaxed on failure: the next entry is tried. Acquire: pairs with the release in
    // `interlock_await_remove`.
    if (__atomic_load_n(&tried->key, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(&tried->key, &free_key, key, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
      entry = tried;
    }
  }
  if (!entry) return NULL;
  entry->resume = resume;
  entry->kind = kind;
  entry->is_blind = entry->is_waiting = false;
  // Relaxed: `interlock_waits_calls` reads it at any time.
  __atomic_store_n(&entry->task, 0, __ATOMIC_RELAXED);
  entry->is_published = true;
  return entry;
}

void interlock_await_remove(pending_await *entry) {
  // Relaxed: a reader discards its snapshot if any thread has run since.
  __atomic_store_n(&entry->awaited, 0, __ATOMIC_RELAXED);
  // Release: pairs with the acquire in `interlock_await_put`.
  __atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
}

/// Records the object for which a task waits until the entry is removed.
void interlock_await_object(pending_await *entry, uintptr_t task, interlock_object_kind kind,
                         uintptr_t object) {
  // Relaxed: read once the process is quiet; the flag only ever becomes true.
  if (!__atomic_load_n(&has_awaited, __ATOMIC_RELAXED)) {
    __atomic_store_n(&has_awaited, true, __ATOMIC_RELAXED);
  }
  entry->task = task;
  entry->awaited_kind = kind;
  // Release: pairs with the acquire in `interlock_waits_awaits`.
  __atomic_store_n(&entry->awaited, object, __ATOMIC_RELEASE);
}

size_t interlock_waits_awaits(interlock_await_view *views, size_t capacity) {
  // Relaxed: see `interlock_await_object`.
  if (!__atomic_load_n(&has_awaited, __ATOMIC_RELAXED)) return 0;
  size_t count = 0;
  for (size_t index = 0; index < most_pending; index++) {
    // Acquire: pairs with the release in `interlock_await_object`.
    uintptr_t awaited = __atomic_load_n(&pending[index].awaited, __ATOMIC_ACQUIRE);
    if (!awaited) continue;
    if (count < capacity) {
      // The caller's next part begins on the line of the call. Add one byte, so that the address
      // counts as a return address.
      views[count] = (interlock_await_view){pending[index].task, pending[index].awaited_kind,
                                            awaited, pending[index].resume + 1};
    }
    count++;
  }
  return count;
}

size_t interlock_waits_calls(interlock_call_view *views, size_t capacity) {
  size_t count = 0;
  for (size_t index = 0; index < most_pending; index++) {
    const pending_await *entry = &pending[index];
    // Acquire: pairs with the release in `interlock_await_call`.
    uintptr_t task = __atomic_load_n(&entry->task, __ATOMIC_ACQUIRE);
    bool is_sleep = entry->kind == SLEEP;
    if (!task || !(is_sleep || entry->kind == PLAIN)) continue;
    if (!__atomic_load_n(&entry->key, __ATOMIC_RELAXED)) continue;
    if (count < capacity) {
      interlock_call_view *view = &views[count];
      *view = (interlock_call_view){.task = task, .place = entry->resume + 1, .is_sleep = is_sleep};
      for (size_t outer = 0; is_sleep && outer < interlock_most_outer; outer++) {
        view->outer[outer] = entry->outer[outer];
      }
    }
    count++;
  }
  return count;
}

void interlock_await_call(pending_await *entry, uintptr_t task,
                          const interlock_async_context *context) {
  const interlock_async_context *caller = context->parent;
  for (size_t index = 0; entry->kind == SLEEP && index < interlock_most_outer; index++) {
    // Add one byte, as for the place: see `interlock_waits_awaits`.
    bool is_known = caller && interlock_is_code(caller->resume);
    entry->outer[index] = is_known ? caller->resume + 1 : 0;
    caller = is_known ? caller->parent : NULL;
  }
  // Release: pairs with the acquire in `interlock_waits_calls`.
  __atomic_store_n(&entry->task, task, __ATOMIC_RELEASE);
}

#else

size_t interlock_waits_calls(interlock_call_view *views, size_t capacity) {
  (void)views, (void)capacity;
  return 0;
}

size_t interlock_waits_awaits(interlock_await_view *views, size_t capacity) {
  (void)views, (void)capacity;
  return 0;
}

#endif
