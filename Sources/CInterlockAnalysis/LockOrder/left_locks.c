// Locks that are left locked: a thread, a block on a pool's thread, or the process held them when
// it ended. Each is a finding only while the lock's own word still names that thread, because
// another thread may unlock, destroy or initialise the lock.
#include "Graph/order_reader.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interlock_code.h"
#include "interlock_runtime.h"

typedef struct {
  interlock_incident incident;
  /// The lock's number, which distinguishes it from other locks at the same address.
  uint32_t lock;
  uint32_t thread;
  bool is_shared;
} left_lock;

enum { capacity = 256 };
static left_lock *left_locks;
/// Written under the lock of the tables; threads that only test for zero read it without.
static uint32_t used;

bool interlock_left_locks_prepare(void) {
  void *memory = mmap(NULL, capacity * sizeof *left_locks, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  left_locks = memory;
  return true;
}

static void remove_at(uint32_t index) {
  left_locks[index] = left_locks[used - 1];
  __atomic_store_n(&used, used - 1, __ATOMIC_RELAXED);
}

static bool is_still_left(const left_lock *left) {
  const interlock_incident *incident = &left->incident;
  const known_lock *lock = interlock_find_lock(incident->object, incident->object_kind);
  uint32_t kind = left->is_shared ? INTERLOCK_OBJECT_READ_LOCK : incident->object_kind;
  return lock && lock->number == left->lock &&
         interlock_lock_is_held_by(incident->object, kind, left->thread);
}

/// True if an object is on the calling thread's stack, which is freed with the thread.
static bool is_on_own_stack(uintptr_t object) {
#ifdef __linux__
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
  void *base = NULL;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &base, &size);
  pthread_attr_destroy(&attributes);
  return object - (uintptr_t)base < size;
#else
  (void)object;
  return true;
#endif
}

static void add(const left_lock *left) {
  if (used == capacity) {
    for (uint32_t index = used; index-- > 0;) {
      if (!is_still_left(&left_locks[index])) remove_at(index);
    }
  }
  if (used == capacity) {
    interlock_losses.incidents = true;
    return;
  }
  left_locks[used] = *left;
  __atomic_store_n(&used, used + 1, __ATOMIC_RELAXED);
}

void interlock_note_left_lock(const thread_record *own, const held_lock *held,
                              interlock_incident_kind kind) {
  switch (held->kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_OWNED_FUTEX: break;
    // Any thread may signal a semaphore.
    default: return;
  }
  // A lock that a system library takes is no fault of the program.
  if (!interlock_events_is_users(held->place)) return;
  interlock_events_hide_thread(true);
  left_lock left = {.incident = {.kind = kind,
                                 .object_kind = held->kind,
                                 .object = held->object,
                                 .place = held->place,
                                 .outer = held->outer,
                                 .count = 1},
                    .thread = (uint32_t)interlock_thread_number(),
                    .is_shared = held->is_shared};
  if (!is_on_own_stack(held->object)) {
    interlock_describe_actor(own, held->place, &left.incident.actor);
    take(&interlock_tables_lock);
    const known_lock *lock = interlock_current_lock(held->object, held->kind);
    // Without its creation, the lock may be in memory that is freed and reused.
    if (lock && lock->is_one) {
      left.lock = lock->number;
      left.incident.created = lock->created;
      add(&left);
    }
    give(&interlock_tables_lock);
  }
  interlock_events_hide_thread(false);
}

void interlock_order_thread_ends(thread_record *own) {
  for (uint32_t index = 0; index < own->held.count; index++) {
    const held_lock *held = &own->held.locks[index];
    if (!interlock_is_in_order(held)) continue;
    interlock_note_left_lock(own, held, INTERLOCK_INCIDENT_LEFT_BY_THREAD);
  }
}

bool interlock_unlocked_for_another(uintptr_t object) {
  // Relaxed: a thread that unlocks for another is already ordered after that thread's lock.
  if (__atomic_load_n(&used, __ATOMIC_RELAXED) == 0) return false;
  bool was_left = false;
  take(&interlock_tables_lock);
  for (uint32_t index = used; index-- > 0;) {
    if (left_locks[index].incident.object != object) continue;
    remove_at(index);
    was_left = true;
  }
  give(&interlock_tables_lock);
  return was_left;
}

/// True if the function that contains a return address is one of `callers`, or may be one.
static bool is_active(uintptr_t place, const uintptr_t *callers, size_t count) {
  if (!interlock_events_is_users(place)) return false;
  // Subtract 1, because the return address may be the start of the next function.
  uintptr_t start = interlock_code_start(place - 1);
  if (!start) return count > 0;
  for (size_t index = 0; index < count; index++) {
    if (interlock_code_start(callers[index] - 1) == start) return true;
  }
  return false;
}

static void note_left(interlock_incident_kind kind, const uintptr_t *callers, size_t count) {
  const thread_record *own = interlock_own_record;
  if (!own || !interlock_prediction_started()) return;
  for (uint32_t index = 0; index < own->held.count; index++) {
    const held_lock *held = &own->held.locks[index];
    if (!interlock_is_in_order(held)) continue;
    if (is_active(held->place, callers, count) || is_active(held->outer, callers, count)) continue;
    interlock_note_left_lock(own, held, kind);
  }
}

void interlock_note_left_by_main(void) { note_left(INTERLOCK_INCIDENT_LEFT_BY_MAIN, NULL, 0); }

void interlock_note_left_by_exit(const uintptr_t *callers, size_t count) {
  note_left(INTERLOCK_INCIDENT_LEFT_BY_EXIT, callers, count);
}

size_t interlock_left_lock_count(void) {
  return interlock_prediction_started() ? __atomic_load_n(&used, __ATOMIC_RELAXED) : 0;
}

bool interlock_left_lock_at(size_t index, interlock_incident *incident) {
  bool found = false;
  take(&interlock_tables_lock);
  if (index < used && is_still_left(&left_locks[index])) {
    *incident = left_locks[index].incident;
    found = true;
  }
  give(&interlock_tables_lock);
  return found;
}
