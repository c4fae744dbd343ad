// What tasks await, by the context of the call, by the task, or both. Each entry is one task's,
// from its exchange on until the task gives it back.
#include "await_table.h"

#if defined(INTERLOCK_INTERPOSES)

enum { most_pending = 1 << 16, probes = 32 };
static pending_await pending[most_pending];
/// Whether a task has ever waited for a task or an actor.
static bool has_awaited;

static pending_await *at_probe(uintptr_t key, size_t probe) {
  size_t first = (size_t)((key ^ key >> 3) * 0x9e3779b97f4a7c15ull >> 40);
  return &pending[(first + probe) % most_pending];
}

pending_await *interlock_await_find(uintptr_t key) {
  for (size_t probe = 0; probe < probes; probe++) {
    pending_await *entry = at_probe(key, probe);
    // Relaxed: only the task itself looks for its keys, and the runtime runs its parts one after
    // the other.
    if (__atomic_load_n(&entry->key, __ATOMIC_RELAXED) == key) return entry;
  }
  return NULL;
}

/// NULL where there is no room. One that a call left behind which never came to its end is taken
/// again.
pending_await *interlock_await_put(uintptr_t key, uintptr_t resume, await_kind kind) {
  pending_await *entry = interlock_await_find(key);
  for (size_t probe = 0; !entry && probe < probes; probe++) {
    pending_await *tried = at_probe(key, probe);
    uintptr_t nobody = 0;
    // Relaxed where it fails: the next entry is looked at. Acquire: after the last task has left
    // the entry.
    if (__atomic_load_n(&tried->key, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(&tried->key, &nobody, key, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
      entry = tried;
    }
  }
  if (!entry) return NULL;
  entry->resume = resume;
  entry->kind = kind;
  entry->is_blind = entry->is_waiting = false;
  entry->is_told = true;
  return entry;
}

void interlock_await_remove(pending_await *entry) {
  // Relaxed: a snapshot is used only if no thread has gone on since.
  __atomic_store_n(&entry->awaited, 0, __ATOMIC_RELAXED);
  // Release: the next task that takes the entry comes after.
  __atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
}

/// Notes what a task waits for until the entry is removed.
void interlock_await_object(pending_await *entry, uintptr_t task, interlock_object_kind kind,
                         uintptr_t object) {
  // Relaxed: read once the process is quiet; it only ever becomes true.
  if (!__atomic_load_n(&has_awaited, __ATOMIC_RELAXED)) {
    __atomic_store_n(&has_awaited, true, __ATOMIC_RELAXED);
  }
  entry->task = task;
  entry->awaited_kind = kind;
  // Release: a snapshot that finds the object finds what is stored before.
  __atomic_store_n(&entry->awaited, object, __ATOMIC_RELEASE);
}

size_t interlock_waits_awaits(interlock_await_view *views, size_t capacity) {
  // Relaxed: see `await_object`.
  if (!__atomic_load_n(&has_awaited, __ATOMIC_RELAXED)) return 0;
  size_t count = 0;
  for (size_t index = 0; index < most_pending; index++) {
    // Acquire: pairs with the release in `await_object`.
    uintptr_t awaited = __atomic_load_n(&pending[index].awaited, __ATOMIC_ACQUIRE);
    if (!awaited) continue;
    if (count < capacity) {
      // The next part of the caller begins at the line of the call: as a return address, one
      // further.
      views[count] = (interlock_await_view){pending[index].task, pending[index].awaited_kind,
                                            awaited, pending[index].resume + 1};
    }
    count++;
  }
  return count;
}

#else

size_t interlock_waits_awaits(interlock_await_view *views, size_t capacity) {
  (void)views, (void)capacity;
  return 0;
}

#endif
