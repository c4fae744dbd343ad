// What the files of the lock-order reader share. Not for users of the target.
#ifndef INTERLOCK_ORDER_READER_H
#define INTERLOCK_ORDER_READER_H

#include "../hash_table.h"
#include "../thread_record.h"
#include "interlock_prediction.h"
#include "interlock_runtime.h"

// The part of the reader (order_reader.c).

void interlock_order_read(thread_record *own, const interlock_event *event) HIDDEN;
/// The calling thread ends, or has ended.
void interlock_order_thread_ends(thread_record *own) HIDDEN;
/// There is no record for a thread.
void interlock_order_miss_thread(void) HIDDEN;

// What a thread holds, as the order counts it (taken_locks.c): entries of the calling thread's
// list.

static inline uint32_t innermost_run(const thread_record *own) {
  return own->order.run_count < callers_run ? own->order.run_count : callers_run - 1;
}
/// Whether an entry of the list counts.
static inline bool interlock_is_in_order(const held_lock *lock) {
  return lock->counts[HELD_IN_ORDER] > 0;
}
/// Whether any does.
static inline bool interlock_holds_any(const thread_record *own) {
  return own->held.counted[HELD_IN_ORDER] > 0;
}
/// Adds an entry.
void interlock_hold(thread_record *own, held_lock lock) HIDDEN;
/// The entry of an object that was added last; NULL if there is none.
static inline held_lock *interlock_find_held(thread_record *own, uintptr_t object) {
  return find_held(&own->held, object, HELD_IN_ORDER);
}
static inline void interlock_drop(thread_record *own, held_lock *lock) {
  drop_held(&own->held, lock, HELD_IN_ORDER);
}
/// Reports a lock that was held for too long, if hold times are measured; `place` is where it is
/// released.
void interlock_look_at_hold_time(thread_record *own, const held_lock *lock,
                                 uintptr_t place) HIDDEN;
/// The thread has a lock, and may have waited for it.
void interlock_take_lock(thread_record *own, uintptr_t object, uint32_t kind, bool is_shared,
                         uint32_t flags, uintptr_t place, uintptr_t outer) HIDDEN;
/// It gives one back; returns whether it was its own.
bool interlock_let_go(thread_record *own, uintptr_t object, uintptr_t place) HIDDEN;

/// Whether it is known what a thread holds: not where it is more than there is room for, nor where
/// it acts for a caller that is not known.
static inline bool interlock_knows_held(const thread_record *own) {
  return own->order.untracked == 0 && own->order.borrowed == 0 && own->order.run_count <= runs_most;
}
/// A number for a lock and where it was acquired; and for all that a thread holds.
static inline uint64_t interlock_lock_hash(const held_lock *lock, uint64_t hash) {
  return mix(mix(hash, lock->object), lock->place << 1 | lock->is_shared);
}
static inline uint64_t interlock_held_hash(const thread_record *own, uint64_t hash) {
  for (uint32_t index = 0; index < own->held.count; index++) {
    const held_lock *lock = &own->held.locks[index];
    if (interlock_is_in_order(lock)) hash = interlock_lock_hash(lock, hash);
  }
  return hash;
}

// Blocks (held_blocks.c).

/// Whether a block on a queue of this width shares it with others.
static inline bool interlock_shares_queue(uint32_t width, uint32_t flags) {
  return width > 1 && !(flags & INTERLOCK_FLAG_BARRIER);
}
/// The thread waits no more: tells of a wait in a task that was long.
void interlock_end_long_wait(thread_record *own, uintptr_t object) HIDDEN;
static inline void interlock_end_wait(thread_record *own, uintptr_t object) {
  if (own->order.wait_since) interlock_end_long_wait(own, object);
}
void interlock_note_begin(thread_record *own, const interlock_event *event) HIDDEN;
void interlock_note_end(thread_record *own, const interlock_event *event) HIDDEN;

// Callers of the main queue (main_queue.c): their blocks run on its thread, with what the callers
// hold.

extern char _dispatch_main_q[] INTERLOCK_WEAK;
static inline bool interlock_is_main_queue(uintptr_t queue) {
  return queue == (uintptr_t)_dispatch_main_q;
}
/// The calling thread waits for a synchronous call on it; it goes on.
void interlock_main_queue_called(thread_record *own, uintptr_t place) HIDDEN;
void interlock_main_queue_returned(thread_record *own) HIDDEN;
/// A synchronous block of another thread begins on it: the calling thread holds from here on what
/// that one does. False where it cannot be said which thread that is.
bool interlock_adopt_caller(thread_record *own, uintptr_t place) HIDDEN;
/// It ends.
void interlock_leave_caller(thread_record *own) HIDDEN;
void interlock_main_queue_forked(void) HIDDEN;

// Locks in which a writer may come between two reads (writers.c).

void interlock_writers_prepare(void) HIDDEN;
/// Whether a read-write lock lets no reader in while a writer waits.
bool interlock_prefers_writers(uintptr_t lock) HIDDEN;
/// A barrier is handed to a queue, or called there.
void interlock_note_barrier(thread_record *own, const interlock_event *event) HIDDEN;

/// Nanoseconds of the monotonic clock, to the last tick: milliseconds are reported.
uint64_t interlock_coarse_now(void) HIDDEN;
/// A number that no other block has.
uint64_t interlock_next_number(void) HIDDEN;

