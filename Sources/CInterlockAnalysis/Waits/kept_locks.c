// The locks that code of a scope, such as a test, has acquired and left locked. A scope that ends
// asks for them.
#include "interlock_lives.h"
#include "interlock_performer.h"
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>

enum { most_kept = 256 };
static interlock_kept_lock kept[most_kept];
static uint32_t next_kept;
static int kept_lock;
/// The number of locks noted so far. Written under the lock; threads that only test for zero read
/// it without.
static uint32_t kept_count;

/// Excludes semaphores and initialisers, whose words do not name a holder.
static bool is_lock(const held_lock *held) {
  return held->kind == INTERLOCK_OBJECT_MUTEX || held->kind == INTERLOCK_OBJECT_READ_LOCK ||
         held->kind == INTERLOCK_OBJECT_WRITE_LOCK;
}

static interlock_kept_lock view_of(const held_lock *held, uint32_t thread) {
  return (interlock_kept_lock){.object = held->object,
                               .place = held->place,
                               .outer = held->outer,
                               .kind = kind_of_held(held),
                               .thread = thread};
}

/// Outlined, because it is seldom called.
__attribute__((noinline)) void interlock_note_kept(const held_lock *held, uint32_t thread,
                                                   uintptr_t task) {
  bool is_wanted = false;
  // An exploration cuts bodies off in the middle, so their locks are not the test's.
  if (!is_lock(held) || interlock_is_controlled()) return;
  uint64_t scope = interlock_lives_scope(task, &is_wanted);
  if (!is_wanted) return;
  interlock_kept_lock noted = view_of(held, thread);
  noted.scope = scope;
  noted.task = task;
  take(&kept_lock);
  kept[next_kept++ % most_kept] = noted;
  // Relaxed: a scope that asks comes after its own code; otherwise it misses the lock.
  __atomic_store_n(&kept_count, kept_count + 1, __ATOMIC_RELAXED);
  give(&kept_lock);
}

void interlock_note_kept_locks(thread_record *own, uintptr_t task) {
  for (uint32_t index = 0; index < own->held.count; index++) {
    const held_lock *held = &own->held.locks[index];
    if (!held->counts[HELD_BY_THREAD] || held->is_left) continue;
    interlock_note_kept(held, own->waits.view.number, task);
  }
}

// The last locks that were destroyed while they were held. Nothing changes their words, and no
// thread has released them.

enum { most_destroyed = 256 };
static uintptr_t destroyed[most_destroyed];
/// The number of such locks so far. 0 in most processes.
static uint32_t destroyed_count;

void interlock_kept_destroyed(uintptr_t object, uint32_t kind) {
  // The caller is about to destroy the lock, so its memory can be read.
  bool is_held = false;
  if (kind == INTERLOCK_OBJECT_MUTEX) {
    is_held = ((const pthread_mutex_t *)object)->__data.__lock != 0;
  } else if (kind == INTERLOCK_OBJECT_WRITE_LOCK) {
    const pthread_rwlock_t *lock = (const pthread_rwlock_t *)object;
    is_held = lock->__data.__cur_writer != 0 || lock->__data.__readers != 0;
  }
  if (!is_held) return;
  take(&kept_lock);
  destroyed[destroyed_count % most_destroyed] = object;
  // Relaxed, here and below: the program itself orders the end of a lock before another one at its
  // address, and a report after both.
  __atomic_store_n(&destroyed_count, destroyed_count + 1, __ATOMIC_RELAXED);
  give(&kept_lock);
}

/// True if a lock was destroyed while it was held. With `forget`, removes the entry, because
/// another lock was made at the address.
static bool was_destroyed(uintptr_t object, bool forget) {
  if (__atomic_load_n(&destroyed_count, __ATOMIC_RELAXED) == 0) return false;
  bool is_found = false;
  take(&kept_lock);
  for (uint32_t index = 0; index < most_destroyed; index++) {
    if (destroyed[index] != object) continue;
    is_found = true;
    if (forget) destroyed[index] = 0;
  }
  give(&kept_lock);
  return is_found;
}

void interlock_kept_made(uintptr_t object) { was_destroyed(object, true); }

bool interlock_waits_is_kept(uintptr_t lock, uint32_t kind, uint32_t thread) {
  return interlock_lock_is_held_by(lock, kind, thread) && !was_destroyed(lock, false);
}

void interlock_kept_forked(void) { kept_lock = 0; }

/// True if the record of the lock's thread, or of its end, still has the lock as left by that code.
/// Another task, or a block that runs now, may have acquired the lock since.
static bool is_recorded(const interlock_kept_lock *lock) {
  for (thread_record *record = interlock_first_record(); record; record = record->next) {
    if (!is_used(record) || record->waits.view.number != lock->thread) continue;
    // Relaxed: if the list changes meanwhile, the lock's own word still decides whether it is held.
    uint32_t count = __atomic_load_n(&record->held.count, __ATOMIC_RELAXED);
    for (uint32_t index = 0; index < count && index < 2 * INTERLOCK_HELD_MOST; index++) {
      held_lock held = record->held.locks[index];
      bool is_same = held.object == lock->object && held.place == lock->place &&
                     held.left_by == lock->task;
      if (held.counts[HELD_BY_THREAD] && held.is_left && is_same) return true;
    }
  }
  interlock_left_lock left[64];
  size_t count = interlock_waits_left_locks(left, sizeof left / sizeof *left);
  for (size_t index = 0; index < count; index++) {
    if (left[index].object == lock->object && left[index].thread == lock->thread) return true;
  }
  return false;
}

static bool is_kept(const interlock_kept_lock *lock) {
  return interlock_waits_is_kept(lock->object, lock->kind, lock->thread) && is_recorded(lock);
}

size_t interlock_waits_kept_locks(uint64_t scope, bool all, interlock_kept_lock *locks,
                                  size_t capacity) {
  // Relaxed: see `interlock_note_kept`.
  if (__atomic_load_n(&kept_count, __ATOMIC_RELAXED) == 0) return 0;
  interlock_kept_lock copy[most_kept];
  take(&kept_lock);
  uint32_t end = next_kept;
  for (uint32_t index = 0; index < most_kept; index++) copy[index] = kept[index];
  give(&kept_lock);
  size_t count = 0;
  for (uint32_t step = 0; step < most_kept; step++) {
    // The oldest first.
    const interlock_kept_lock *lock = &copy[(end + step) % most_kept];
    if (!lock->object || (!all && lock->scope != scope) || !is_kept(lock)) continue;
    if (count < capacity) locks[count] = *lock;
    count++;
  }
  return count;
}

size_t interlock_waits_own_locks(interlock_kept_lock *locks, size_t capacity) {
  const thread_record *own = interlock_own_record;
  size_t count = 0;
  if (!own) return 0;
  for (uint32_t index = 0; index < own->held.count; index++) {
    const held_lock *held = &own->held.locks[index];
    if (!held->counts[HELD_BY_THREAD] || held->is_left || !is_lock(held)) continue;
    if (count < capacity) locks[count] = view_of(held, own->waits.view.number);
    count++;
  }
  return count;
}

#endif
