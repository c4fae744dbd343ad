// What the files of the lock-order reader share. Not for users of the target.
#ifndef INTERLOCK_ORDER_READER_H
#define INTERLOCK_ORDER_READER_H

#include "interlock_internals.h"
#include "interlock_prediction.h"
#include "interlock_runtime.h"
#include "interlock_waits.h"

static inline uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

// Threads. Only the thread itself reads and writes its record.

typedef struct {
  uintptr_t object;
  uintptr_t place;
  uintptr_t outer;
  /// When it was acquired, in nanoseconds; 0 if hold times are not measured.
  uint64_t since;
  uint32_t count;
  /// In which of the thread's blocks it was acquired: 0 for none, `callers_run` for what the caller
  /// of the synchronous block holds that the thread runs.
  uint16_t run;
  uint8_t kind;
  bool is_shared;
} held_lock;

enum { callers_run = UINT16_MAX };

/// A block that a thread is in.
typedef struct {
  uintptr_t queue;
  /// A number that no other block has; 0 for a synchronous one, which acts for its caller.
  uint64_t number;
  uint32_t flags;
  /// The block is another thread's synchronous call; what that thread holds is not known here.
  bool is_borrowed;
  /// The block is a task's job, on a thread that all tasks share.
  bool is_pool_job;
  bool holds_queue;
  /// The group that the block leaves, or the work item that is done, when it ends; 0 for none.
  uintptr_t ends;
  /// Whether Foundation calls the code in it.
  enum { UNKNOWN, NO, YES } is_operation;
} thread_run;

enum { runs_most = 8, known_chains = 64 };

typedef struct order_record {
  uint32_t held_count;
  /// How many more it holds, without room in the list.
  uint32_t untold;
  uint32_t run_count;
  /// How many of the runs are jobs of tasks on a pool, and how many are borrowed.
  uint32_t jobs, borrowed;
  held_lock held[INTERLOCK_HELD_LOCKS_MOST];
  thread_run runs[runs_most];
  /// The mutex given up by a wait for a condition.
  held_lock put_aside;
  /// What the thread waits for, and since when.
  uintptr_t wait_object, wait_place, wait_outer;
  uint64_t wait_since;
  uint32_t wait_kind, wait_flags;
  /// While it waits for a synchronous call on the main queue (main_queue.c): where it made the
  /// call, its owner and its actor; and the next such thread.
  uintptr_t call_place, callers_gate;
  uint64_t callers_owner;
  struct order_record *next_caller;
  /// On the main thread, the owner and the actor of the caller whose synchronous block it runs, and
  /// how many runs there are with that one; 0 for none.
  uint64_t adopted_owner;
  uintptr_t adopted_gate;
  uint32_t adopted_run;
  /// The thread's own number, never used again.
  uint64_t number;
  /// The hashes of chains that are known: they need no second look.
  uint64_t chains[known_chains];
  /// The last semaphore; how many locks had been made then; whether the semaphore begins at 1, and
  /// whether its owner has released it.
  uintptr_t semaphore;
  uint32_t semaphores_made;
  bool semaphore_is_lock, semaphore_was_given_back;
  /// The last object that it signalled from which nothing more can be learned (signals.c), and how
  /// many locks had changed until then.
  uintptr_t settled;
  uint32_t settled_at;
  /// The same for the last object that it waited for under a lock.
  uintptr_t settled_wait;
  uint32_t settled_wait_at;
  /// The last lock that it held, asked for again and was refused; and where.
  held_lock refused;
} order_record;

// The part of the reader (order_reader.c).

void interlock_order_read(order_record *state, const interlock_event *event) HIDDEN;
/// The calling thread ends, or has ended.
void interlock_order_thread_ends(order_record *state) HIDDEN;
/// There is no record for a thread.
void interlock_order_miss_thread(void) HIDDEN;

// What a thread holds (held_list.c): the calling thread's own list.

