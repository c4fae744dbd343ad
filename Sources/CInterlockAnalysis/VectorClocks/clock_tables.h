// The vector clocks of threads, and of the objects at which they synchronise. Included by
// `CInterlockAnalysis/` and `CInterlockMemory/` only.
#ifndef INTERLOCK_CLOCK_TABLES_H
#define INTERLOCK_CLOCK_TABLES_H

#include "clock_snapshot.h"

#include <pthread.h>

#include "interlock_runtime.h"

enum { most_runs = 16, most_shared = 8 };

/// A block that a thread runs on a queue.
typedef struct {
  /// The block's group, and its work item; 0 for none.
  uintptr_t group, work_item;
  /// The block is another thread's synchronous call.
  bool is_foreign;
  /// For a job whose task has a clock of its own: the job runs on a pool, or on a serial queue.
  bool is_pool_job, is_serial_job;
  /// A pool chose the thread, so nothing orders the block after the thread's earlier code.
  bool is_apart;
} clock_run;

struct task_clock;

/// The clock of a thread, or of a task that runs on it (clock_tasks.c).
typedef struct thread_clock {
  // The fields that most events of locks read lie together.
  uint32_t slot;
  /// The number of blocks that the thread runs, of those that are jobs of tasks, and of
  /// initialisers that it runs.
  uint32_t runs, jobs, initialisers;
  /// A number that no other thread ever has; and the number of times that the clock has learnt of
  /// another thread.
  uint64_t number, lessons;
  /// The mutex or semaphore that the thread acquired or released last, and its node: most loops use
  /// one.
  uintptr_t lock;
  struct clock_node *lock_node;
  bool is_alive;
  clock_run run[most_runs];
  /// The task whose order the clock has; 0 for none. For a thread, if tasks have no clocks: its
  /// first job, or the job for which the thread was last ordered after everything.
  uintptr_t task;
  /// NULL for a thread.
  struct task_clock *of_task;
  /// Above 0 while the thread or the task itself runs jobs: the jobs come after its code so far,
  /// and its later code comes after the jobs.
  uint32_t calls;
  /// The next outer clock with `calls` above 0 on the same thread.
  struct thread_clock *outer_caller;
  /// A new task is ordered after its creator, and not after the earlier code of its thread. During
  /// its first job, `outside` is the thread's earlier clock. Of the thread's own counts, only those
  /// from `first_count` on, and those up to `seen_own`, happen before the current code; all do if
  /// `first_count` is 0. For a task, the slot's earlier counts are another task's.
  uint64_t first_count, seen_own;
  /// For a thread, its slot's count when it began. The earlier counts are those of ended threads,
  /// and happen before its code up to `seen_own`.
  uint64_t began;
  /// The read-write locks that the thread reads, because the unlock call does not tell a reader
  /// from a writer.
  uintptr_t shared[most_shared];
  uint32_t shared_count;
  /// The thread has asked for data of its own (clock_locals.c).
  bool uses_locals;
  /// The queue that the thread is calling synchronously.
  uintptr_t called_queue;
  /// The queue whose blocks the thread ran last, and its node.
  uintptr_t queue;
  struct clock_node *queue_node;
  /// The snapshot that the thread released last, and the thread's number and `lessons` at that
  /// time. While these are the same, the snapshot equals the thread's clock except for its own
  /// count. NULL for none.
  clock_snapshot *snapshot;
  uint64_t snapshot_number, snapshot_lessons;
  /// The number of further users that the snapshot already counts, for the thread to hand out.
  uint32_t snapshot_spares;
  /// A snapshot, and the number of its users that have dropped it but that it still counts.
  uint32_t dropped_count;
  clock_snapshot *dropped;
  pthread_t handle;
  vector_clock clock, outside;
} thread_clock;

