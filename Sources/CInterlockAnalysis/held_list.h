// The locks that a thread holds: one list for two readers. Included by `CInterlockAnalysis/` and
// `CInterlockMemory/` only.
//
// The readers need different locks, so each entry has a count for each reader:
//
// - The waits need the locks that the thread itself must release: mutexes, read-write locks,
//   initialisers and semaphores that begin at 1. A lock that an ended block has left locked is one
//   of them, because the lock's word still names the thread.
// - The lock order needs everything that excludes other code while the current code runs: also
//   queues, Swift mutexes, and, on the main thread, the locks of a synchronous block's caller. It
//   needs no lock that an ended block has left, because the thread's next block does not depend on
//   it.
//
// Both readers use one entry for a lock. It has two entries only if the readers differ: after a
// block has left it locked, or if a synchronous block acquires its caller's lock again.
#ifndef INTERLOCK_HELD_LIST_H
#define INTERLOCK_HELD_LIST_H

#include "interlock_internals.h"

#include <string.h>

#include "interlock_waits.h"

/// The reader that counts an entry.
typedef enum { HELD_BY_THREAD, HELD_IN_ORDER } held_reader;

typedef struct {
  uintptr_t object;
  /// The call site that acquired the lock, and the caller of that function; 0 if it is not known.
  uintptr_t place, outer;
  /// The time of the acquisition, in nanoseconds; 0 if hold times are not measured. Only for the
  /// order.
  uint64_t since;
  /// If `is_left`, the task whose part has left the lock; 0 for none. Only for the waits.
  uintptr_t left_by;
  /// Each reader's count: more than 1 for a recursive lock, 0 if the reader does not have the lock.
  /// Also as one word, which compares both at once.
  union {
    uint16_t counts[2];
    uint32_t both_counts;
  };
  /// The thread's block that acquired the lock: 0 for none, `callers_run` for a lock that the
  /// caller of the current synchronous block holds. Only for the order.
  uint16_t run;
  /// An `interlock_object_kind`; `WRITE_LOCK` for both sides of a read-write lock.
  uint8_t kind;
  /// True if other threads may hold it at the same time: a read lock, or a concurrent queue without
  /// a barrier.
  bool is_shared : 1;
  /// True if a block of a pool's thread has acquired the lock and ended without releasing it. Only
  /// for the waits.
  bool is_left : 1;
} held_lock;

enum { callers_run = UINT16_MAX };

/// In the order of acquisition. A signal handler may lock at any moment, so an entry takes its
/// place before it is written, and no reader counts it until it is complete. Beyond the end all
/// counts are 0. Only the own thread writes the list; other threads copy it and then check that the
/// thread's `sequence` is unchanged.
typedef struct {
  uint32_t count;
  /// The number of entries that each reader counts; at most `INTERLOCK_HELD_MOST` each.
  uint32_t counted[2];
  held_lock locks[2 * INTERLOCK_HELD_MOST];
} held_list;

/// Returns the entry of an object that a reader acquired last; NULL if it has none.
static inline held_lock *find_held(held_list *list, uintptr_t object, held_reader reader) {
  for (uint32_t index = list->count; index-- > 0;) {
    held_lock *lock = &list->locks[index];
    if (lock->object == object && lock->counts[reader]) return lock;
  }
  return NULL;
}

/// Counts an entry once more. Returns false if the count is at its limit: another entry must be
/// added.
static inline bool hold_again(held_lock *lock, held_reader reader) {
  if (lock->counts[reader] == UINT16_MAX) return false;
  lock->counts[reader]++;
  return true;
}

/// Returns the entry that the other reader has added for the same event, or for an earlier event at
/// this place; NULL if there is none. The caller then only sets its own count.
static inline held_lock *join_held(held_list *list, uintptr_t object, uintptr_t place,
                                   bool is_shared, held_reader reader) {
  // Usually only one reader is active.
  if (list->counted[!reader] == 0 || list->counted[reader] == INTERLOCK_HELD_MOST) return NULL;
  held_lock *last = &list->locks[list->count - 1];
  if (last->counts[reader] || !last->counts[!reader] || last->object != object ||
      last->place != place || last->is_shared != is_shared) {
    return NULL;
  }
  list->counted[reader]++;
  return last;
}