static inline uint32_t innermost_run(const order_record *state) {
  return state->run_count < callers_run ? state->run_count : callers_run - 1;
}
/// Adds something that is not in the list.
void interlock_hold(order_record *state, held_lock lock) HIDDEN;
/// Finds something in it, that which was taken last first; NULL where it is not there.
held_lock *interlock_find_held(order_record *state, uintptr_t object) HIDDEN;
/// Takes something out of it.
void interlock_drop(order_record *state, const held_lock *lock) HIDDEN;
/// Tells of a lock that was held for too long, where anybody asks; `place` is where it is given
/// back.
void interlock_look_at_hold_time(order_record *state, const held_lock *lock,
                                 uintptr_t place) HIDDEN;
/// The thread has a lock, and may have waited for it.
void interlock_take_lock(order_record *state, uintptr_t object, uint32_t kind, bool is_shared,
                         uint32_t flags, uintptr_t place, uintptr_t outer) HIDDEN;
/// It gives one back; returns whether it was its own.
bool interlock_let_go(order_record *state, uintptr_t object, uintptr_t place) HIDDEN;

/// Whether it is known what a thread holds: not where it is more than there is room for, nor where
/// it acts for a caller that is not known.
static inline bool interlock_knows_held(const order_record *state) {
  return state->untold == 0 && state->borrowed == 0 && state->run_count <= runs_most;
}
/// A number for some locks and where they were taken.
static inline uint64_t interlock_held_hash(const held_lock *locks, uint32_t count, uint64_t hash) {
  for (uint32_t index = 0; index < count; index++) {
    hash = mix(mix(hash, locks[index].object), locks[index].place << 1 | locks[index].is_shared);
  }
  return hash;
}

// Blocks (held_blocks.c).

/// Whether a block on a queue of this width shares it with others.
static inline bool interlock_shares_queue(uint32_t width, uint32_t flags) {
  return width > 1 && !(flags & INTERLOCK_FLAG_BARRIER);
}
/// The thread waits no more: tells of a wait in a task that was long.
void interlock_end_long_wait(order_record *state, uintptr_t object) HIDDEN;
static inline void interlock_end_wait(order_record *state, uintptr_t object) {
  if (state->wait_since) interlock_end_long_wait(state, object);
}
void interlock_note_begin(order_record *state, const interlock_event *event) HIDDEN;
void interlock_note_end(order_record *state, const interlock_event *event) HIDDEN;

// Callers of the main queue (main_queue.c): their blocks run on its thread, with what the callers
// hold.

extern char _dispatch_main_q[] INTERLOCK_WEAK;
static inline bool interlock_is_main_queue(uintptr_t queue) {
  return queue == (uintptr_t)_dispatch_main_q;
}
/// The calling thread waits for a synchronous call on it; it goes on.
void interlock_main_queue_called(order_record *state, uintptr_t place) HIDDEN;
void interlock_main_queue_returned(order_record *state) HIDDEN;
/// A synchronous block of another thread begins on it: the calling thread holds from here on what
/// that one does. False where it cannot be said which thread that is.
bool interlock_adopt_caller(order_record *state, uintptr_t place) HIDDEN;
/// It ends.
void interlock_leave_caller(order_record *state) HIDDEN;
void interlock_main_queue_forked(void) HIDDEN;

// Locks in which a writer may come between two reads (writers.c).

void interlock_writers_prepare(void) HIDDEN;
/// Whether a read-write lock lets no reader in while a writer waits.
bool interlock_prefers_writers(uintptr_t lock) HIDDEN;
/// A barrier is handed to a queue, or called there.
void interlock_note_barrier(order_record *state, const interlock_event *event) HIDDEN;

/// The serial executor whose code this thread runs: an actor, by its address. Both words, as the
/// runtime returns them.
typedef struct {
  uintptr_t identity, implementation;
} serial_executor;
extern serial_executor swift_task_getCurrentExecutor(void) INTERLOCK_WEAK;

/// Writes what the calling thread holds, as much as there is room for, and returns how much.
size_t interlock_tell_held(interlock_held_at *held, size_t capacity) HIDDEN;

