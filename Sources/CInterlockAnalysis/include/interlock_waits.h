/// The wait table: the first reader of the events. It knows at every moment what each thread waits
/// for, what it holds and runs, and what is queued where; a snapshot of it is what the wait-for
/// graph is made of.
#ifndef INTERLOCK_WAITS_H
#define INTERLOCK_WAITS_H

#include "interlock_events.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins to follow the events, for the rest of the process's life; calls after the first do
/// nothing. Returns false where no call is seen. What was held or queued before is not known. May
/// be called from any thread.
bool interlock_waits_start(void);

/// Whether it follows them.
bool interlock_waits_started(void);

/// A number that grows with what any thread does: two equal ones mean that nothing happened
/// between. A thread that polls a run loop does nothing until the loop handles something, and nor
/// does a pool's worker that ends such a poll; while one of them is about it, the number may be
/// greater for a moment.
uint64_t interlock_waits_progress(void);

#define INTERLOCK_HELD_MOST 16
#define INTERLOCK_RUNS_MOST 8
#define INTERLOCK_LABEL_BYTES 48
#define INTERLOCK_PLACES_MOST 4

/// Something that a thread holds.
typedef struct {
  uintptr_t object;
  /// Where it was taken.
  uintptr_t place;
  /// Where that was called; 0 where it is not known.
  uintptr_t outer;
  uint32_t kind;
  /// How often, for a recursive lock.
  uint32_t count;
} interlock_held;

/// A block that a thread is in.
typedef struct {
  uintptr_t queue;
  /// Where it was handed to the queue, and by which thread (0 for a synchronous one: by this).
  uintptr_t place;
  uint32_t enqueued_by;
  uint32_t flags;
  bool is_synchronous;
  /// The work item that the block is of; 0 for none.
  uintptr_t work_item;
  /// The group that is left when it ends; 0 for none.
  uintptr_t group;
  /// What it was handed over with, for `interlock_waits_code`; only compared, since the block may
  /// be gone.
  uintptr_t function;
  uintptr_t context;
} interlock_run;

/// A thread at one moment.
typedef struct {
  uint32_t number;
  /// The number of the thread that started it; 0 where that is not known.
  uint32_t started_by;
  /// What others join it by.
  uintptr_t handle;
  /// Grows with every event of the thread.
  uint64_t sequence;
  /// What it waits for; 0 for nothing that is known.
  uint32_t wait_kind;
  uint32_t wait_flags;
  uintptr_t wait_object;
  uintptr_t wait_other;
  uintptr_t wait_place;
  uintptr_t wait_outer;
  /// The task that it ran then, and the actor that the task was on; 0 for none. Not that of an
  /// actor with an executor of its own.
  uintptr_t wait_task;
  uintptr_t wait_actor;
  /// The root queue whose worker it is, or was; 0 for none.
  uintptr_t pool;
  uint32_t held_count;
  uint32_t run_count;
  /// How many blocks have ended on it.
  uint32_t ended;
  /// Held or run, but not in the lists: there was no room.
  uint32_t untracked;
  /// When it began to poll a run loop that has handled nothing, in nanoseconds of the monotonic
  /// clock; 0 for no poll.
  uint64_t polls_since;
  interlock_held held[INTERLOCK_HELD_MOST];
  interlock_run runs[INTERLOCK_RUNS_MOST];
} interlock_thread_view;

/// Writes the threads that have been seen and live; gives how many there are, which may be more
/// than `capacity`.
size_t interlock_waits_threads(interlock_thread_view *threads, size_t capacity);

/// A queue at one moment.
typedef struct {
  uintptr_t queue;
  uintptr_t target;
  /// How many of its blocks may run at once; 1 for a serial queue, 0 where it is not known.
  uint32_t width;
  bool is_main;
  bool is_root;
  bool is_overcommit;
  int32_t suspended;
  /// Whether its blocks come to its pool in the order in which they were handed over: it is a root
  /// queue, or was never suspended, given another target, or closed by a barrier.
  bool keeps_order;
  /// Blocks that are queued, and those that wait for a time or a group.
  uint64_t queued;
  uint64_t delayed;
  uint64_t on_group;
  /// The earliest time of a delayed one, in nanoseconds of the monotonic clock.
  uint64_t next_delayed;
  char label[INTERLOCK_LABEL_BYTES];
} interlock_queue_view;

/// Writes the queues that have something queued, or run something, or are another's target, by the
/// same rule.
size_t interlock_waits_queues(interlock_queue_view *queues, size_t capacity);

