/// The stream of synchronisation events of unmodified code: who waits for what, who has what, what
/// is queued where. The calls that wait, wake and enqueue are defined anew in the executable that
/// links this target; each passes through to the real one and tells the readers.
///
/// A reader is a function that is called on the thread that makes the call, before the call
/// (`WAIT`, `RELEASE`, `ENQUEUE`) or after it (`ACQUIRE`, `GIVE_UP`, `BEGIN`, `END`, …). So one
/// that only looks sees everything in the order of each thread, and one that decides when a thread
/// may go on may hold it there. Several readers may follow at once, and none knows of another.
/// While nobody reads, a call costs one load and a branch more.
///
/// Not there on systems other than Linux, under ThreadSanitizer (whose own interceptors have the
/// same names), and, for `dispatch_*`, with a static standard library: `interlock_events_available`
/// says what is.
#ifndef INTERLOCK_EVENTS_H
#define INTERLOCK_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What happened. A set of them is what a reader wants to hear of.
typedef enum {
  /// An object was made; `value` is a semaphore's first value, `other` a queue's attribute, or, of
  /// a continuation, where the code goes on that called the function which made it.
  INTERLOCK_EVENT_CREATE = 1 << 0,
  /// The thread asks for the object, and waits for it if it must: a mutex or a semaphore that is
  /// free is acquired without. An `ACQUIRE` or a `GIVE_UP` follows.
  INTERLOCK_EVENT_WAIT = 1 << 1,
  /// The thread has what it asked for: it holds the lock, or the semaphore, group or condition let
  /// it go on.
  INTERLOCK_EVENT_ACQUIRE = 1 << 2,
  /// The thread goes on without what it asked for: the time was up, or the call failed.
  INTERLOCK_EVENT_GIVE_UP = 1 << 3,
  /// The thread gives the object up: unlocks it, signals the semaphore or condition, leaves the
  /// group.
  INTERLOCK_EVENT_RELEASE = 1 << 4,
  /// The thread enters a group.
  INTERLOCK_EVENT_ENTER = 1 << 5,
  /// A block was handed to a queue; `item` is what `BEGIN` and `END` will name.
  INTERLOCK_EVENT_ENQUEUE = 1 << 6,
  /// A block begins to run on this thread, on the queue `object`; `item` is NULL for a synchronous
  /// one, and `other` is its work item, if it is of one. `value` is its group, where the flags say
  /// that it has one.
  INTERLOCK_EVENT_BEGIN = 1 << 7,
  /// It has ended.
  INTERLOCK_EVENT_END = 1 << 8,
  /// A queue was suspended (`value` 1), resumed (-1) or activated (0), or its target is `other` now
  /// (2).
  INTERLOCK_EVENT_CONFIGURE = 1 << 9,
  /// A work item was cancelled before it ran; its `item` is no more.
  INTERLOCK_EVENT_CANCEL = 1 << 10,
  /// Something that the stream does not follow may run code on a queue from now on: a source, or
  /// I/O.
  INTERLOCK_EVENT_UNFOLLOWED = 1 << 11,
  /// A mutex or a read-write lock is no more: what comes to be at its address is another.
  INTERLOCK_EVENT_DESTROY = 1 << 12,
  /// The thread starts another: `object` is what the other's `START` will name.
  INTERLOCK_EVENT_FORK = 1 << 13,
  /// A thread begins, with this event. One that was started while nobody listened for `FORK` does
  /// not tell.
  INTERLOCK_EVENT_START = 1 << 14,
  /// Of the task `object`; `value` is an `interlock_task_change`.
  INTERLOCK_EVENT_TASK = 1 << 15,
  /// The thread comes before others, or after them, by something that no other event is about;
  /// `value` is an `interlock_order_change`.
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
  /// A word that the kernel has waiters for: the slow path of `Synchronization.Mutex`, which has
  /// the holder's thread number in it, is `OWNED_FUTEX`.
  INTERLOCK_OBJECT_FUTEX,
  INTERLOCK_OBJECT_OWNED_FUTEX,
  INTERLOCK_OBJECT_WORK_ITEM,
  /// The initialiser of a global variable or a `static let`, or what `dispatch_once` runs: who is
  /// in it has it, as a lock.
  INTERLOCK_OBJECT_ONCE,
  INTERLOCK_OBJECT_THREAD,
  /// A task, by its address, that waits for a continuation; or for the next element of an
  /// `AsyncStream`.
  INTERLOCK_OBJECT_CONTINUATION,
  INTERLOCK_OBJECT_STREAM,
  /// What an idle worker of a pool waits at until there is work.
  INTERLOCK_OBJECT_IDLE,
  INTERLOCK_OBJECT_TASK,
  INTERLOCK_OBJECT_ACTOR,
  /// The tasks that a task has made in a group, by the address of the task that made them.
  INTERLOCK_OBJECT_TASK_GROUP,
} interlock_object_kind;