/// Nanoseconds of the monotonic clock, to the last tick: milliseconds are told.
uint64_t interlock_coarse_now(void) HIDDEN;
/// A number that no other block has.
uint64_t interlock_next_number(void) HIDDEN;

extern interlock_prediction_limits interlock_limits HIDDEN;
extern interlock_prediction_losses interlock_losses HIDDEN;

/// Grows whenever a lock is made or destroyed, or a queue gets another target: what was at an
/// address may be another.
extern uint32_t interlock_locks_changed HIDDEN;

/// Who the calling thread is, with its stack from `place` on.
void interlock_describe_actor(const order_record *state, uintptr_t place,
                              interlock_actor_view *actor) HIDDEN;
/// Who acts: by a number that stands for the thread, its task or its block. `gate` becomes the
/// actor whose code it runs, which lets nobody else in meanwhile; 0 for none.
uint64_t interlock_owner(order_record *state, uintptr_t *gate) HIDDEN;
/// The same after a closer look: Foundation's operations wait for each other unseen, so all that it
/// runs counts as one.
uint64_t interlock_final_owner(order_record *state, uint64_t owner, uintptr_t place) HIDDEN;

// Locks that live (known_locks.c), by address; under `interlock_tables_lock`.

extern int interlock_tables_lock HIDDEN;

typedef struct {
  uintptr_t object;
  uintptr_t created;
  /// A number that no other lock ever has; never 0.
  uint32_t number;
  /// In the graph: its index there and 1; 0 for none.
  uint32_t node;
  uint8_t kind;
  /// Of a semaphore: whether who had it has signalled it, and whether somebody else has.
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

// Orders (lock_order.c).

bool interlock_order_prepare(void) HIDDEN;
bool interlock_chains_prepare(void) HIDDEN;
/// A lock that a thread has, and the serial queues that it runs on in turn, where it is a queue:
/// who is on one has them all.
uint32_t interlock_with_targets(held_lock first, held_lock *locks, uint32_t room) HIDDEN;
/// The calling thread, which holds something, takes this or waits for it.
void interlock_note_order(order_record *state, uintptr_t object, uint32_t kind, bool is_shared,
                          uintptr_t place, uintptr_t outer) HIDDEN;
/// The calling thread, which has a lock, waits for it again; or writes under one that it does not
/// have, which others may read twice.
void interlock_note_loop(order_record *state, held_lock first, bool is_shared, uint32_t signal,
                         uintptr_t place, uintptr_t outer) HIDDEN;
/// It waits for what is only signalled under a lock: the place is that of the wait.
void interlock_note_signal(order_record *state, held_lock gate, uint32_t signal) HIDDEN;
/// A lock is no more; under the lock of the tables. What led only to it, or only from it, is no
/// part of a cycle.
void interlock_order_forget(known_lock *lock) HIDDEN;

// What others signal (signals.c).

/// A kind of `known_lock` beside those of the events: what is no lock, and is waited for until
/// another thread signals it. Its node is its index in the list of signals, plus 1.
enum { interlock_signal_kind = 64 };

bool interlock_signals_prepare(void) HIDDEN;
/// The calling thread signals something: a semaphore that begins at 0, a group, a condition or a
/// work item. `at_end` is whether a block does so by its end.
void interlock_signalled(order_record *state, const interlock_event *event, bool at_end) HIDDEN;
/// It has waited for such a thing without a limit, and may have had to.
void interlock_waited_for_signal(order_record *state, const interlock_event *event,
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
void interlock_note_left_lock(const order_record *state, const held_lock *held,
                              interlock_incident_kind kind) HIDDEN;
/// A thread has unlocked what it did not hold.
void interlock_unlocked_for_another(uintptr_t object) HIDDEN;

// Incidents (incidents.c).

bool interlock_incidents_prepare(void) HIDDEN;
void interlock_note_incident(order_record *state, interlock_incident_kind kind,
                             uint32_t object_kind, uintptr_t object, uintptr_t place,
                             uintptr_t outer, uintptr_t end_place, uint64_t nanoseconds) HIDDEN;

#endif
