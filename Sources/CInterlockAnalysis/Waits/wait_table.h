// Declarations shared by the files of the wait table. Included by `CInterlockAnalysis/` only.
#ifndef INTERLOCK_WAIT_TABLE_H
#define INTERLOCK_WAIT_TABLE_H

#include "../thread_record.h"

/// Records that the table may be incomplete from now on.
void interlock_note_partial(void) HIDDEN;

// Threads (wait_threads.c).

static inline void has_changed(wait_record *record) {
  // Release: pairs with the acquire in `view_thread`. A thread that sees the number sees the
  // change.
  __atomic_store_n(&record->view.sequence, record->view.sequence + 1, __ATOMIC_RELEASE);
}

// Events that are no progress (wait_polls.c).

void interlock_note_poll(wait_record *record, const interlock_event *event) HIDDEN;
/// Called when a pool worker is woken (`ACQUIRE`), waits for work (`WAIT`), or its wait has timed
/// out (`GIVE_UP`), before the event is counted.
void interlock_note_idle(wait_record *record, interlock_event_kind kind) HIDDEN;
/// Returns the amount of progress that the thread has made. Callable from any thread.
uint64_t interlock_progress_of(const wait_record *record) HIDDEN;
/// Returns the time at which the thread's poll began, if the poll has handled nothing; otherwise 0.
/// Callable from any thread.
uint64_t interlock_polls_since(const wait_record *record) HIDDEN;

// Objects (wait_objects.c).

void interlock_object_made(const interlock_event *event) HIDDEN;
/// Forgets the counts of an earlier object at the address.
void interlock_object_reset(const interlock_event *event) HIDDEN;
void interlock_object_waited(const interlock_event *event) HIDDEN;
void interlock_object_released(const interlock_event *event) HIDDEN;
void interlock_object_entered(const interlock_event *event) HIDDEN;
/// Records that the thread acquires a semaphore, at once or `after_wait`. Returns true if the
/// semaphore begins at 1, and so is a lock.
bool interlock_semaphore_acquired(wait_record *record, const interlock_event *event,
                                  bool after_wait) HIDDEN;

/// The number of semaphores made so far. If it has changed, another semaphore may be at the address
/// that a thread remembers.
extern uint32_t interlock_semaphores_made HIDDEN;
static inline bool interlock_is_last_lock(const wait_record *record, uintptr_t semaphore) {
  // Relaxed: see `interlock_object_made`.
  return record->last_lock.object == semaphore &&
         record->last_lock.made == __atomic_load_n(&interlock_semaphores_made, __ATOMIC_RELAXED);
}

// Locks (wait_locks.c).

void interlock_lock_made_at(const interlock_event *event) HIDDEN;
/// Records that a lock was destroyed.
void interlock_lock_gone(uintptr_t object) HIDDEN;
/// Records a lock that the calling thread holds as it ends.
void interlock_note_left(const held_lock *held, uint32_t thread) HIDDEN;
/// Records that a thread has unlocked a lock that it did not hold.
void interlock_lock_unlocked_for_another(uintptr_t object) HIDDEN;
void interlock_left_forked(void) HIDDEN;

// Locks that code of a scope has left (kept_locks.c).

/// Notes the locks that the calling thread holds when its block, or the part of a task, ends.
void interlock_note_kept_locks(thread_record *own, uintptr_t task) HIDDEN;
/// Notes a lock that the calling thread holds as it ends.
void interlock_note_kept(const held_lock *held, uint32_t thread, uintptr_t task) HIDDEN;
/// Notes a lock that is about to be destroyed, and a new one.
void interlock_kept_destroyed(uintptr_t object, uint32_t kind) HIDDEN;
void interlock_kept_made(uintptr_t object) HIDDEN;
void interlock_kept_forked(void) HIDDEN;

// Queues (wait_queues.c).

void interlock_queue_made(const interlock_event *event) HIDDEN;
void interlock_queue_called(uintptr_t queue, bool barrier) HIDDEN;
void interlock_queue_configured(const interlock_event *event) HIDDEN;
void interlock_item_listed(interlock_item *item) HIDDEN;
void interlock_item_unlisted(interlock_item *item) HIDDEN;

// Waits of a thread for itself (self_waits.c).

/// Called before the thread calls a queue synchronously while it runs a block.
void interlock_look_for_self(wait_record *record, const interlock_event *event) HIDDEN;
/// Called before the thread waits for a word that may name the thread as the owner.
void interlock_look_for_own_word(thread_record *own, const interlock_event *event) HIDDEN;

// The part of the reader (wait_table.c, wait_start.c).

void interlock_waits_read(thread_record *own, const interlock_event *event) HIDDEN;
/// Called when the record's thread ends, or has ended.
void interlock_waits_thread_ends(thread_record *own) HIDDEN;
/// Called when a thread gets no record.
void interlock_waits_miss_thread(void) HIDDEN;

/// Returns true if acquiring a mutex or a semaphore changes only the held list, for the waits: the
/// object is a lock, and the thread does not hold it.
static inline bool interlock_waits_is_simple(thread_record *own, interlock_object_kind object_kind,
                                             uintptr_t object) {
  held_list *list = &own->held;
  if (list->counted[HELD_BY_THREAD] == INTERLOCK_HELD_MOST) return false;
  if (object_kind == INTERLOCK_OBJECT_MUTEX) return !find_held(list, object, HELD_BY_THREAD);
  return object_kind == INTERLOCK_OBJECT_SEMAPHORE && interlock_is_last_lock(&own->waits, object);
}

/// Called after such an event has changed the held list.
static inline void interlock_waits_note_lock(thread_record *own, interlock_event_kind kind) {
  if (kind == INTERLOCK_EVENT_ACQUIRE) own->waits.view.wait_kind = 0;
  has_changed(&own->waits);
}

#endif