/// What happens to a task that no queue's block tells of.
typedef enum {
  /// It goes on behind an `await`, where it may have waited, or not.
  INTERLOCK_TASK_GOES_ON,
  /// An executor of the user's begins to run one of its parts; it has run it.
  INTERLOCK_TASK_RUNS,
  INTERLOCK_TASK_RAN,
  /// There is no room to follow it.
  INTERLOCK_TASK_LOST,
} interlock_task_change;

/// How a thread stands to others at a spin lock, at a barrier of threads, or at the main queue, by
/// its address.
typedef enum {
  /// What it has done so far comes before whoever gets the object from now on.
  INTERLOCK_ORDER_GIVES,
  /// It comes after who gave the object.
  INTERLOCK_ORDER_GETS,
  /// It comes after somebody, of whom nothing is known: it has read from a pipe, or been sent a
  /// signal.
  INTERLOCK_ORDER_AFTER_SOMEBODY,
} interlock_order_change;

/// What a thread does that polls a run loop (`RunLoop.run(mode:before:)`, `RunLoop.run(until:)`).
typedef enum {
  INTERLOCK_POLL_BEGINS,
  INTERLOCK_POLL_ENDS,
  /// One of the loop's timers has fired. Blocks of the main queue have events of their own.
  INTERLOCK_POLL_HANDLED,
  /// This thread, one of a pool, has run the timer that ends another thread's poll.
  INTERLOCK_POLL_TIMED,
} interlock_poll_change;

/// More about an event.
enum {
  /// The wait ends by itself when its time is up.
  INTERLOCK_FLAG_TIME_LIMIT = 1 << 0,
  /// The block waits for those before it on a concurrent queue, and those after it wait for it.
  INTERLOCK_FLAG_BARRIER = 1 << 1,
  /// The block is not queued before a time has come.
  INTERLOCK_FLAG_DELAYED = 1 << 2,
  /// The block is not queued before a group is empty.
  INTERLOCK_FLAG_ON_GROUP = 1 << 3,
  /// The block is a job of Swift Concurrency.
  INTERLOCK_FLAG_JOB = 1 << 4,
  /// The call came from libdispatch itself; of a `POLL`, from XCTest.
  INTERLOCK_FLAG_INTERNAL = 1 << 5,
  /// The block is called several times, by several threads.
  INTERLOCK_FLAG_APPLY = 1 << 6,
  /// The block is a work item, or one with flags of its own.
  INTERLOCK_FLAG_WORK_ITEM = 1 << 7,
  /// The group that `value` names is entered until the block has ended.
  INTERLOCK_FLAG_GROUP = 1 << 8,
  /// Of an `ACQUIRE`: the thread would not have waited for it.
  INTERLOCK_FLAG_TRIED = 1 << 9,
  /// Of the `WAIT` for a group: it was empty just before.
  INTERLOCK_FLAG_FREE = 1 << 10,
  /// The block is in a group that its begin and its end do not name.
  INTERLOCK_FLAG_UNNAMED_GROUP = 1 << 11,
  /// The block is what the making of a task enqueues: its first job, or that of the actor that it
  /// begins on.
  INTERLOCK_FLAG_FIRST_JOB = 1 << 12,
  /// Of a `GIVE_UP`: the C library says that the wait would never end (`EDEADLK`).
  INTERLOCK_FLAG_REFUSED = 1 << 13,
  /// The last flag: see where queued blocks keep them.
  INTERLOCK_FLAG_LAST = INTERLOCK_FLAG_REFUSED,
};

/// A block that was handed to a queue and has not begun: 56 bytes, so that malloc takes 64.
typedef struct interlock_item {
  /// What is called; for a work item, the next of those with its hash; for a block of a group, the
  /// group.
  void *function;
  /// What it is called with; for a work item, the item.
  void *context;
  /// The queue.
  void *queue;
  /// Neighbours, for the one reader that lists what is queued. Elsewhere they would cost 64 bytes
  /// more a block.
  struct interlock_item *next;
  struct interlock_item *previous;
  /// Who enqueued it: 48 bits of the place in the code, and 16 of flags above them.
  uint64_t origin;
  /// The thread's number in the low 22 bits, and above them a number that grows with every block;
  /// for a delayed one, when its time has come, in nanoseconds of the monotonic clock.
  uint64_t turn;
} interlock_item;

