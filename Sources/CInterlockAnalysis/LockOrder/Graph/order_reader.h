// Declarations shared by the files of the lock-order reader. Included by `CInterlockAnalysis/`
// only.
#ifndef INTERLOCK_ORDER_READER_H
#define INTERLOCK_ORDER_READER_H

#include "../../hash_table.h"
#include "../../thread_record.h"
#include "interlock_prediction.h"
#include "interlock_runtime.h"

/// Grows whenever a lock is created or destroyed, or a queue is retargeted: an address may then
/// stand for another lock.
extern uint32_t interlock_locks_changed HIDDEN;

// The part of the reader (order_reader.c).

void interlock_order_read(thread_record *own, const interlock_event *event) HIDDEN;
/// Called when the record's thread ends, or has ended.
void interlock_order_thread_ends(thread_record *own) HIDDEN;
/// Called when a thread gets no record.
void interlock_order_miss_thread(void) HIDDEN;

// The locks that the calling thread holds, as the lock order counts them (taken_locks.c).

static inline uint32_t innermost_run(const thread_record *own) {
  return own->order.run_count < callers_run ? own->order.run_count : callers_run - 1;
}
/// True if the lock order counts an entry of the list.
static inline bool interlock_is_in_order(const held_lock *lock) {
  return lock->counts[HELD_IN_ORDER] > 0;
}
/// True if a held lock is in no order itself, and only excludes the orders of others: an
/// initialiser, which runs once, or a lock whose calls tell only an order.
static inline bool interlock_is_only_gate(const held_lock *lock) {
  return lock->kind == INTERLOCK_OBJECT_ONCE || lock->kind == INTERLOCK_OBJECT_SPIN_LOCK;
}
/// True if the lock order counts any entry of the list.
static inline bool interlock_holds_any(const thread_record *own) {
  return own->held.counted[HELD_IN_ORDER] > 0;
}
/// Adds an entry to the held list.
void interlock_hold(thread_record *own, held_lock lock) HIDDEN;
/// Returns the last entry that was added for an object; NULL if the object has none.
static inline held_lock *interlock_find_held(thread_record *own, uintptr_t object) {
  return find_held(&own->held, object, HELD_IN_ORDER);
}
static inline void interlock_drop(thread_record *own, held_lock *lock) {
  drop_held(&own->held, lock, HELD_IN_ORDER);
}
/// Reports a lock that was held for too long, if hold times are measured. `place` is the call site
/// of the release.
void interlock_look_at_hold_time(thread_record *own, const held_lock *lock,
                                 uintptr_t place) HIDDEN;
/// Records that the thread has acquired a lock, and the orders if the call could wait.
void interlock_take_lock(thread_record *own, uintptr_t object, uint32_t kind, bool is_shared,
                         uint32_t flags, uintptr_t place, uintptr_t outer) HIDDEN;
/// Records that the thread releases a lock; returns false if the thread did not hold it.
bool interlock_let_go(thread_record *own, uintptr_t object, uintptr_t place) HIDDEN;

/// True if the held list is complete. It is incomplete if it had no room for a lock, or if the
/// thread runs a synchronous block, or an iteration, under locks that are not known.
static inline bool interlock_knows_held(const thread_record *own) {
  return own->order.untracked == 0 && own->order.borrowed == 0 && own->order.run_count <= runs_most;
}
/// The hash of a lock and its place; below, the hash of all locks that a thread holds.
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
/// A hash of all locks that a thread holds and of one that it wants, under an actor (0 for none).
static inline uint64_t interlock_chain_hash(const thread_record *own, uintptr_t gate,
                                            const held_lock *wanted) {
  // Relaxed: see `interlock_lock_made`.
  uint64_t base = mix(gate, __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED));
  return interlock_lock_hash(wanted, interlock_held_hash(own, base));
}
/// The thread's entry for the hash of a chain. The entry has the hash itself if the chain needs no
/// more owners; otherwise the hash mixed with the owner, which is 0 outside blocks.
static inline uint64_t *interlock_chain_slot(thread_record *own, uint64_t hash) {
  return &own->order.chains[hash % known_chains];
}

