/// Synchronisation events of unmodified code: waits, acquisitions, releases and queued blocks.
///
/// The executable that links this target redefines the calls that wait, wake and enqueue; each
/// forwards to the real function and publishes events to the readers.
///
/// A reader is a function called on the thread that makes the call, before the call (`WAIT`,
/// `RELEASE`, `ENQUEUE`) or after it (`ACQUIRE`, `GIVE_UP`, `BEGIN`, `END`, …). A reader that only
/// observes therefore sees each thread's events in order, and a reader that schedules can hold the
/// thread. Several readers may be active at once, independently of each other. Without a reader, a
/// call costs one more load and branch.
///
/// Not available on systems other than Linux, under ThreadSanitizer (whose interceptors have the
/// same names), and, for `dispatch_*`, with a static standard library: see
/// `interlock_events_available`.
#ifndef INTERLOCK_EVENTS_H
#define INTERLOCK_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What happened. A reader asks for a set of kinds.
typedef enum {
  /// An object was made. `value` is a semaphore's initial value; `other` is a queue's attribute or,
  /// for a continuation, the return address into the caller of the function that made it.
  INTERLOCK_EVENT_CREATE = 1 << 0,
  /// The thread asks for the object and waits until it is available.
  ///
  /// A free mutex or semaphore is acquired without this event. An `ACQUIRE` or a `GIVE_UP` follows.
  INTERLOCK_EVENT_WAIT = 1 << 1,
  /// The thread has what it asked for: it holds the lock, or the semaphore, group or condition let
  /// it continue.
  INTERLOCK_EVENT_ACQUIRE = 1 << 2,
  /// The thread continues without what it asked for: the time was up, or the call failed.
  INTERLOCK_EVENT_GIVE_UP = 1 << 3,
  /// The thread gives the object up: it unlocks a lock, signals a semaphore or condition, or leaves
  /// a group.
  INTERLOCK_EVENT_RELEASE = 1 << 4,
  /// The thread enters a group.
  INTERLOCK_EVENT_ENTER = 1 << 5,
  /// A block was handed to a queue; `item` identifies it in `BEGIN`.
  INTERLOCK_EVENT_ENQUEUE = 1 << 6,
  /// A block begins to run on this thread, on the queue `object`. `item` is NULL for a synchronous
  /// block. `other` is the block's work item, if any. `value` is its group, if the flags say so.
  INTERLOCK_EVENT_BEGIN = 1 << 7,
  /// The block has ended; `item` is NULL. `value` is 1 if the block's `BEGIN` had an item.
  INTERLOCK_EVENT_END = 1 << 8,
  /// A queue was suspended (`value` 1), resumed (-1), activated (0), or retargeted to `other` (2).
  INTERLOCK_EVENT_CONFIGURE = 1 << 9,
  /// A work item was cancelled before it ran; `item` is freed after this event.
  INTERLOCK_EVENT_CANCEL = 1 << 10,
  /// From now on a source or an I/O channel may run code on a queue without `BEGIN` and `END`.
  /// `value` is 1 if that code publishes its orders.
  INTERLOCK_EVENT_UNFOLLOWED = 1 << 11,
  /// A lock or barrier was destroyed; a later object at its address is a different one. Nothing
  /// shows the end of a work item: its event is published when another is made at the address.
  INTERLOCK_EVENT_DESTROY = 1 << 12,
  /// The thread starts another, whose `START` has the same `object`.
  INTERLOCK_EVENT_FORK = 1 << 13,
  /// A thread begins. Not published by a thread that was started while no reader wanted `FORK`.
  INTERLOCK_EVENT_START = 1 << 14,
  /// A change of the task `object`; `value` is an `interlock_task_change`.
  INTERLOCK_EVENT_TASK = 1 << 15,
  /// An ordering between threads that no other event shows; `value` is an `interlock_order_change`.
  INTERLOCK_EVENT_ORDER = 1 << 16,
  /// The thread polls a run loop: `value` is an `interlock_poll_change`.
  INTERLOCK_EVENT_POLL = 1 << 17,
} interlock_event_kind;