/// Describes any queue that lives, with what is queued on it if that is known.
void interlock_waits_describe_queue(uintptr_t queue, interlock_queue_view *view);

/// The root queue whose threads run what is queued on a queue; 0 where it cannot be determined.
uintptr_t interlock_waits_root(uintptr_t queue);

/// A block that is queued.
typedef struct {
  uintptr_t place;
  uint64_t turn;
  uint32_t enqueued_by;
  uint32_t flags;
  /// For `interlock_waits_code`.
  uintptr_t function;
  uintptr_t context;
} interlock_item_view;

/// Writes the first queued blocks of a queue, in their order, without those that wait for a time or
/// a group.
size_t interlock_waits_items(uintptr_t queue, interlock_item_view *items, size_t capacity);

/// A number for the code that a block runs, by what it was handed over with: equal for blocks of
/// one closure that have captured closures of the same code, as far as these are found. 0 where
/// that is not known: for a work item, a job, and a block that a library made. Looks at memory that
/// may be gone: only what has not moved since is true.
uint64_t interlock_waits_code(uintptr_t function, uintptr_t context, uint32_t flags);

/// The number of blocks that are queued on any queue before this turn, on queues that end at this
/// root.
uint64_t interlock_waits_ahead(uintptr_t root, uint64_t turn);

/// What is known of a semaphore, group, condition or continuation.
typedef struct {
  uintptr_t object;
  uint32_t kind;
  /// A semaphore's first value.
  int64_t value;
  /// Where it was made; 0 if that was not seen.
  uintptr_t created;
  /// Where the code that called the function goes on which made a continuation; 0 where that is not
  /// known.
  uintptr_t created_outer;
  uint64_t waits;
  uint64_t releases;
  uint64_t enters;
  /// The last places that signalled or left it, newest first; then 0.
  uintptr_t release_places[INTERLOCK_PLACES_MOST];
  /// The last places that entered it.
  uintptr_t enter_places[INTERLOCK_PLACES_MOST];
} interlock_object_view;

/// Looks an object up; false where nothing is known of it.
bool interlock_waits_object(uintptr_t object, interlock_object_view *view);

/// Writes the continuations that have been made and not resumed, newest first as far as known.
size_t interlock_waits_continuations(interlock_object_view *views, size_t capacity);

/// Where a mutex or a read-write lock was made; 0 where that was not seen.
uintptr_t interlock_waits_made(uintptr_t lock);

/// A lock that a thread held when it ended.
typedef struct {
  uintptr_t object;
  /// Where it was taken, and where that was called.
  uintptr_t place, outer;
  uint32_t kind;
  /// The thread's number, and its name.
  uint32_t thread;
  char name[16];
} interlock_left_lock;

/// Writes the last locks that were left so and not unlocked, destroyed or made anew since; returns
/// how many there are.
size_t interlock_waits_left_locks(interlock_left_lock *locks, size_t capacity);

/// Whether a mutex (a Swift `Mutex` too) or a read-write lock is held by a thread, by the lock's
/// own word. Of a lock that is held to read it only tells whether any thread holds it. False for a
/// robust mutex, which its holder's end gives up, and for one that other processes share.
bool interlock_lock_is_held_by(uintptr_t lock, uint32_t kind, uint32_t thread);

/// Whether something may run code without a call that is seen (a Dispatch source, I/O), or there
/// was no room for something: then only what is seen to run or to wait in a ring is certain.
bool interlock_waits_is_partial(void);

/// A call for what the calling thread has already: a queue that it is on, or a Swift mutex. It
/// traps, or hangs, in the next moment.
typedef struct {
  uint32_t thread;
  interlock_object_kind kind;
  uintptr_t object;
  uintptr_t place;
  /// Where the thread acquired it; 0 if that was not seen.
  uintptr_t first_place;
  bool traps;
} interlock_self_wait;

/// Called on the thread itself, before the trap. NULL for none.
void interlock_waits_on_self(void (*listener)(const interlock_self_wait *wait));

/// The thread that has a pthread mutex, by its own word; 0 for none, or for what is no such mutex.
uint32_t interlock_mutex_owner(uintptr_t mutex);

/// The thread that has a read-write lock to write, by its own word; 0 for none.
uint32_t interlock_lock_writer(uintptr_t lock);

/// Memory of this process, if it can be read; false otherwise.
bool interlock_peek(uintptr_t address, void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

/// The path of this header as the compiler has it: it tells where this target's sources are.
static inline const char *interlock_analysis_header(void) { return __FILE__; }

#endif