// Blocks (held_blocks.c).

/// True if a block on a queue of this width shares the queue with other blocks.
static inline bool interlock_shares_queue(uint32_t width, uint32_t flags) {
  return width > 1 && !(flags & INTERLOCK_FLAG_BARRIER);
}
/// Called at the end of a wait: records an incident if a task waited for too long.
void interlock_end_long_wait(thread_record *own, uintptr_t object) HIDDEN;
static inline void interlock_end_wait(thread_record *own, uintptr_t object) {
  if (own->order.wait_since) interlock_end_long_wait(own, object);
}
void interlock_note_begin(thread_record *own, const interlock_event *event) HIDDEN;
void interlock_note_end(thread_record *own, const interlock_event *event) HIDDEN;

// Callers of the main queue (main_queue.c). The main thread runs their blocks, and then holds their
// locks.

extern char _dispatch_main_q[] INTERLOCK_WEAK;
static inline bool interlock_is_main_queue(uintptr_t queue) {
  return queue == (uintptr_t)_dispatch_main_q;
}
/// Called before and after the calling thread's synchronous call on the main queue.
void interlock_main_queue_called(thread_record *own, uintptr_t place) HIDDEN;
void interlock_main_queue_returned(thread_record *own) HIDDEN;
/// Called when another thread's synchronous block begins on the main thread: adds that thread's
/// locks to the main thread's. Returns false if the caller is not known.
bool interlock_adopt_caller(thread_record *own, uintptr_t place) HIDDEN;
/// Removes these locks again, when the block ends.
void interlock_leave_caller(thread_record *own) HIDDEN;
void interlock_main_queue_forked(void) HIDDEN;

// Locks that the main thread takes outside all blocks (main_locks.c).

/// True if the calling thread is the main thread and runs no block, so that the next block of the
/// main queue waits for its code.
static inline bool interlock_is_outside(const thread_record *own) {
  return own->order.is_main && own->order.run_count == 0;
}
static inline main_lock *interlock_main_lock(thread_record *own, uintptr_t object) {
  return &own->order.main_locks[mix(0, object) % main_locks];
}
/// True if another acquisition of this lock on the main thread shows nothing new.
static inline bool interlock_main_knows(const thread_record *own, uintptr_t object) {
  const main_lock *known = interlock_main_lock((thread_record *)own, object);
  // Relaxed: see `interlock_lock_made`.
  return known->object == object && known->steps == own->order.steps &&
         known->changed == __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
}
/// The hash of an acquisition by its call, and of the locks that the thread holds.
static inline uint64_t interlock_main_acquisition(const thread_record *own, bool is_shared,
                                                  uintptr_t place, uintptr_t outer) {
  return interlock_held_hash(own, mix(place << 1 | is_shared, outer));
}
/// Records that the main thread, outside all blocks, acquires a lock or waits for a queue, unless
/// the same call was recorded before.
void interlock_main_takes_anew(thread_record *own, uintptr_t object, uint32_t kind,
                               bool is_shared, uintptr_t place, uintptr_t outer) HIDDEN;
static inline void interlock_main_takes(thread_record *own, uintptr_t object, uint32_t kind,
                                        bool is_shared, uintptr_t place, uintptr_t outer) {
  if (interlock_main_knows(own, object) &&
      interlock_main_lock(own, object)->acquisition ==
          interlock_main_acquisition(own, is_shared, place, outer)) {
    return;
  }
  interlock_main_takes_anew(own, object, kind, is_shared, place, outer);
}
/// Called before and after the calling thread's synchronous call on the main queue, under locks.
void interlock_main_is_awaited(thread_record *own, bool has_returned) HIDDEN;
/// The `held_lock.run` of the main queue while the main thread runs code outside all blocks.
enum { outside_run = callers_run - 1 };

// Locks in which a writer may wait between two reads of one thread (writers.c).