/// The purpose for which an address is used; each has a clock of its own. Tasks and actors are
/// known from the calls that the runtime has for ThreadSanitizer. They are separate purposes,
/// because nothing shows when a task is freed, and an actor may get its address.
typedef enum {
  AS_LOCK,
  AS_CALL,
  AS_RETURN,
  AS_APPLY,
  AS_APPLIED,
  AS_THREAD,
  AS_TASK,
  /// An actor, another serial executor, or a job that is no task.
  AS_ACTOR,
  /// A thread's own data, by the thread's record.
  AS_LOCALS,
  /// An atomic. Not `AS_LOCK`, because a change of a lock's byte may pass the lock to a call.
  AS_ATOMIC,
} purpose;

/// True if a mutex is of the usual kind. glibc releases such a mutex for any thread, so a correct
/// program calls unlock only as the holder. A mutex of another kind may refuse the call.
static inline bool is_plain_mutex(uintptr_t address) {
#ifdef __GLIBC__
  return (((const pthread_mutex_t *)address)->__data.__kind & 127) == PTHREAD_MUTEX_TIMED_NP;
#else
  (void)address;
  return false;
#endif
}

struct thread_record;

// The part of the reader (clock_events.c).

void interlock_clocks_read(struct thread_record *record, const interlock_event *event) HIDDEN;
/// As above, for an event of a mutex or a semaphore.
void interlock_clocks_read_lock(struct thread_record *record, interlock_event_kind kind,
                                interlock_object_kind object_kind, uintptr_t object,
                                uintptr_t place) HIDDEN;

/// Called before each event of a task's job: orders the thread after everything if the task's order
/// is not known.
void interlock_clock_come_to_task(thread_clock *own) HIDDEN;

/// The reason why orders are not known from some event on; NULL while they are known.
extern const char *interlock_clocks_reason HIDDEN;
/// 0 before the clocks begin, 1 while they do, 2 once they have, 3 if they cannot.
extern int interlock_clocks_state HIDDEN;
static inline bool interlock_clocks_are_blind(void) {
  // Relaxed: text that never changes.
  return __atomic_load_n(&interlock_clocks_reason, __ATOMIC_RELAXED) != NULL;
}

bool interlock_clock_nodes_prepare(void) HIDDEN;
bool interlock_clock_threads_prepare(void) HIDDEN;
/// Called in the child of a fork, which does not have the threads that held the locks.
void interlock_clock_nodes_forked(void) HIDDEN;
void interlock_clock_threads_forked(void) HIDDEN;
/// Records that no order is known from now on, and why.
void interlock_clocks_lose_sight(const char *reason) HIDDEN;

/// Returns the calling thread's clock, made if it has none; NULL if there is no room. A thread
/// whose first event is not its `START` is ordered after everything so far.
thread_clock *interlock_clock_own(struct thread_record *record,
                                  const interlock_event *event) HIDDEN;
/// Called when the clock's thread ends, or has ended: another thread may take the clock.
void interlock_clock_thread_ends(thread_clock *clock) HIDDEN;
/// Orders the thread after everything so far.
void interlock_clock_know_all(thread_clock *own) HIDDEN;
/// Empties the thread's clock.
void interlock_clock_forget_others(thread_clock *own) HIDDEN;
/// Empties the thread's clock until the matching `remember`, so that only the code of which the
/// thread learns meanwhile happens before its code.
void interlock_clock_forget_all(thread_clock *own) HIDDEN;
void interlock_clock_remember(thread_clock *own) HIDDEN;
/// True if everything that a slot's thread did up to a count happens before this thread's next
/// step.
static inline bool interlock_clock_has_seen(const thread_clock *own, uint32_t slot,
                                            uint64_t count) {
  if (slot == own->slot) {
    return (count >= own->first_count && count >= own->began) || count <= own->seen_own;
  }
  return slot < most_slots && own->clock.counts[slot] >= count;
}
/// Orders the thread after a joined thread. Orders it after all threads that had the handle,
/// because the handle may have been reused.
void interlock_clock_join_thread(thread_clock *own, pthread_t handle) HIDDEN;

/// A release: the next thread that acquires the object is ordered after this thread's code so far.
void interlock_clock_pass(thread_clock *own, uintptr_t address, purpose purpose,
                          bool is_shared) HIDDEN;