/// What an event is about.
typedef enum {
  INTERLOCK_OBJECT_MUTEX = 1,
  INTERLOCK_OBJECT_READ_LOCK,
  INTERLOCK_OBJECT_WRITE_LOCK,
  INTERLOCK_OBJECT_CONDITION,
  INTERLOCK_OBJECT_SEMAPHORE,
  INTERLOCK_OBJECT_GROUP,
  INTERLOCK_OBJECT_QUEUE,
  /// A word with waiters in the kernel. `OWNED_FUTEX` is one that contains its holder's thread
  /// number, as the slow path of `Synchronization.Mutex` has.
  INTERLOCK_OBJECT_FUTEX,
  INTERLOCK_OBJECT_OWNED_FUTEX,
  INTERLOCK_OBJECT_WORK_ITEM,
  /// A one-time initialisation, which the thread in it holds like a lock.
  ///
  /// It initialises a global variable or a `static let`, or belongs to `dispatch_once`.
  INTERLOCK_OBJECT_ONCE,
  INTERLOCK_OBJECT_THREAD,
  /// A task, by its address, that waits for a continuation, or for the next element of an
  /// `AsyncStream`.
  INTERLOCK_OBJECT_CONTINUATION,
  INTERLOCK_OBJECT_STREAM,
  /// What an idle pool worker waits for.
  INTERLOCK_OBJECT_IDLE,
  INTERLOCK_OBJECT_TASK,
  INTERLOCK_OBJECT_ACTOR,
  /// The tasks that a task has made in a group, by the address of the parent task.
  INTERLOCK_OBJECT_TASK_GROUP,
} interlock_object_kind;

/// A change of a task that no event of a queue shows.
typedef enum {
  /// The task continues after an `await`, at which it may or may not have waited.
  INTERLOCK_TASK_RESUMES,
  /// A user's executor begins to run a part of the task (`RUNS`), or has run it (`RAN`).
  INTERLOCK_TASK_RUNS,
  INTERLOCK_TASK_RAN,
  /// The table is full, so the task cannot be followed.
  INTERLOCK_TASK_LOST,
  /// The thread has made the task, which no call has enqueued.
  INTERLOCK_TASK_MADE,
} interlock_task_change;

/// An ordering at a spin lock, at a thread barrier, or at the main queue, by its address.
typedef enum {
  /// What the thread has done so far comes before every later `ACQUIRE` of the object.
  INTERLOCK_ORDER_RELEASE,
  /// The thread comes after every earlier `RELEASE` of the object.
  INTERLOCK_ORDER_ACQUIRE,
  /// The thread comes after an unknown thread: it has read from a pipe, or received a signal.
  INTERLOCK_ORDER_AFTER_UNKNOWN,
  /// What the thread has done so far comes before the blocks that the queue runs from now on. For
  /// what a queue runs without a `BEGIN` and an `END`.
  INTERLOCK_ORDER_BEFORE_BLOCKS_OF,
} interlock_order_change;

/// What a thread does that polls a run loop (`RunLoop.run(mode:before:)`, `RunLoop.run(until:)`).
typedef enum {
  INTERLOCK_POLL_BEGINS,
  INTERLOCK_POLL_ENDS,
  /// One of the loop's timers has fired. Blocks of the main queue have events of their own.
  INTERLOCK_POLL_HANDLED,
  /// This pool thread has run the timer that ends another thread's poll.
  INTERLOCK_POLL_TIMED,
} interlock_poll_change;

