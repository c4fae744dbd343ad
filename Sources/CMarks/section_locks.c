// The locks that sections take, and the section of each. No call reports when such a lock is made
// or destroyed.
#include "interlock_runtime.h"

#include <stddef.h>
#include <sys/mman.h>

typedef struct {
  const void *lock;
  uint64_t section;
} section_lock;

// An entry stays when its lock ends, so there are more entries than prediction follows locks. Only
// used pages are resident.
enum { most = 1 << 19, probes = 64 };
/// NULL before the first listener, or without memory.
static section_lock *known;
static int known_lock;

/// Returns the entry of a lock in the table; NULL if the table is full.
static section_lock *find(const void *lock) {
  if (!known) return NULL;
  size_t first = (size_t)(((uintptr_t)lock >> 3) * 0x9e3779b97f4a7c15ull >> 40);
  for (size_t probe = 0; probe < probes; probe++) {
    section_lock *entry = &known[(first + probe) % most];
    if (entry->lock == lock || !entry->lock) return entry;
  }
  return NULL;
}

static void prepare(void) {
  if (known) return;
  // Here, because a section in the user's code must not allocate.
  void *memory = mmap(NULL, most * sizeof *known, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) known = memory;
}

void interlock_listen_to_locks(interlock_lock_listener listener) {
  if (listener) {
    prepare();
  } else {
    // In the child of a fork the thread that held the table's lock may not exist.
    __atomic_store_n(&known_lock, 0, __ATOMIC_RELAXED);
  }
  // Release: pairs with the acquires in `interlock_publish_lock_change` and
  // `interlock_publish_section_lock`.
  __atomic_store_n(&interlock_current_lock_listener, listener, __ATOMIC_RELEASE);
}

void interlock_publish_section_lock(interlock_lock_change change, const void *lock,
                                    uint64_t section,
                                  interlock_call_place place) {
  // Acquire: the table is made before a listener is set. The listener is loaded again below.
  if (!__atomic_load_n(&interlock_current_lock_listener, __ATOMIC_ACQUIRE)) return;
  // Acquire and release: a spin lock over the table, held for a few instructions.
  while (__atomic_exchange_n(&known_lock, 1, __ATOMIC_ACQUIRE)) interlock_give_way();
  section_lock *entry = find(lock);
  int is_new = entry && entry->section != section;
  if (is_new) *entry = (section_lock){lock, section};
  __atomic_store_n(&known_lock, 0, __ATOMIC_RELEASE);
  if (!entry) {
    interlock_publish_lock_change(INTERLOCK_LOCK_NOT_KNOWN, lock, place);
  } else if (is_new) {
    interlock_publish_lock_change(INTERLOCK_LOCK_MADE, lock, (interlock_call_place){0, 0});
  }
  interlock_publish_lock_change(change, lock, place);
}