/// Adds an entry for one reader: `lock.counts` of that reader. Returns false if there is no room.
static inline bool add_held(held_list *list, held_lock lock, held_reader reader) {
  if (list->counted[reader] == INTERLOCK_HELD_MOST) return false;
  held_lock *joined = join_held(list, lock.object, lock.place, lock.is_shared, reader);
  if (!joined) {
    held_lock *made = &list->locks[list->count++];
    uint16_t count = lock.counts[reader];
    lock.both_counts = 0;
    // The signal fence keeps the order of the stores for a handler on this thread.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *made = lock;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    list->counted[reader]++;
    made->counts[reader] = count;
    return true;
  }
  joined->counts[reader] = lock.counts[reader];
  if (reader == HELD_IN_ORDER) {
    joined->since = lock.since;
    joined->run = lock.run;
  }
  return true;
}

/// Removes an entry for one reader, whatever its count.
static inline void drop_held(held_list *list, held_lock *lock, held_reader reader) {
  lock->counts[reader] = 0;
  list->counted[reader]--;
  if (lock->counts[!reader]) return;
  held_lock *last = &list->locks[list->count - 1];
  if (lock != last) memmove(lock, lock + 1, (size_t)(last - lock) * sizeof *lock);
  last->both_counts = 0;
  // Signal fence: a handler must not add its own entry while another entry is still being moved.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  list->count--;
}

/// Marks the held locks as left by a block that has ended, or by a part of `task` (0 for none),
/// because the thread's next block is another owner.
static inline void leave_held(held_list *list, uintptr_t task) {
  for (uint32_t index = 0; index < list->count; index++) {
    held_lock *lock = &list->locks[index];
    if (lock->is_left) continue;
    lock->left_by = task;
    lock->is_left = true;
  }
}

/// Returns the kind that the events of this lock have.
static inline uint32_t kind_of_held(const held_lock *lock) {
  bool is_read = lock->kind == INTERLOCK_OBJECT_WRITE_LOCK && lock->is_shared;
  return is_read ? INTERLOCK_OBJECT_READ_LOCK : lock->kind;
}

static inline void clear_held(held_list *list) {
  for (uint32_t index = 0; index < list->count; index++) list->locks[index].both_counts = 0;
  list->count = list->counted[HELD_BY_THREAD] = list->counted[HELD_IN_ORDER] = 0;
}

/// Returns both counts, as one word, of an entry that each of these readers (a bit each) counts
/// once.
static inline uint32_t once_for(uint32_t readers) {
  held_lock once = {.counts = {readers >> HELD_BY_THREAD & 1, readers >> HELD_IN_ORDER & 1}};
  return once.both_counts;
}

/// Adds an entry for these readers in one step: the usual case, in which none of them has an entry
/// for the lock, and each has room. Does not write `since`, which is read only if hold times are
/// measured; the lock order does not call this function then.
static inline void add_new_held(held_list *list, uint32_t readers, uintptr_t object, uint32_t kind,
                                bool is_shared, uint32_t run, uintptr_t place, uintptr_t outer) {
  held_lock *lock = &list->locks[list->count++];
  // Signal fences: see `add_held`.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  list->counted[HELD_BY_THREAD] += readers >> HELD_BY_THREAD & 1;
  list->counted[HELD_IN_ORDER] += readers >> HELD_IN_ORDER & 1;
  lock->object = object;
  lock->place = place;
  lock->outer = outer;
  // One store for the last word.
  held_lock rest = {.both_counts = once_for(readers),
                    .run = (uint16_t)run,
                    .kind = (uint8_t)kind,
                    .is_shared = is_shared};
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  memcpy(&lock->both_counts, &rest.both_counts, sizeof *lock - offsetof(held_lock, both_counts));
}

/// True if the list's last entry is this object, counted once by exactly these readers.
static inline bool is_last_held(const held_list *list, uint32_t readers, uintptr_t object) {
  const held_lock *last = &list->locks[list->count - 1];
  return list->count > 0 && last->object == object && last->both_counts == once_for(readers);
}

/// Removes the last entry, for which `is_last_held` returned true.
static inline void drop_last_held(held_list *list, uint32_t readers) {
  list->locks[list->count - 1].both_counts = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  list->count--;
  list->counted[HELD_BY_THREAD] -= readers >> HELD_BY_THREAD & 1;
  list->counted[HELD_IN_ORDER] -= readers >> HELD_IN_ORDER & 1;
}

#endif