void interlock_writers_prepare(void) HIDDEN;
/// True if a waiting writer keeps new readers out of a read-write lock.
bool interlock_prefers_writers(uintptr_t lock) HIDDEN;
/// Records that the thread enqueues a barrier, or calls one synchronously.
void interlock_note_barrier(thread_record *own, const interlock_event *event) HIDDEN;

/// Reads the coarse monotonic clock, in nanoseconds. Its ticks take milliseconds, which suffices
/// for reports.
uint64_t interlock_coarse_now(void) HIDDEN;
/// Returns a number that is never returned again.
uint64_t interlock_next_number(void) HIDDEN;

extern interlock_prediction_limits interlock_limits HIDDEN;
extern interlock_prediction_losses interlock_losses HIDDEN;
/// True once prediction is on: written with release after the tables are complete.
extern int interlock_order_state HIDDEN;

/// True if another thread counts as the only holder of a lock.
bool interlock_another_holds(uintptr_t object) HIDDEN;
/// Describes the calling thread, with its stack from `place` outwards.
void interlock_describe_actor(const thread_record *own, uintptr_t place,
                              interlock_actor_view *actor) HIDDEN;
/// Returns the current owner: a number for the thread, its task or its block. Sets `gate` to the
/// actor on which the thread runs, which excludes the actor's other code meanwhile; 0 for none.
uint64_t interlock_owner(thread_record *own, uintptr_t *gate) HIDDEN;
/// Returns the owner to record. All blocks that Foundation runs count as one owner, because its
/// operations wait for each other without a call.
uint64_t interlock_final_owner(thread_record *own, uint64_t owner, uintptr_t place) HIDDEN;

// The existing locks (known_locks.c), by address; under `interlock_tables_lock`.

extern int interlock_tables_lock HIDDEN;

typedef struct {
  /// The key is the lock's address.
  table_entry entry;
  /// The key is the block of memory that contains the lock; 0 for none, or if that is not certain.
  table_entry of_block;
  uintptr_t created;
  /// A number that no other lock ever has. Never 0.
  uint32_t number;
  /// The index of its node in the graph, plus 1; 0 for none.
  uint32_t node;
  uint8_t kind;
  /// For a semaphore: its holder has signalled it. For any lock: a thread that did not hold it has
  /// released it, so it excludes nothing.
  bool was_given_back, was_signalled;
  /// For an object that is signalled: the last task that has signalled it; 0 for none.
  uint64_t signaller;
  /// The main thread's count at its last acquisition of the lock outside all blocks; 0 for none.
  uint64_t main_count;
  /// The epoch after the last synchronous call on the main queue under the lock; 0 for none.
  uint32_t sync_slot;
  uint64_t sync_count;
  /// True if nothing orders such an acquisition and such a call.
  bool meets_main;
  /// True if no other lock can have had this address: its creation was seen, or it is in memory
  /// that is never freed or whose end is seen.
  bool is_one;
} known_lock;

/// Remove the node of a lock that ends: the first from the graph of orders; the second, for an
/// object that is signalled, from the table of signals. Set before prediction starts. The caller
/// holds the lock of the tables.
extern void (*interlock_node_ends[2])(known_lock *lock) HIDDEN;
bool interlock_known_locks_prepare(void) HIDDEN;
/// Returns the lock of this kind at an address; NULL if there is none.
known_lock *interlock_find_lock(uintptr_t object, uint32_t kind) HIDDEN;
/// The same, but adds the lock if it is not known. Returns NULL if there is no room.
known_lock *interlock_note_lock(uintptr_t object, uint32_t kind) HIDDEN;
/// The same, but makes a system call to check whether a lock that no call has initialised has
/// replaced the known one at the address.
known_lock *interlock_current_lock(uintptr_t object, uint32_t kind) HIDDEN;
void interlock_lock_made(const interlock_event *event) HIDDEN;
/// Records that a lock, or its end, cannot be followed for lack of room.
void interlock_miss_lock(void) HIDDEN;
void interlock_lock_destroyed(uintptr_t object) HIDDEN;
/// True if a semaphore begins at 1.
bool interlock_is_lock_semaphore(uintptr_t object) HIDDEN;
void interlock_semaphore_signalled(uintptr_t object, bool by_owner) HIDDEN;
/// Records that the calling thread releases a lock that another thread has acquired.
void interlock_lock_handed_over(uintptr_t object, uint32_t kind) HIDDEN;
/// True if the lock of this number lies at the address, and was signalled. The caller holds the
/// lock of the tables.
bool interlock_lock_was_signalled(uintptr_t object, uint32_t number) HIDDEN;