/// An acquisition: orders the thread after the object's releases; a shared acquisition only after
/// the exclusive ones. `is_last` frees the object's clock. Returns false if no thread has released
/// the object.
bool interlock_clock_get(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared,
                         bool is_last) HIDDEN;
/// The acquisition and the release of a mutex at a place in the code. A mutex is followed once code
/// of the user or of Foundation acquires or releases it, because users must not rely on the order
/// that the runtime's own locks make.
void interlock_clock_get_mutex(thread_clock *own, uintptr_t address, uintptr_t place) HIDDEN;
void interlock_clock_pass_mutex(thread_clock *own, uintptr_t address, uintptr_t place) HIDDEN;
/// The same for a semaphore. Any thread may signal it, so its node is only read under its lock.
void interlock_clock_get_semaphore(thread_clock *own, uintptr_t address) HIDDEN;
void interlock_clock_pass_semaphore(thread_clock *own, uintptr_t address) HIDDEN;
/// Like `pass` and `get`, for a queue whose blocks the thread runs.
void interlock_clock_pass_queue(thread_clock *own, uintptr_t queue, bool is_shared) HIDDEN;
void interlock_clock_get_queue(thread_clock *own, uintptr_t queue, bool is_shared) HIDDEN;
/// True if a thread has released the address as a lock.
bool interlock_clock_is_lock(uintptr_t address) HIDDEN;
/// Forgets the clock of a destroyed object.
void interlock_clock_forget(uintptr_t address, purpose purpose) HIDDEN;

// Snapshots of clocks (clock_items.c).

/// Returns a snapshot that equals the thread's clock except for its own count, with one more user;
/// NULL without memory.
clock_snapshot *interlock_clock_snapshot_now(thread_clock *own) HIDDEN;
/// Orders the thread after a snapshot with the count of a slot.
void interlock_clock_learn_snapshot(thread_clock *own, const clock_snapshot *snapshot,
                                    uint32_t slot, uint64_t count) HIDDEN;
/// Records that the thread no longer refers to a snapshot.
void interlock_clock_drop_later(thread_clock *own, clock_snapshot *snapshot) HIDDEN;
/// Drops all references to snapshots, before the clock ends or gets another owner.
void interlock_clock_forget_snapshots(thread_clock *own) HIDDEN;
/// The release of a block that is queued, and the acquisition by the thread that runs or cancels
/// it.
void interlock_clock_pass_item(thread_clock *own, interlock_item *item) HIDDEN;
void interlock_clock_get_item(thread_clock *own, interlock_item *item) HIDDEN;

/// Records the result of a join, and the thread's own count in the other clock. `lessons` stays the
/// same if there was nothing to learn.
static inline void clock_has_learnt(thread_clock *own, uint64_t seen_own, clock_change change) {
  if (seen_own > own->seen_own) own->seen_own = seen_own;
  own->lessons += change.has_grown;
}

static inline void clock_learn(thread_clock *own, const vector_clock *from) {
  clock_change change = clock_join(&own->clock, from);
  clock_has_learnt(own, from->counts[own->slot], change);
}

/// Begins a new epoch, after a release.
static inline void clock_count_on(thread_clock *own) {
  uint64_t *count = &interlock_clock_counts[own->slot].count, next = *count + 1;
  // Relaxed: a thread that reads the old count only orders itself after less.
  __atomic_store_n(&own->clock.counts[own->slot], next, __ATOMIC_RELAXED);
  __atomic_store_n(count, next, __ATOMIC_RELAXED);
}

/// Gives a clock a new number, so that it no longer counts as that of its earlier releases.
void interlock_clock_renew_number(thread_clock *own) HIDDEN;
/// Takes a slot for a task that begins with a clock; `most_slots` if none is free. A clock that has
/// learnt of the task then seems to have learnt of the slot's ended tasks too. That is so if the
/// task itself comes after these, and such a slot is reused first; otherwise only if all slots of
/// tasks are in use or free.
uint32_t interlock_clock_take_slot(const vector_clock *clock) HIDDEN;
/// Gives a slot back. `end` is the count up to which a clock must have learnt of the ended task.
void interlock_clock_give_slot(uint32_t slot, uint64_t end) HIDDEN;

