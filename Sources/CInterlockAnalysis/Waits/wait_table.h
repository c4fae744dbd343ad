// What the parts of the wait table share. Not for users of the target.
#ifndef INTERLOCK_WAIT_TABLE_H
#define INTERLOCK_WAIT_TABLE_H

#include "interlock_internals.h"
#include "interlock_waits.h"

/// From now on the table may be incomplete.
void interlock_note_partial(void) HIDDEN;

/// Where the search for an address begins in a table.
static inline size_t hash_of(uintptr_t object) {
  return (size_t)((object >> 4) * 0x9e3779b97f4a7c15ull >> 40);
}

// Threads (wait_threads.c). Only the thread itself writes its record, and then raises `sequence`;
// the thread that takes a snapshot reads it. A record that changes meanwhile shows it: its
// `sequence` has grown when the snapshot is checked.

/// The steps of a thread's `sequence` that are no progress.
typedef struct {
  /// How many there have been.
  uint64_t steps;
  /// What the thread counts for while it polls, plus 1; 0 while it does not.
  uint64_t frozen;
  /// The thread's number when a poll began, and before it was woken as a worker.
  uint64_t from, woken;
  /// When the last poll began and when it ended, 0 if it has not, in nanoseconds of the
  /// monotonic clock; and the thread's processor time then.
  uint64_t began, ended, cpu_at_end;
  /// How many blocks it was in when the poll began.
  uint32_t runs;
  bool has_handled, has_timed;
} interlock_idleness;

/// The last semaphore that the thread acquired as a lock, and how many there had been.
typedef struct {
  uintptr_t object;
  uint32_t made;
} interlock_known_lock;

/// What a thread waits for, holds and runs.
typedef struct {
  interlock_thread_view view;
  /// The mutex given up by a wait for a condition.
  interlock_held put_aside;
  /// What no progress is: see wait_polls.c.
  interlock_idleness idle;
  interlock_known_lock last_lock;
  /// The last queue that it called synchronously: the table of queues forgets none.
  uintptr_t last_queue;
} wait_record;

static inline void has_changed(wait_record *record) {
  // Release: a thread that sees the number sees all of the change.
  __atomic_store_n(&record->view.sequence, record->view.sequence + 1, __ATOMIC_RELEASE);
}

// What is no progress (wait_polls.c).

void interlock_note_poll(wait_record *record, const interlock_event *event) HIDDEN;
/// A worker of a pool is woken (`ACQUIRE`), waits for work, or has waited in vain. Call it before
/// the event is counted.
void interlock_note_idle(wait_record *record, interlock_event_kind kind) HIDDEN;
/// How much progress the thread has made. Any thread may call it.
uint64_t interlock_progress_of(const wait_record *record) HIDDEN;
/// When the thread's poll began, if the poll has handled nothing; else 0. Any thread may call it.
uint64_t interlock_polls_since(const wait_record *record) HIDDEN;

// Objects (wait_objects.c).

void interlock_object_made(const interlock_event *event) HIDDEN;
void interlock_object_waited(const interlock_event *event) HIDDEN;
void interlock_object_released(const interlock_event *event) HIDDEN;
void interlock_object_entered(const interlock_event *event) HIDDEN;
/// The thread acquires a semaphore, at once or `after_wait`. Returns true if the semaphore begins
/// at 1, and so is a lock.
bool interlock_semaphore_acquired(wait_record *record, const interlock_event *event,
                                  bool after_wait) HIDDEN;

/// How many semaphores have been made. A thread that remembers a semaphore compares it, because
/// another may be at its address.
extern uint32_t interlock_semaphores_made HIDDEN;
static inline bool interlock_is_last_lock(const wait_record *record, uintptr_t semaphore) {
  // Relaxed: see where they are counted.
  return record->last_lock.object == semaphore &&
         record->last_lock.made == __atomic_load_n(&interlock_semaphores_made, __ATOMIC_RELAXED);
}

// Locks (wait_locks.c).

void interlock_lock_made_at(const interlock_event *event) HIDDEN;
/// A lock was destroyed.
void interlock_lock_gone(uintptr_t object) HIDDEN;
/// The calling thread ends and still holds a lock.
void interlock_note_left(const interlock_held *held, uint32_t thread) HIDDEN;
/// A thread has unlocked what it did not hold.
void interlock_lock_unlocked_for_another(uintptr_t object) HIDDEN;
void interlock_left_forked(void) HIDDEN;

// Queues (wait_queues.c).

void interlock_queue_made(const interlock_event *event) HIDDEN;
void interlock_queue_called(uintptr_t queue, bool barrier) HIDDEN;
void interlock_queue_configured(const interlock_event *event) HIDDEN;
void interlock_item_listed(interlock_item *item) HIDDEN;
void interlock_item_unlisted(interlock_item *item) HIDDEN;

// Waits of a thread for itself (self_waits.c).

/// The thread calls a queue synchronously.
void interlock_look_for_self(wait_record *record, const interlock_event *event) HIDDEN;
/// It waits for a word that may name it as the owner.
void interlock_look_for_own_word(wait_record *record, const interlock_event *event) HIDDEN;

// The part of the reader (wait_table.c).

void interlock_waits_read(wait_record *record, const interlock_event *event) HIDDEN;
/// The calling thread ends, or has ended.
void interlock_waits_thread_ends(wait_record *record) HIDDEN;
/// There is no record for a thread.
void interlock_waits_miss_thread(void) HIDDEN;

static inline bool interlock_waits_holds(const interlock_thread_view *view, uintptr_t object) {
  for (uint32_t index = 0; index < view->held_count; index++) {
    if (view->held[index].object == object) return true;
  }
  return false;
}

/// Returns true if an event of a mutex or a semaphore is one that `interlock_waits_note_lock` can
/// note: the thread acquires a lock that it does not hold, or releases that which it acquired last.
static inline bool interlock_waits_is_simple(const wait_record *record, interlock_event_kind kind,
                                             interlock_object_kind object_kind,
                                             uintptr_t object) {
  const interlock_thread_view *view = &record->view;
  uint32_t count = view->held_count;
  if (kind == INTERLOCK_EVENT_RELEASE) {
    const interlock_held *last = &view->held[count - 1];
    return count > 0 && last->object == object && last->count == 1;
  }
  if (kind != INTERLOCK_EVENT_ACQUIRE || count >= INTERLOCK_HELD_MOST) return false;
  if (object_kind == INTERLOCK_OBJECT_MUTEX) return !interlock_waits_holds(view, object);
  return object_kind == INTERLOCK_OBJECT_SEMAPHORE && interlock_is_last_lock(record, object);
}

static inline void interlock_waits_note_lock(wait_record *record, interlock_event_kind kind,
                                             interlock_object_kind object_kind, uintptr_t object,
                                             uintptr_t place, uintptr_t outer) {
  interlock_thread_view *view = &record->view;
  if (kind == INTERLOCK_EVENT_ACQUIRE) {
    view->held[view->held_count++] = (interlock_held){object, place, outer, object_kind, 1};
    view->wait_kind = 0;
  } else {
    view->held_count--;
  }
  has_changed(record);
}

#endif