// Orders (order_chains.c).

bool interlock_order_prepare(void) HIDDEN;
bool interlock_chains_prepare(void) HIDDEN;
/// Writes a lock. If the lock is a queue, also writes the serial queues that it targets, because a
/// block of the queue holds them too.
uint32_t interlock_with_targets(held_lock first, held_lock *locks, uint32_t room) HIDDEN;
/// Records that the calling thread, which holds a lock, acquires or waits for this one.
void interlock_note_order(thread_record *own, uintptr_t object, uint32_t kind, bool is_shared,
                          uintptr_t place, uintptr_t outer) HIDDEN;
/// Records an edge from a lock to itself: the calling thread holds the lock and waits for it again,
/// or acquires it for writing while another thread may read it twice.
void interlock_note_loop(thread_record *own, held_lock first, bool is_shared, uint32_t signal,
                         uintptr_t place, uintptr_t outer) HIDDEN;
/// Records that the calling thread waits for a signal that comes only under the lock `gate`, whose
/// place is the call site of the wait.
void interlock_note_signal(thread_record *own, held_lock gate, uint32_t signal) HIDDEN;

// Signals: a thread waits for an object until another thread signals it (signallers.c).

/// A kind of `known_lock` in addition to those of the events: an object that is signalled, and is
/// no lock. Its `node` is its index in the list of signals, plus 1.
enum { interlock_signal_kind = 64 };

bool interlock_signals_prepare(void) HIDDEN;
void interlock_signalled(thread_record *own, const interlock_event *event, bool at_end) HIDDEN;
/// Records that the calling thread signals a semaphore that begins at 0, a group, a condition or a
/// work item. `at_end`: the end of a block makes the signal.
static inline void interlock_note_signalled(thread_record *own, const interlock_event *event,
                                            bool at_end) {
  // Relaxed: see `interlock_lock_made`. A settled object's signals can show no more orders.
  uint32_t changed = __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
  if (own->order.settled == (uintptr_t)event->object && own->order.settled_at == changed) return;
  interlock_signalled(own, event, at_end);
}
/// Records that the calling thread has returned from a wait for such an object without a limit.
void interlock_waited_for_signal(thread_record *own, const interlock_event *event,
                                 uintptr_t outer) HIDDEN;
/// Describes a signal. Returns false if the object was also signalled without the lock of this
/// number. The caller holds the lock of the tables.
bool interlock_describe_signal(uint32_t signal, uint32_t number,
                               interlock_signal_view *view) HIDDEN;

/// Records that a task signals such an object.
void interlock_signalled_by_task(const interlock_event *event) HIDDEN;
/// Called when the calling thread's task has returned from a blocking wait (incidents.c).
void interlock_wait_is_ended(const thread_record *own, const interlock_event *event) HIDDEN;

// Locks that are left locked (left_locks.c).

bool interlock_left_locks_prepare(void) HIDDEN;
/// Records a lock that the calling thread, or its block, holds as it ends.
void interlock_note_left_lock(const thread_record *own, const held_lock *held,
                              interlock_incident_kind kind) HIDDEN;
/// Removes the entry of a lock that a thread has unlocked without holding it. Returns false if the
/// lock has none.
bool interlock_unlocked_for_another(uintptr_t object) HIDDEN;

// Incidents (incidents.c).

bool interlock_incidents_prepare(void) HIDDEN;
void interlock_note_incident(thread_record *own, interlock_incident_kind kind,
                             uint32_t object_kind, uintptr_t object, uintptr_t place,
                             uintptr_t outer, uintptr_t end_place, uint64_t nanoseconds) HIDDEN;

#endif
