/// The kinds of events, the kinds of their objects, changes, and flags.
#ifndef INTERLOCK_EVENT_KINDS_H
#define INTERLOCK_EVENT_KINDS_H

/// The kind of an event. A reader asks for a set of kinds.
typedef enum {
  /// An object was made. `value` is a semaphore's initial value; `other` is a queue's attribute or,
  /// for a continuation, the return address into the caller of the function that made it.
  INTERLOCK_EVENT_CREATE = 1 << 0,
  /// The thread asks for the object and waits until it is available.
  ///
  /// A free mutex or semaphore is acquired without this event. An `ACQUIRE` or a `GIVE_UP` follows.
  INTERLOCK_EVENT_WAIT = 1 << 1,
  /// The thread has acquired what it asked for: it holds the lock, or the semaphore, group or
  /// condition let it continue.
  INTERLOCK_EVENT_ACQUIRE = 1 << 2,
  /// The thread continues without what it asked for: the time limit passed, or the call failed.
  INTERLOCK_EVENT_GIVE_UP = 1 << 3,
  /// The thread gives the object back: it unlocks a lock, signals a semaphore or condition, or
  /// leaves a group.
  INTERLOCK_EVENT_RELEASE = 1 << 4,
  /// The thread enters a group.
  INTERLOCK_EVENT_ENTER = 1 << 5,
  /// A block was handed to a queue; `item` identifies it in `BEGIN`.
  INTERLOCK_EVENT_ENQUEUE = 1 << 6,
  /// A block begins to run on this thread, on the queue `object`. `item` is NULL for a synchronous
  /// block. `other` is the block's work item, if any; for an iteration, the call of
  /// `dispatch_apply`. `value` is the block's group, if the flags say so.
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

/// The kind of an event's object.
typedef enum {
  INTERLOCK_OBJECT_MUTEX = 1,
  INTERLOCK_OBJECT_READ_LOCK,
  INTERLOCK_OBJECT_WRITE_LOCK,
  INTERLOCK_OBJECT_CONDITION,
  INTERLOCK_OBJECT_SEMAPHORE,
  INTERLOCK_OBJECT_GROUP,
  INTERLOCK_OBJECT_QUEUE,
  /// A word with waiters in the kernel. `OWNED_FUTEX` contains its holder's thread number, as in
  /// the slow path of `Synchronization.Mutex`.
  INTERLOCK_OBJECT_FUTEX,
  INTERLOCK_OBJECT_OWNED_FUTEX,
  INTERLOCK_OBJECT_WORK_ITEM,
  /// A one-time initialisation, which the initialising thread holds like a lock.
  ///
  /// It initialises a global variable or a `static let`, or belongs to `dispatch_once`.
  INTERLOCK_OBJECT_ONCE,
  INTERLOCK_OBJECT_THREAD,
  /// A task, by its address, that waits for a continuation, or for the next element of an
  /// `AsyncStream`.
  INTERLOCK_OBJECT_CONTINUATION,
  INTERLOCK_OBJECT_STREAM,
  /// The semaphore or futex for which an idle pool worker waits.
  INTERLOCK_OBJECT_IDLE,
  INTERLOCK_OBJECT_TASK,
  INTERLOCK_OBJECT_ACTOR,
  /// The tasks that a task has made in a group, by the address of the parent task.
  INTERLOCK_OBJECT_TASK_GROUP,
  /// A lock whose calls tell only an order (`ORDER`): a POSIX spin lock, or a mutex of C11.
  INTERLOCK_OBJECT_SPIN_LOCK,
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
  /// Everything that the thread has done so far comes before every later `ACQUIRE` of the object.
  INTERLOCK_ORDER_RELEASE,
  /// The thread comes after every earlier `RELEASE` of the object.
  INTERLOCK_ORDER_ACQUIRE,
  /// The thread comes after an unknown thread: it has read from a pipe, or received a signal.
  INTERLOCK_ORDER_AFTER_UNKNOWN,
  /// Everything that the thread has done so far comes before the blocks that the queue runs from
  /// now on. For code that a queue runs without a `BEGIN` and an `END`.
  INTERLOCK_ORDER_BEFORE_BLOCKS_OF,
} interlock_order_change;

/// The progress of a thread that polls a run loop (`RunLoop.run(mode:before:)`,
/// `RunLoop.run(until:)`).
typedef enum {
  INTERLOCK_POLL_BEGINS,
  INTERLOCK_POLL_ENDS,
  /// One of the loop's timers has fired. Blocks of the main queue have events of their own.
  INTERLOCK_POLL_HANDLED,
  /// This pool thread has run the timer that ends another thread's poll.
  INTERLOCK_POLL_TIMED,
} interlock_poll_change;

/// Flags of an event.
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
  /// The block is a work item, or has its own flags (`DispatchWorkItemFlags`).
  INTERLOCK_FLAG_WORK_ITEM = 1 << 7,
  /// The block keeps the group `value` entered until it has ended.
  INTERLOCK_FLAG_GROUP = 1 << 8,
  /// For `ACQUIRE`: the call would not have waited.
  INTERLOCK_FLAG_TRIED = 1 << 9,
  /// For `WAIT` on a group: the group was empty just before.
  INTERLOCK_FLAG_FREE = 1 << 10,
  /// The block is in a group that its `BEGIN` and `END` do not name.
  INTERLOCK_FLAG_UNNAMED_GROUP = 1 << 11,
  /// The creation of a task enqueues the block: the task's first job, or the job of the actor on
  /// which it begins.
  INTERLOCK_FLAG_FIRST_JOB = 1 << 12,
  /// For `GIVE_UP`: the C library reports that the wait would never end (`EDEADLK`).
  INTERLOCK_FLAG_REFUSED = 1 << 13,
  /// The work item was queued again before it ran: it is not known which of the two runs.
  INTERLOCK_FLAG_QUEUED_TWICE = 1 << 14,
  /// The last flag: queued blocks store their flags in 15 bits (`interlock_item.origin`).
  INTERLOCK_FLAG_LAST = INTERLOCK_FLAG_QUEUED_TWICE,
};

#endif
