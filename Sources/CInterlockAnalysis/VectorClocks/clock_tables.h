// Vector clocks, and what carries them: for the reader of the events. Not for users of the target.
#ifndef INTERLOCK_CLOCK_TABLES_H
#define INTERLOCK_CLOCK_TABLES_H

#include "vector_clock.h"

#include <pthread.h>

#include "interlock_runtime.h"

enum { most_runs = 16, most_shared = 8 };

/// What a thread is in: a block on a queue.
typedef struct {
  /// The group that it belongs to; 0 for none.
  uintptr_t group;
  /// Whether it is of a synchronous call of another thread's.
  bool is_foreign;
} clock_run;

typedef struct thread_clock {
  vector_clock clock;
  uint32_t slot;
  /// Blocks that it is in, jobs of tasks among them, and initialisers.
  uint32_t runs, jobs, initialisers;
  clock_run run[most_runs];
  /// Of a job's task that is in order with what the clock says since the thread last learnt of all;
  /// 0 for none.
  uintptr_t task;
  /// A new task comes after its maker, and not after what its thread did before: what that knew;
  /// and from which count of its own on, and up to which, the thread's doings come before what it
  /// does now. All of them where the first is 0.
  vector_clock outside;
  uint64_t first_count, seen_own;
  /// Read-write locks that it reads: the call that gives one up does not say so.
  uintptr_t shared[most_shared];
  uint32_t shared_count;
  /// The queue that it waits for, with a synchronous call.
  uintptr_t called_queue;
  /// A number that no other thread ever has, and how often the thread has learnt of others.
  uint64_t number, lessons;
  /// The mutex that it took or gave up last, and what carries its clock: most loops use one.
  uintptr_t mutex;
  struct clock_node *mutex_node;
  pthread_t handle;
  bool is_alive;
  /// Whether it is in here: a signal's handler may come meanwhile.
  bool is_busy;
} thread_clock;

/// What the clock of an address is for.
typedef enum { AS_LOCK, AS_ITEM, AS_CALL, AS_RETURN, AS_APPLY, AS_APPLIED, AS_THREAD } purpose;

struct thread_record;

// The part of the reader (clocks.c).

void interlock_clocks_read(struct thread_record *record, const interlock_event *event) HIDDEN;
/// The same for an event of a mutex or a semaphore.
void interlock_clocks_read_lock(struct thread_record *record, interlock_event_kind kind,
                                interlock_object_kind object_kind, uintptr_t object,
                                uintptr_t place) HIDDEN;

/// Before anything that a task's job does: its order is known, or comes after all.
void interlock_clock_come_to_task(thread_clock *own) HIDDEN;

/// Why no order is known any more; NULL while it is.
extern const char *interlock_clocks_reason HIDDEN;
static inline bool interlock_clocks_are_blind(void) {
  // Relaxed: text that never changes.
  return __atomic_load_n(&interlock_clocks_reason, __ATOMIC_RELAXED) != NULL;
}

bool interlock_clock_nodes_prepare(void) HIDDEN;
bool interlock_clock_threads_prepare(void) HIDDEN;
/// In the child of a fork: the threads that had the locks are not there.
void interlock_clock_nodes_forked(void) HIDDEN;
void interlock_clock_threads_forked(void) HIDDEN;
/// From now on no order is known, for this reason.
void interlock_clocks_lose_sight(const char *reason) HIDDEN;

/// The calling thread's clock, made where it has none; NULL where there is no room. A thread that
/// is met at another event than its `START` comes after all that has happened.
thread_clock *interlock_clock_own(struct thread_record *record,
                                  const interlock_event *event) HIDDEN;
/// The calling thread ends, or has ended: another may have its clock.
void interlock_clock_thread_ends(thread_clock *clock) HIDDEN;
/// The thread comes after all that has happened.
void interlock_clock_know_all(thread_clock *own) HIDDEN;
/// The thread forgets what it knows, until a matching `remember`: what it learns from now on is all
/// that comes before.
void interlock_clock_forget_all(thread_clock *own) HIDDEN;
void interlock_clock_remember(thread_clock *own) HIDDEN;
/// Whether what a thread did up to a count comes before what this one does now.
bool interlock_clock_has_seen(const thread_clock *own, uint32_t slot, uint64_t count) HIDDEN;
/// A thread has been joined: all that had its handle, since another may have it by now.
void interlock_clock_join_thread(thread_clock *own, pthread_t handle) HIDDEN;

/// The thread gives something up: the next that gets it comes after all that this one has done.
void interlock_clock_pass(thread_clock *own, uintptr_t address, purpose purpose,
                          bool is_shared) HIDDEN;
/// The thread gets something: it comes after all that the threads did which gave it up; if it
/// shares it, only after those that had it alone.
void interlock_clock_get(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared,
                         bool is_last) HIDDEN;
/// The thread gets a mutex, or gives it up, at a place in the code. The runtime's own locks order
/// nothing that a user may count on: a mutex is followed from when a user's code, or Foundation's,
/// takes it or gives it up.
void interlock_clock_get_mutex(thread_clock *own, uintptr_t address, uintptr_t place) HIDDEN;
void interlock_clock_pass_mutex(thread_clock *own, uintptr_t address, uintptr_t place) HIDDEN;
/// A lock is no more; what was known of it is no use to the next one at its address.
void interlock_clock_forget(thread_clock *own, uintptr_t address) HIDDEN;

static inline void clock_learn(thread_clock *own, const vector_clock *from) {
  clock_join(&own->clock, from);
  if (from->counts[own->slot] > own->seen_own) own->seen_own = from->counts[own->slot];
  own->lessons++;
}

/// What the thread does from now on is not what it gives up now.
static inline void clock_count_on(thread_clock *own) {
  uint64_t *count = &own->clock.counts[own->slot];
  __atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
}

/// A clock that many pass and get, under a lock of its own.
typedef struct {
  int lock;
  vector_clock clock;
} common_clock;
// Blocks and tasks (clock_blocks.c).

/// All that left any group: the block that comes of it does not name its group.
extern common_clock interlock_clock_left HIDDEN;
/// All that ended in a group that was not named.
extern common_clock interlock_clock_unnamed HIDDEN;
void interlock_clock_begin_block(thread_clock *own, const interlock_event *event) HIDDEN;
void interlock_clock_end_block(thread_clock *own, const interlock_event *event) HIDDEN;
void interlock_clock_note_task(thread_clock *own, const interlock_event *event) HIDDEN;
void interlock_clock_events_forked(void) HIDDEN;

void interlock_clock_pass_to(thread_clock *own, common_clock *common) HIDDEN;
void interlock_clock_get_from(thread_clock *own, common_clock *common) HIDDEN;

#endif
