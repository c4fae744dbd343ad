/// The wait table: the wait, the held locks and the runs of each thread, and the queued blocks of
/// each queue. The wait-for graph is made from a snapshot of it.
#ifndef INTERLOCK_WAITS_H
#define INTERLOCK_WAITS_H

#include "interlock_events.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begins to follow the events, for the rest of the process's life; later calls do nothing. Returns
/// false if no call is interposed. Locks held and blocks queued before are not in the table.
/// Callable from any thread.
bool interlock_waits_start(void);

/// True if the wait table follows the events.
bool interlock_waits_started(void);

/// Returns a number that grows with every thread's events: if two readings are equal, nothing
/// happened in between. A poll of a run loop counts only once the loop has handled something, and a
/// pool worker that ends such a poll does not count; while one of these runs, the number may be
/// larger for a short time.
uint64_t interlock_waits_progress(void);

#define INTERLOCK_HELD_MOST 16
#define INTERLOCK_RUNS_MOST 8
#define INTERLOCK_LABEL_BYTES 48
#define INTERLOCK_PLACES_MOST 4
/// Enough for wrappers of wrappers: a box with a lock class, its storage, and closures.
#define INTERLOCK_CALLERS_MOST 7

/// A lock that a thread holds.
typedef struct {
  uintptr_t object;
  /// The call site that acquired the lock.
  uintptr_t place;
  /// The caller of that function; 0 if it is not known.
  uintptr_t outer;
  uint32_t kind;
  /// The number of times that the thread holds the lock, if it is recursive.
  uint32_t count;
  /// True if a block of a pool's thread has acquired the lock and ended without releasing it.
  bool is_left;
  /// The task whose part that block was; 0 for none.
  uintptr_t left_by;
} interlock_held;

/// A block that a thread runs.
typedef struct {
  uintptr_t queue;
  /// The call site that enqueued the block, and the enqueuing thread (0 for a synchronous block:
  /// this thread).
  uintptr_t place;
  uint32_t enqueued_by;
  uint32_t flags;
  bool is_synchronous;
  /// The block's work item; 0 for none.
  uintptr_t work_item;
  /// The group that the block leaves when it ends; 0 for none.
  uintptr_t group;
  /// The function and context of the enqueue call, for `interlock_waits_code`; only compared,
  /// because the block may have been freed.
  uintptr_t function;
  uintptr_t context;
} interlock_run;

/// A snapshot of a thread.
typedef struct {
  uint32_t number;
  /// The number of the thread that started this one; 0 if it is not known.
  uint32_t started_by;
  /// The thread's `pthread_t`, by which other threads join it.
  uintptr_t handle;
  /// Grows with every event of the thread.
  uint64_t sequence;
  /// The object for which the thread waits; a kind of 0 for no known wait.
  uint32_t wait_kind;
  uint32_t wait_flags;
  uintptr_t wait_object;
  uintptr_t wait_other;
  uintptr_t wait_place;
  uintptr_t wait_outer;
  /// The task that the thread ran when the wait began, and the task's actor; 0 for none, or for an
  /// actor with a custom executor.
  uintptr_t wait_task;
  uintptr_t wait_actor;
  /// The root queue whose worker the thread is, or was; 0 for none.
  uintptr_t pool;
  uint32_t held_count;
  uint32_t run_count;
  /// The number of blocks that have ended on the thread.
  uint32_t ended;
  /// The number of locks and blocks for which the lists below have no room.
  uint32_t untracked;
  /// The time at which the thread's poll of a run loop began, if the loop has handled nothing
  /// since, in nanoseconds of the monotonic clock; 0 for no poll.
  uint64_t polls_since;
  interlock_held held[INTERLOCK_HELD_MOST];
  interlock_run runs[INTERLOCK_RUNS_MOST];
} interlock_thread_view;

/// Writes the living threads that have had an event; returns their number, which may exceed
/// `capacity`.
size_t interlock_waits_threads(interlock_thread_view *threads, size_t capacity);

/// A snapshot of a queue.
typedef struct {
  uintptr_t queue;
  uintptr_t target;
  /// The number of the queue's blocks that may run at once; 1 for a serial queue, 0 if it is not
  /// known.
  uint32_t width;
  bool is_main;
  bool is_root;
  bool is_overcommit;
  int32_t suspended;
  /// True if the queue's blocks reach its pool in the order in which they were enqueued: it is a
  /// root queue, or its creation was seen and it was never suspended or retargeted, and had no
  /// barrier.
  bool keeps_order;
  /// The numbers of queued blocks, and of blocks that wait for a time or a group.
  uint64_t queued;
  uint64_t delayed;
  uint64_t on_group;
  /// The earliest due time of a delayed block, in nanoseconds of the monotonic clock; all ones for
  /// none.
  uint64_t next_delayed;
  char label[INTERLOCK_LABEL_BYTES];
} interlock_queue_view;