extern interlock_prediction_limits interlock_limits HIDDEN;
extern interlock_prediction_losses interlock_losses HIDDEN;

/// Grows whenever a lock is made or destroyed, or a queue gets another target: what was at an
/// address may be another.
extern uint32_t interlock_locks_changed HIDDEN;

/// Describes the calling thread, with its stack from `place` on.
void interlock_describe_actor(const thread_record *own, uintptr_t place,
                              interlock_actor_view *actor) HIDDEN;
/// The owner that acts: a number that stands for the thread, its task or its block. `gate` becomes
/// the actor whose code it runs, which lets no other in meanwhile; 0 for none.
uint64_t interlock_owner(thread_record *own, uintptr_t *gate) HIDDEN;
/// The same after a closer look: Foundation's operations wait for each other unseen, so all that it
/// runs counts as one.
uint64_t interlock_final_owner(thread_record *own, uint64_t owner, uintptr_t place) HIDDEN;

// Locks that live (known_locks.c), by address; under `interlock_tables_lock`.

extern int interlock_tables_lock HIDDEN;

typedef struct {
  /// By its address.
  table_entry entry;
  uintptr_t created;
  /// A number that no other lock ever has; never 0.
  uint32_t number;
  /// In the graph: its index there and 1; 0 for none.
  uint32_t node;
  uint8_t kind;
  /// Of a semaphore: whether its holder has signalled it, and whether another thread has.
  bool was_given_back, was_signalled;
  /// Whether it was seen being made, or lies in memory that is never freed.
  bool is_one;
} known_lock;

bool interlock_known_locks_prepare(void) HIDDEN;
/// The lock at an address, of this kind; NULL where there is none.
known_lock *interlock_find_lock(uintptr_t object, uint32_t kind) HIDDEN;
/// The same, noted where it is not known; NULL where there is no room.
known_lock *interlock_note_lock(uintptr_t object, uint32_t kind) HIDDEN;
void interlock_lock_made(const interlock_event *event) HIDDEN;
void interlock_lock_destroyed(uintptr_t object) HIDDEN;
/// Whether a semaphore is one that begins at 1.
bool interlock_is_lock_semaphore(uintptr_t object) HIDDEN;
void interlock_semaphore_signalled(uintptr_t object, bool by_owner) HIDDEN;

// Orders (order_chains.c).

bool interlock_order_prepare(void) HIDDEN;
bool interlock_chains_prepare(void) HIDDEN;
/// A lock that a thread has, and the serial queues that it runs on in turn, where it is a queue:
/// a block on one has them all.
uint32_t interlock_with_targets(held_lock first, held_lock *locks, uint32_t room) HIDDEN;
/// The calling thread, which holds something, takes this or waits for it.
void interlock_note_order(thread_record *own, uintptr_t object, uint32_t kind, bool is_shared,
                          uintptr_t place, uintptr_t outer) HIDDEN;
/// The calling thread, which has a lock, waits for it again; or writes under one that it does not
/// have, which others may read twice.
void interlock_note_loop(thread_record *own, held_lock first, bool is_shared, uint32_t signal,
                         uintptr_t place, uintptr_t outer) HIDDEN;
/// It waits for what is only signalled under a lock: the place is that of the wait.
void interlock_note_signal(thread_record *own, held_lock gate, uint32_t signal) HIDDEN;
/// A lock is no more; under the lock of the tables. What led only to it, or only from it, is no
/// part of a cycle.
void interlock_order_forget(known_lock *lock) HIDDEN;

// What others signal (signallers.c).

/// A kind of `known_lock` beside those of the events: what is no lock, and is waited for until
/// another thread signals it. Its node is its index in the list of signals, plus 1.
enum { interlock_signal_kind = 64 };

bool interlock_signals_prepare(void) HIDDEN;
/// The calling thread signals something: a semaphore that begins at 0, a group, a condition or a
/// work item. `at_end` is whether a block does so by its end.
void interlock_signalled(thread_record *own, const interlock_event *event, bool at_end) HIDDEN;
/// It has waited for such a thing without a limit, and may have had to.
void interlock_waited_for_signal(thread_record *own, const interlock_event *event,
                                 uintptr_t outer) HIDDEN;
/// Describes a signal; false where it was signalled without the lock of this number too. Under the
/// lock of the tables.
bool interlock_describe_signal(uint32_t signal, uint32_t number,
                               interlock_signal_view *view) HIDDEN;
/// Something at this address is no more; under the lock of the tables.
void interlock_signal_forget(known_lock *lock) HIDDEN;

// Locks that are left locked (left_locks.c).

bool interlock_left_locks_prepare(void) HIDDEN;
/// The calling thread, or its block, ends while it holds the lock.
void interlock_note_left_lock(const thread_record *own, const held_lock *held,
                              interlock_incident_kind kind) HIDDEN;
/// A thread has unlocked what it did not hold.
void interlock_unlocked_for_another(uintptr_t object) HIDDEN;

// Incidents (incidents.c).

bool interlock_incidents_prepare(void) HIDDEN;
void interlock_note_incident(thread_record *own, interlock_incident_kind kind,
                             uint32_t object_kind, uintptr_t object, uintptr_t place,
                             uintptr_t outer, uintptr_t end_place, uint64_t nanoseconds) HIDDEN;

#endif