/// A clock that many objects share, with its lock.
typedef struct {
  int lock;
  vector_clock clock;
} common_clock;

// The data of threads (clock_locals.c).

/// Called when the running code asks for data of the thread: it comes after the other blocks and
/// parts of tasks that have asked for it on this thread.
void interlock_clock_uses_locals(struct thread_record *record) HIDDEN;
/// Called when that code is over, and other code follows on the thread.
void interlock_clock_leaves_locals(struct thread_record *record, thread_clock *own) HIDDEN;

// Blocks and tasks (clock_blocks.c).

/// The epochs at which threads left groups. One clock for all groups: a block that waited for a
/// group does not name it.
extern common_clock interlock_clock_left HIDDEN;
/// The epochs at which blocks ended in a group that they did not name.
extern common_clock interlock_clock_unnamed HIDDEN;
void interlock_clock_begin_block(thread_clock *own, const interlock_event *event) HIDDEN;
void interlock_clock_end_block(thread_clock *own, const interlock_event *event) HIDDEN;
/// Makes the thread's code so far come before the next blocks of the queue and of its targets.
void interlock_clock_leave_queues(thread_clock *own, uintptr_t queue, bool is_barrier) HIDDEN;
void interlock_clock_note_task(struct thread_record *record, thread_clock *own,
                               const interlock_event *event) HIDDEN;
void interlock_clock_events_forked(void) HIDDEN;

// Tasks with clocks of their own (clock_tasks.c, clock_edges.c).

/// True if the runtime shows the orders of tasks, so that each task has a clock of its own.
extern bool interlock_clock_tasks_are_exact HIDDEN;
bool interlock_clock_tasks_prepare(void) HIDDEN;
void interlock_clock_tasks_forked(void) HIDDEN;
/// `AS_TASK`, or `AS_ACTOR` for another object of the runtime.
purpose interlock_clock_purpose_of(const void *object) HIDDEN;
/// Lets the runtime show the orders of tasks from now on, if it can.
void interlock_clock_follow_edges(void) HIDDEN;
void interlock_clock_edges_forked(void) HIDDEN;

/// Called when the thread begins to run a part of a task, whose clock replaces the thread's.
/// `is_known` is false if the part has begun unseen.
void interlock_clock_task_begins(struct thread_record *record, uintptr_t task,
                                 bool is_known) HIDDEN;
/// Called when the thread's part of the task is over: puts the earlier clock back.
void interlock_clock_task_leaves(struct thread_record *record) HIDDEN;
/// True if a task has begun and has not ended.
bool interlock_clock_task_has_begun(uintptr_t task) HIDDEN;
/// Called when the thread, or the task that it runs, begins and ends to run jobs itself.
void interlock_clock_calls(struct thread_record *record, thread_clock *own) HIDDEN;
void interlock_clock_has_called(struct thread_record *record) HIDDEN;
/// Returns the clock of the running code. `leaves`: the code that follows is no longer part of a
/// task that the runtime has taken off the thread.
thread_clock *interlock_clock_now(struct thread_record *record, bool leaves) HIDDEN;
/// Returns the clock of code that no task runs. It comes after the last part of a task that the
/// thread ran.
thread_clock *interlock_clock_without_task(struct thread_record *record) HIDDEN;
/// Called when the runtime shows that the task has come to an actor, or has left it. The second
/// returns false if the runtime took the task off the thread before.
void interlock_clock_task_comes(thread_clock *own, uintptr_t actor) HIDDEN;
bool interlock_clock_task_goes(thread_clock *own, uintptr_t actor) HIDDEN;
/// Called when the task has ended. The code that the thread still runs for it is part of it.
void interlock_clock_task_ends(thread_clock *own) HIDDEN;

void interlock_clock_pass_to(thread_clock *own, common_clock *common) HIDDEN;
void interlock_clock_get_from(thread_clock *own, common_clock *common) HIDDEN;

#endif