/// Writes all queues that were created, called or given a block while the table followed the
/// events; returns their number, which may exceed `capacity`. Some may have been freed.
size_t interlock_waits_queues(interlock_queue_view *queues, size_t capacity);

/// Describes any live queue, and its queued blocks if they are known.
void interlock_waits_describe_queue(uintptr_t queue, interlock_queue_view *view);

/// Returns the root queue whose threads run a queue's blocks; 0 if it is not known.
uintptr_t interlock_waits_root(uintptr_t queue);

/// A queued block.
typedef struct {
  uintptr_t place;
  uint64_t turn;
  uint32_t enqueued_by;
  uint32_t flags;
  /// For `interlock_waits_code`.
  uintptr_t function;
  uintptr_t context;
} interlock_item_view;

/// Writes the first queued blocks of a queue, in order, without those that wait for a time or a
/// group.
size_t interlock_waits_items(uintptr_t queue, interlock_item_view *items, size_t capacity);

/// An item in the list of a root queue.
typedef struct {
  /// The item's address. If the item's blocks run one at a time, it is a queue.
  uintptr_t address;
  /// For a block of a concurrent queue: that queue.
  uintptr_t data;
  /// True if it is a block that was enqueued on the root queue itself.
  bool is_plain;
} interlock_root_item;

/// Copies a root queue's list of items, the first to begin first. Returns their number; 0 if there
/// are none, more than `capacity`, or if the list cannot be read.
///
/// At the start, this private layout can be checked only in part: a queued item is begun at once.
/// Use the list only if it has exactly the blocks that the table has: a wrong layout does not show
/// a thousand items of one queue.
size_t interlock_waits_root_list(uintptr_t root, interlock_root_item *items, size_t capacity);

/// Caches the reads of `interlock_waits_code`, which makes it many times faster for blocks that
/// refer to the same objects. Valid for one snapshot; one thread at a time may use it.
typedef struct interlock_code_reader interlock_code_reader;
interlock_code_reader *interlock_code_reader_make(void);
void interlock_code_reader_free(interlock_code_reader *reader);

/// Returns a number for the code that a block runs, from the function and context of its enqueue
/// call. It is equal for blocks of the same closure whose captured closures, as far as they are
/// found, have the same code. 0 if the code is not known: for a work item, a job, and a block that
/// a library made. Reads memory that may have been freed: use the number only if the queue has not
/// changed since. The reader may be NULL.
uint64_t interlock_waits_code(interlock_code_reader *reader, uintptr_t function, uintptr_t context,
                              uint32_t flags);

/// Returns a number for a block's code and for the values that its closure has captured. Blocks
/// with the same number do the same as long as the memory that they read does not change. 0 if it
/// is not known. Otherwise like `interlock_waits_code`.
uint64_t interlock_waits_values(interlock_code_reader *reader, uintptr_t function,
                                uintptr_t context, uint32_t flags);

/// True if a block only passes on captured values before the call at a place: each block with its
/// number makes that call, with the same arguments. False if that is not known.
bool interlock_waits_straight(interlock_code_reader *reader, uintptr_t function, uintptr_t context,
                              uint32_t flags, uintptr_t place);

/// Copies the turns of the blocks on all queues whose chain of targets ends at this root, in no
/// particular order. Returns their number, which may exceed `capacity`.
size_t interlock_waits_turns(uintptr_t root, uint64_t *turns, size_t capacity);

/// A snapshot of a semaphore, group, condition or continuation.
typedef struct {
  uintptr_t object;
  uint32_t kind;
  /// A semaphore's initial value.
  int64_t value;
  /// The call site that created the object; 0 if its creation was not seen.
  uintptr_t created;
  /// The callers of that function, innermost first, as far as they are known; then 0. At most one
  /// for a continuation.
  uintptr_t created_callers[INTERLOCK_CALLERS_MOST];
  uint64_t waits;
  uint64_t releases;
  uint64_t enters;
  /// The last call sites that signalled or left the object, newest first; then 0.
  uintptr_t release_places[INTERLOCK_PLACES_MOST];
  /// The last call sites that entered the object.
  uintptr_t enter_places[INTERLOCK_PLACES_MOST];
} interlock_object_view;

