// The record of each thread, shared by all parts of the analysis. Included by `CInterlockAnalysis/`
// and `CInterlockMemory/` only.
#ifndef INTERLOCK_THREAD_RECORD_H
#define INTERLOCK_THREAD_RECORD_H

#include "LockOrder/Graph/order_record.h"
#include "VectorClocks/clock_tables.h"
#include "Waits/wait_record.h"
#include "held_list.h"
#include "interlock_runtime.h"

/// Only its own thread writes it; any thread may read the held list and the waits.
typedef struct thread_record {
  held_list held;
  wait_record waits;
  order_record order;
  /// The clock of the running code: the thread's own, or that of the task that it runs. NULL until
  /// the thread needs one.
  thread_clock *clock;
  /// The thread's own clock, one of a fixed number.
  thread_clock *base;
  /// The innermost clock whose thread or task runs jobs itself; NULL for none.
  thread_clock *caller;
  /// The word in which the Swift runtime keeps the thread's task; NULL until it is looked up.
  const uintptr_t *task_word;
  /// The number of times that the thread has begun to run other code: another task, or none. And
  /// the approximate highest address of its stack at these changes: accesses below it are of other
  /// code. The check of memory resets the address to 0.
  uint32_t clock_changes;
  uintptr_t stack_mark;
  /// The number of rounds of destructors in which the record's own has run: other libraries'
  /// destructors may still lock.
  uint32_t farewells;
  uint32_t used;
  struct thread_record *next;
} thread_record;

/// Notes such a change. `place` is the address of a frame above the code that follows.
static inline void note_clock_change_below(thread_record *record, uintptr_t place) {
  record->clock_changes++;
  if (place > record->stack_mark) record->stack_mark = place;
}

/// The same if that frame is only known to be near, because frames of the runtime are between.
static inline void note_clock_change(thread_record *record) {
  enum { own_frames = 1024 };
  note_clock_change_below(record, (uintptr_t)__builtin_frame_address(0) + own_frames);
}

/// The main thread's slot, once it has acquired a lock outside all blocks (main_locks.c); written
/// under the lock of the tables.
extern uint32_t interlock_main_slot HIDDEN;
/// Records which code of the main thread happens before the record's code, as the lock order counts
/// it. Acquisitions of mutexes are left out, because their order may differ in another run.
static inline void see_main(thread_record *record) {
  // Relaxed: see `note_epoch` in main_locks.c.
  uint32_t slot = __atomic_load_n(&interlock_main_slot, __ATOMIC_RELAXED);
  if (slot < most_slots) record->order.seen_main = record->clock->clock.counts[slot];
}

/// The calling thread's record; NULL until it is claimed.
extern __thread thread_record *interlock_own_record
    __attribute__((tls_model("initial-exec"))) HIDDEN;
/// Claims a record for the calling thread. Returns NULL if there is no memory.
thread_record *interlock_claim_record(void) HIDDEN;

static inline thread_record *own_record(void) {
  thread_record *record = interlock_own_record;
  return __builtin_expect(record != NULL, 1) ? record : interlock_claim_record();
}

/// Returns the task that the calling thread runs; 0 for none. Reads the runtime's word, because a
/// call of the runtime's function would double the cost of most accesses in a task.
static inline uintptr_t current_task(thread_record *own) {
  if (__builtin_expect(!own->task_word, 0)) own->task_word = interlock_task_word();
  uintptr_t task = *own->task_word;
  if (__builtin_expect(task != interlock_unknown_task, 1)) return task;
  return (uintptr_t)swift_task_getCurrent();
}

/// Returns the first of all records, including those of ended threads; none is ever freed.
thread_record *interlock_first_record(void) HIDDEN;
static inline bool is_used(const thread_record *record) {
  // Acquire: pairs with the release in `claim`.
  return __atomic_load_n(&record->used, __ATOMIC_ACQUIRE);
}

/// The serial executor on which the calling thread runs; `identity` is the actor's address. Both
/// words, as the runtime returns them.
typedef struct {
  uintptr_t identity, implementation;
} serial_executor;
extern serial_executor swift_task_getCurrentExecutor(void) INTERLOCK_WEAK;

/// Prepares the records; each thread calls `ends` when it ends. Returns false if the system
/// refuses.
bool interlock_records_prepare(void (*ends)(thread_record *)) HIDDEN;
/// Releases the list's lock in the child of a fork, in which its holder does not exist.
void interlock_records_forked(void) HIDDEN;

// Locks whose creation no call shows, in memory whose end is seen (known_locks.c).

/// Returns the block of memory that contains a lock from the block's beginning to its end; 0 if
/// that is not certain.
typedef uintptr_t (*interlock_block_search)(uintptr_t lock);
/// Sets the function. From then on, `interlock_block_ends` must be called before a block is freed.
void interlock_search_blocks(interlock_block_search function) HIDDEN;
void interlock_block_ends(uintptr_t block) HIDDEN;

/// Writes the locks that the calling thread holds in the lock order, up to `capacity`, and returns
/// how many it wrote (held_list.c).
size_t interlock_copy_held(interlock_held_at *held, size_t capacity) HIDDEN;

/// Called when the calling thread's record is released. NULL if races in memory are not checked;
/// not hidden, because the address of a hidden function is never NULL.
void interlock_memory_thread_ends(void) __attribute__((weak));

/// Called for the address of a lock. NULL if races in memory are not checked.
void interlock_memory_lock_made(const void *lock) __attribute__((weak));

/// The parts that read the events.
typedef enum {
  INTERLOCK_PART_WAITS = 1 << 0,
  INTERLOCK_PART_ORDER = 1 << 1,
  INTERLOCK_PART_CLOCKS = 1 << 2,
} interlock_part;

/// Makes a part read the events from now on (reader.c). Returns false if no call is interposed, or
/// if there is no room for a reader.
bool interlock_follow(interlock_part part) HIDDEN;
/// Publishes the events of locks that no interposed call shows, from now on (LockOrder).
void interlock_hear_locks(void) HIDDEN;

#endif