/// Details of an event.
enum {
  /// The wait has a time limit.
  INTERLOCK_FLAG_TIME_LIMIT = 1 << 0,
  /// The block waits for earlier blocks on a concurrent queue, and later ones wait for it.
  INTERLOCK_FLAG_BARRIER = 1 << 1,
  /// The block is queued only at a later time.
  INTERLOCK_FLAG_DELAYED = 1 << 2,
  /// The block is queued only when a group is empty.
  INTERLOCK_FLAG_ON_GROUP = 1 << 3,
  /// The block is a job of Swift Concurrency.
  INTERLOCK_FLAG_JOB = 1 << 4,
  /// The call came from libdispatch itself; for `POLL`, from XCTest.
  INTERLOCK_FLAG_INTERNAL = 1 << 5,
  /// The block is called several times, by several threads.
  INTERLOCK_FLAG_APPLY = 1 << 6,
  /// The block is a work item, or has flags of its own.
  INTERLOCK_FLAG_WORK_ITEM = 1 << 7,
  /// The block keeps the group `value` entered until it has ended.
  INTERLOCK_FLAG_GROUP = 1 << 8,
  /// For `ACQUIRE`: the call would not have waited.
  INTERLOCK_FLAG_TRIED = 1 << 9,
  /// For `WAIT` on a group: the group was empty just before.
  INTERLOCK_FLAG_FREE = 1 << 10,
  /// The block is in a group that its `BEGIN` and `END` do not name.
  INTERLOCK_FLAG_UNNAMED_GROUP = 1 << 11,
  /// The block is enqueued by the creation of a task: the task's first job, or that of the actor it
  /// begins on.
  INTERLOCK_FLAG_FIRST_JOB = 1 << 12,
  /// For `GIVE_UP`: the C library reports that the wait would never end (`EDEADLK`).
  INTERLOCK_FLAG_REFUSED = 1 << 13,
  /// The work item was queued again before it ran: it is not known which of the two runs.
  INTERLOCK_FLAG_QUEUED_TWICE = 1 << 14,
  /// The last flag: queued blocks store their flags in 16 bits (`interlock_item.origin`).
  INTERLOCK_FLAG_LAST = INTERLOCK_FLAG_QUEUED_TWICE,
};

/// A block that was handed to a queue and has not begun: 56 bytes, which malloc rounds to 64.
typedef struct interlock_item {
  /// The function to call; for a work item, the next item with the same hash; for a block of a
  /// group, the group.
  void *function;
  /// The function's argument; for a work item, the work item.
  void *context;
  /// The queue.
  void *queue;
  /// List links, for the one reader that lists queued blocks. Kept elsewhere, they would cost 64
  /// bytes more per block.
  struct interlock_item *next;
  struct interlock_item *previous;
  /// The call site that enqueued the block in the low 48 bits, and the flags in the 16 above.
  uint64_t origin;
  /// The thread's number in the low 22 bits, and a sequence number above.
  ///
  /// For a delayed block, its due time in nanoseconds of the monotonic clock.
  uint64_t turn;
} interlock_item;

/// One event. Only valid during the call.
typedef struct {
  interlock_event_kind kind;
  interlock_object_kind object_kind;
  uint32_t flags;
  /// The object, by its address.
  const void *object;
  /// A condition's mutex, a queue's target, …; see `interlock_event_kind`.
  const void *other;
  /// The block, for `ENQUEUE`, `BEGIN` and `CANCEL`.
  interlock_item *item;
  /// The call site in the user's code, as a return address. For `RELEASE` of a mutex or semaphore
  /// it is the call's own return address, which may lie in a library: see `interlock_events_place`.
  uintptr_t place;
  /// The frame of the call, or one nearer to the call site; 0 if it leads to no caller.
  ///
  /// With it, a reader finds the caller of a function such as `withLock`, whose body is compiled
  /// into the user's code.
  uintptr_t frame;
  /// A number; see `interlock_event_kind`.
  int64_t value;
  /// A queue's label, else NULL.
  const char *label;
} interlock_event;

/// Called for an event. Must not wait for the thread that calls it.
typedef void (*interlock_reader)(const interlock_event *event, void *context);