/// Looks an object up. Returns false if the table does not have it.
bool interlock_waits_object(uintptr_t object, interlock_object_view *view);

/// Writes the continuations that have been made and not resumed; returns their number, which may
/// exceed `capacity`.
size_t interlock_waits_continuations(interlock_object_view *views, size_t capacity);

/// Returns the call site that created a mutex, a read-write lock or a condition; 0 if its creation
/// was not seen.
uintptr_t interlock_waits_made(uintptr_t lock);

/// Like `interlock_waits_made`. Also writes the callers of the function that made the lock,
/// innermost first, as far as they are known, and then 0.
uintptr_t interlock_waits_made_by(uintptr_t lock, uintptr_t callers[INTERLOCK_CALLERS_MOST]);

/// Returns false if the mutex or read-write lock at an address is not the one that was created at
/// `place`: memory that is freed and used again can hold a lock that no call has initialised.
bool interlock_lock_is_made_at(uintptr_t lock, uint32_t kind, uintptr_t place);

/// A lock that a thread held when it ended.
typedef struct {
  uintptr_t object;
  /// The call site that acquired the lock, and the caller of that function.
  uintptr_t place, outer;
  uint32_t kind;
  /// The thread's number, and its name.
  uint32_t thread;
  char name[16];
  /// The task that had left the thread at an `await` with the lock held; 0 for none.
  uintptr_t left_by;
} interlock_left_lock;

/// Writes the last such locks that have not been unlocked, destroyed or initialised again since;
/// returns their number.
size_t interlock_waits_left_locks(interlock_left_lock *locks, size_t capacity);

/// A lock that code of a scope (`interlock_lives.h`) held when its block, the part of its task, or
/// its thread ended.
typedef struct {
  uintptr_t object;
  /// The call site that acquired the lock, and the caller of that function.
  uintptr_t place, outer;
  uint64_t scope;
  uint32_t kind, thread;
  /// The task whose part has ended; 0 for none.
  uintptr_t task;
} interlock_kept_lock;

/// Writes the last such locks of a scope, or of all scopes, that are still held according to the
/// locks' own words and the records of their threads. Returns their number. Takes nanoseconds if
/// there is none.
size_t interlock_waits_kept_locks(uint64_t scope, bool all, interlock_kept_lock *locks,
                                  size_t capacity);
/// Writes the locks that the calling thread has acquired in its current block, or outside blocks,
/// and still holds. Returns their number. Takes nanoseconds if there is none.
size_t interlock_waits_own_locks(interlock_kept_lock *locks, size_t capacity);
/// True if a thread still holds such a lock, by the lock's own word. False if the lock was
/// destroyed while it was held.
bool interlock_waits_is_kept(uintptr_t lock, uint32_t kind, uint32_t thread);

/// True if a thread holds a mutex (also a Swift `Mutex`) or a read-write lock, by the lock's own
/// word. A read lock's word only shows whether any thread holds it. False for a robust mutex, which
/// the system releases when its holder ends, and for a mutex that processes share.
bool interlock_lock_is_held_by(uintptr_t lock, uint32_t kind, uint32_t thread);

/// True if code may run without a visible call (from a Dispatch source or I/O), or if a table was
/// full. Then only threads that are seen to run, or that wait in a cycle, are certain.
bool interlock_waits_is_partial(void);

/// A wait of the calling thread for itself: for a queue on which it runs, or for a Swift mutex that
/// it holds. The call is about to trap or hang.
typedef struct {
  uint32_t thread;
  interlock_object_kind kind;
  uintptr_t object;
  uintptr_t place;
  /// The call site at which the thread acquired the object; 0 if it was not seen.
  uintptr_t first_place;
  bool traps;
} interlock_self_wait;

/// Sets the function that is called on the waiting thread, before the trap; NULL for none.
void interlock_waits_on_self(void (*listener)(const interlock_self_wait *wait));

/// Returns the thread that holds a pthread mutex, by the mutex's own word; 0 for none, or if the
/// object is no such mutex.
uint32_t interlock_mutex_owner(uintptr_t mutex);

/// Returns the thread that holds a read-write lock for writing, by the lock's own word; 0 for none.
uint32_t interlock_lock_writer(uintptr_t lock);

/// Copies memory of this process; returns false if it cannot be read.
bool interlock_peek(uintptr_t address, void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

/// The path of this header as the compiler has it, which locates the target's sources.
static inline const char *interlock_analysis_header(void) { return __FILE__; }

#endif
