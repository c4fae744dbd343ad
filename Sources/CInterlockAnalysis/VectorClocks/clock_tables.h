// The vector clocks of threads, and of the objects at which they synchronise. Not for users of the
// target.
#ifndef INTERLOCK_CLOCK_TABLES_H
#define INTERLOCK_CLOCK_TABLES_H

#include "vector_clock.h"

#include <pthread.h>

#include "interlock_runtime.h"

enum { most_runs = 16, most_shared = 8 };

/// A block that a thread runs on a queue.
typedef struct {
  /// The block's group; 0 for none.
  uintptr_t group;
  /// Whether the block is another thread's synchronous call.
  bool is_foreign;
} clock_run;

typedef struct thread_clock {
  vector_clock clock;
  // The fields that most events of locks read lie together.
  uint32_t slot;
  /// How many blocks it runs, how many of these are jobs of tasks, and how many initialisers it
  /// runs.
  uint32_t runs, jobs, initialisers;
  /// A number that no other thread ever has, and how often the thread's clock has grown by another.
  uint64_t number, lessons;
  /// The mutex that it acquired or released last, and its node: most loops use one mutex.
  uintptr_t mutex;
  struct clock_node *mutex_node;
  bool is_alive;
  /// Whether the thread is changing its clock: a signal handler may interrupt it.
  bool is_busy;
  clock_run run[most_runs];
  /// The task whose order the clock has: its first job, or the job for which the thread was last
  /// ordered after everything; 0 for none.
  uintptr_t task;
  /// A new task is ordered after its creator, and not after the earlier code of its thread. During
  /// its first job, `outside` is the thread's clock before, and of the thread's own counts only
  /// those from `first_count`, and those up to `seen_own`, come before the current code. If
  /// `first_count` is 0, all do.
  vector_clock outside;
  uint64_t first_count, seen_own;
  /// The read-write locks that it reads: the unlock call does not tell a reader from a writer.
  uintptr_t shared[most_shared];
  uint32_t shared_count;
  /// The queue that it is calling synchronously.
  uintptr_t called_queue;
  pthread_t handle;
} thread_clock;

/// The use of an address: each has a clock of its own.
typedef enum { AS_LOCK, AS_ITEM, AS_CALL, AS_RETURN, AS_APPLY, AS_APPLIED, AS_THREAD } purpose;

struct thread_record;

// The part of the reader (clocks.c).

void interlock_clocks_read(struct thread_record *record, const interlock_event *event) HIDDEN;
/// As above, for an event of a mutex or a semaphore.
void interlock_clocks_read_lock(struct thread_record *record, interlock_event_kind kind,
                                interlock_object_kind object_kind, uintptr_t object,
                                uintptr_t place) HIDDEN;

/// Called before each event of a task's job: orders the thread after everything if the task's order
/// is not known.
void interlock_clock_come_to_task(thread_clock *own) HIDDEN;

/// Why orders are not known from some event on; NULL while they are.
extern const char *interlock_clocks_reason HIDDEN;
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

/// The calling thread's clock, made if it has none; NULL if there is no room. A thread whose first
/// event is not its `START` is ordered after everything so far.
thread_clock *interlock_clock_own(struct thread_record *record,
                                  const interlock_event *event) HIDDEN;
/// Called when the clock's thread ends, or has ended: another thread may take the clock.
void interlock_clock_thread_ends(thread_clock *clock) HIDDEN;
/// Orders the thread after everything so far.
void interlock_clock_know_all(thread_clock *own) HIDDEN;
/// Empties the thread's clock until the matching `remember`: only what the thread learns meanwhile
/// comes before its code.
void interlock_clock_forget_all(thread_clock *own) HIDDEN;
void interlock_clock_remember(thread_clock *own) HIDDEN;
/// Whether everything that a thread did up to a count happens before this thread's next step.
bool interlock_clock_has_seen(const thread_clock *own, uint32_t slot, uint64_t count) HIDDEN;
/// Orders the thread after a joined thread: after all threads that had the handle, because it may
/// have been reused.
void interlock_clock_join_thread(thread_clock *own, pthread_t handle) HIDDEN;

/// A release: the next thread that gets the object is ordered after this thread's code so far.
void interlock_clock_pass(thread_clock *own, uintptr_t address, purpose purpose,
                          bool is_shared) HIDDEN;
/// An acquisition: orders the thread after the object's releases; a shared acquisition only after
/// the exclusive ones. `is_last` frees the object's clock.
void interlock_clock_get(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared,
                         bool is_last) HIDDEN;
/// The acquisition and the release of a mutex at a place in the code. A mutex is followed once code
/// of the user or of Foundation acquires or releases it, because users must not rely on the order
/// that the runtime's own locks make.
void interlock_clock_get_mutex(thread_clock *own, uintptr_t address, uintptr_t place) HIDDEN;
void interlock_clock_pass_mutex(thread_clock *own, uintptr_t address, uintptr_t place) HIDDEN;
/// Forgets the clock of a destroyed lock.
void interlock_clock_forget(thread_clock *own, uintptr_t address) HIDDEN;

static inline void clock_learn(thread_clock *own, const vector_clock *from) {
  clock_join(&own->clock, from);
  if (from->counts[own->slot] > own->seen_own) own->seen_own = from->counts[own->slot];
  own->lessons++;
}

/// Begins a new epoch, after a release.
static inline void clock_count_on(thread_clock *own) {
  uint64_t *count = &own->clock.counts[own->slot];
  __atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
}

/// A clock that many objects share, with its lock.
typedef struct {
  int lock;
  vector_clock clock;
} common_clock;
// Blocks and tasks (clock_blocks.c).

/// The epochs at which threads left groups. One clock for all groups: a block that waited for a
/// group does not name it.
extern common_clock interlock_clock_left HIDDEN;
/// The epochs at which blocks ended in a group that they did not name.
extern common_clock interlock_clock_unnamed HIDDEN;
void interlock_clock_begin_block(thread_clock *own, const interlock_event *event) HIDDEN;
void interlock_clock_end_block(thread_clock *own, const interlock_event *event) HIDDEN;
void interlock_clock_note_task(thread_clock *own, const interlock_event *event) HIDDEN;
void interlock_clock_events_forked(void) HIDDEN;

void interlock_clock_pass_to(thread_clock *own, common_clock *common) HIDDEN;
void interlock_clock_get_from(thread_clock *own, common_clock *common) HIDDEN;

#endif