/// Which calls this build interposes.
typedef enum {
  INTERLOCK_EVENTS_ALL = 0,
  /// All but Dispatch's, which is linked statically.
  INTERLOCK_EVENTS_WITHOUT_DISPATCH = 1,
  /// None: ThreadSanitizer is built in.
  INTERLOCK_EVENTS_NONE_SANITIZER = 2,
  /// None: not supported on this system.
  INTERLOCK_EVENTS_NONE_SYSTEM = 3,
  /// None: left out by the package trait `UnseenCalls`.
  INTERLOCK_EVENTS_NONE_TRAIT = 4,
  /// None: a private layout that all calls rely on differs; see `interlock_layouts_lost`.
  INTERLOCK_EVENTS_NONE_LAYOUT = 5,
} interlock_events_availability;

/// Returns which calls are interposed. Callable from any thread, at any time.
interlock_events_availability interlock_events_available(void);

/// Redirects the calls of all libraries past this executable's definitions, or back to them.
///
/// While redirected, the calls reach no reader and cost what they cost without Interlock: for
/// benchmarks. The executable's own calls still go through its definitions; without a reader that
/// costs one more load and branch.
///
/// Returns false if a reader is active, if this system does not support it, or if any call could
/// not be redirected.
bool interlock_events_bypass(bool past);

/// The most readers at a time; the harness uses one.
#define INTERLOCK_READERS 8

/// Calls `reader` for events of these kinds from now on, on every thread.
///
/// Returns false if there are `INTERLOCK_READERS` already, or if no call is interposed. Callable
/// from any thread. The calls that a reader makes are not published.
bool interlock_events_add(interlock_reader reader, void *context, uint32_t kinds);

/// A reader that takes events of mutexes and Dispatch semaphores in registers.
///
/// Most events are of these calls, which take a few nanoseconds. The arguments are those of
/// `interlock_event`.
typedef void (*interlock_lock_reader)(interlock_event_kind kind, interlock_object_kind object_kind,
                                      const void *object, uint32_t flags, uintptr_t place,
                                      uintptr_t frame);

/// Returns the arguments of an `interlock_lock_reader` as an event.
static inline interlock_event interlock_lock_event(interlock_event_kind kind,
                                                   interlock_object_kind object_kind,
                                                   const void *object, uint32_t flags,
                                                   uintptr_t place, uintptr_t frame) {
  return (interlock_event){.kind = kind,
                           .object_kind = object_kind,
                           .object = object,
                           .flags = flags,
                           .place = place,
                           .frame = frame};
}

/// As `interlock_events_add`, at a lower cost per event, for a reader without context that makes no
/// interposed calls.
///
/// If `locks` is not NULL, it is called with the events of locks instead of `reader`. An event
/// costs least if this is the only reader, and wants every event of a lock.
bool interlock_events_add_leaf(interlock_reader reader, interlock_lock_reader locks,
                               uint32_t kinds);

/// Replaces a leaf reader by another, so that exactly one of the two reads each event.
///
/// Returns false if `old` is not registered.
bool interlock_events_replace(interlock_reader old, interlock_reader reader,
                              interlock_lock_reader locks, uint32_t kinds);

/// Removes a reader.
///
/// A thread may still be in the reader when this returns: the context must live as long as the
/// process, or the reader must detect that it is gone.
void interlock_events_remove(interlock_reader reader, void *context);

/// Publishes an event that no interposed call shows: of a lock with an inlined fast path.
///
/// The rules for interposed events hold for it as well.
void interlock_events_publish(const interlock_event *event);

/// Suppresses the calling thread's events until the matching `false`: for the harness's own
/// threads. Nests.
void interlock_events_hide_thread(bool hidden);

#ifdef __cplusplus
}
#endif

/// The path of this header as the compiler has it, which locates the target's sources.
static inline const char *interlock_events_header(void) { return __FILE__; }

#endif