/// One event. Only valid during the call.
typedef struct {
  interlock_event_kind kind;
  interlock_object_kind object_kind;
  uint32_t flags;
  /// The object, by its address.
  const void *object;
  /// A condition's mutex, a queue's target, …; see the kinds.
  const void *other;
  /// The block, for `ENQUEUE`, `BEGIN`, `END` and `CANCEL`.
  interlock_item *item;
  /// Where the user's code made the call: the address to which it returns. For a mutex's or a
  /// semaphore's `RELEASE`, the address to which the call itself returns, which may lie in a
  /// library: see `interlock_events_place`.
  uintptr_t place;
  /// The frame of the call, or one nearer to the place, for what is known by frames: the caller of
  /// `withLock`, which is compiled into the user's own code. 0 where there is nothing to be found
  /// by it.
  uintptr_t frame;
  /// A number, by kind.
  int64_t value;
  /// A queue's label; NULL elsewhere.
  const char *label;
} interlock_event;

/// Called for an event. It may not wait for the thread that calls it.
typedef void (*interlock_reader)(const interlock_event *event, void *context);

/// Which calls are seen in this build.
typedef enum {
  INTERLOCK_EVENTS_ALL = 0,
  /// Those of Dispatch are not: they are linked in statically.
  INTERLOCK_EVENTS_WITHOUT_DISPATCH = 1,
  /// ThreadSanitizer is built in.
  INTERLOCK_EVENTS_NONE_SANITIZER = 2,
  /// Not on this system.
  INTERLOCK_EVENTS_NONE_SYSTEM = 3,
  /// Left out on purpose, by the package trait `UnseenCalls`.
  INTERLOCK_EVENTS_NONE_TRAIT = 4,
  /// A private layout that all calls rely on is another: see `interlock_layouts_lost`.
  INTERLOCK_EVENTS_NONE_LAYOUT = 5,
} interlock_events_availability;

/// Says which calls are seen. May be called from any thread, at any time.
interlock_events_availability interlock_events_available(void);

/// Leads the calls of every library past the definitions of this executable, or to them again.
/// While they go past, no reader sees them, and they cost what they cost without Interlock. For a
/// process that measures. The executable's own calls still go through its definitions: with no
/// reader, a load and a branch more.
///
/// Returns false where a reader follows, where it cannot be done on this system, and where not
/// every call was led past.
bool interlock_events_bypass(bool past);

/// The most readers at a time: one is the harness's own.
#define INTERLOCK_READERS 8

/// Has `reader` called with the events of these kinds, from now on, on every thread. Returns false
/// where there are `INTERLOCK_READERS` already, or where no call is seen. May be called from any
/// thread. What the reader calls itself is not published.
bool interlock_events_add(interlock_reader reader, void *context, uint32_t kinds);

/// An event of a mutex or of a Dispatch semaphore in a few words: most events are such, of a call
/// that takes a few nanoseconds itself. See `interlock_event` for what they mean.
typedef void (*interlock_lock_reader)(interlock_event_kind kind, interlock_object_kind object_kind,
                                      const void *object, uint32_t flags, uintptr_t place,
                                      uintptr_t frame);

/// What a reader is told in a few words, as an event.
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

/// As `interlock_events_add`, for a reader that calls nothing which would be published, and has no
/// context: an event costs it less. `locks` is called instead with those events; NULL where that is
/// no matter. With several readers an event costs least where all have one and want every event of
/// a lock.
bool interlock_events_add_leaf(interlock_reader reader, interlock_lock_reader locks,
                               uint32_t kinds);

/// Puts another leaf reader in the place of one, so that no event is missed and none is read by both;
/// false if the old one is not there.
bool interlock_events_replace(interlock_reader old, interlock_reader reader,
                              interlock_lock_reader locks, uint32_t kinds);

/// Ends that. A thread that is just calling the reader may still be in it when this returns: the
/// context must live as long as the process, or be told apart by the reader.
void interlock_events_remove(interlock_reader reader, void *context);

/// Tells the readers of what no interposed call shows: a lock whose fast path is compiled into its
/// caller. The same rules hold as for the others' events.
void interlock_events_tell(const interlock_event *event);

/// Publishes nothing that the calling thread does until the matching `false`: for the harness's own
/// threads. Nests.
void interlock_events_hide_thread(bool hidden);

#ifdef __cplusplus
}
#endif

/// The path of this header as the compiler has it: it tells where this target's sources are.
static inline const char *interlock_events_header(void) { return __FILE__; }

#endif
