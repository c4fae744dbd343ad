/// Prediction of faults that did not occur in this run and can occur in another. At each
/// synchronisation event the reader records the order in which locks are acquired, and code that
/// breaks the rules of the task pool. Swift code later decides from these tables what is a finding.
#ifndef INTERLOCK_PREDICTION_H
#define INTERLOCK_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interlock_waits.h"

#ifdef __cplusplus
extern "C" {
#endif

#define INTERLOCK_ORDER_OWNERS 4
#define INTERLOCK_ORDER_STACK 16
#define INTERLOCK_ORDER_NAME 32

/// The limits from which a wait or a hold is recorded, in nanoseconds.
typedef struct {
  /// The shortest wait of a task for a lock, on a thread of the task pool.
  uint64_t blocked_limit;
  /// The shortest hold of a lock; 0 records none.
  uint64_t hold_limit;
} interlock_prediction_limits;

/// Begins to follow the events, for the rest of the process's life. Returns false if no call is
/// interposed, or if there is no memory for the tables. Callable from any thread; later calls
/// return the first call's result.
bool interlock_prediction_start(interlock_prediction_limits limits);

/// True if prediction follows the events.
bool interlock_prediction_started(void);

/// The thread of an order or an incident.
typedef struct {
  /// The system's number of the thread.
  uint32_t thread;
  /// True if the thread ran a task.
  bool is_task;
  char name[16];
  /// The label of the queue whose block the thread ran; empty for none.
  char queue[INTERLOCK_ORDER_NAME];
  /// The stack, innermost frame first.
  uintptr_t stack[INTERLOCK_ORDER_STACK];
  uint32_t stack_count;
} interlock_actor_view;

/// A lock of an order: another lock was acquired under it, or it was acquired under another lock.
typedef struct {
  uintptr_t object;
  uint32_t kind;
  /// The call site that created the lock; 0 if its creation was not seen.
  uintptr_t created;
  /// True if it is certainly the same lock in all its orders: its creation was seen, or it is in
  /// memory that is never freed or whose end is seen.
  bool is_one;
  /// False for a semaphore, a mutex or a read-write lock that is not used as a lock: a thread
  /// released it for another. Also false for a semaphore that no holder has signalled yet.
  bool is_lock;
  /// The label of a queue.
  char label[INTERLOCK_ORDER_NAME];
} interlock_order_lock;

/// An object for which a thread waited until another thread signalled it, and which only threads
/// that held a lock have signalled.
typedef struct {
  /// An `interlock_object_kind`; 0 for none.
  uint32_t kind;
  /// The call site that created the object; 0 if it is not known.
  uintptr_t created;
  /// The call site of the first signal, and its thread.
  uintptr_t place;
  uint32_t thread;
} interlock_signal_view;

/// An order of two locks: a thread that held the first acquired the second with a call that can
/// wait, or waited for an object that is signalled only under the second. A lock has an edge to
/// itself if a thread reads under it again, if a thread writes under it, and if a thread that holds
/// it waits for an object that is signalled only under it.
typedef struct {
  /// Indices of the locks.
  uint32_t from, to;
  /// True if other threads could hold the lock at the same time.
  bool from_is_shared, to_is_shared;
  /// True if user code acquired both locks.
  bool is_users;
  /// The first owners that used this order, by a number for each thread, task or block.
  uint64_t owners[INTERLOCK_ORDER_OWNERS];
  uint32_t owner_count;
  /// All locks held at the acquisition, including the first of the order: the address, with the
  /// lowest bit set if the lock was shared.
  uintptr_t gates[INTERLOCK_HELD_MOST * 2];
  uint32_t gate_count;
  /// A bit for each gate that a thread has released for another. Such a gate may exclude nothing: a
  /// buffer's semaphore does not, and one that a completion signals does.
  uint32_t released_gates;
  uintptr_t from_place, from_outer, to_place, to_outer;
  /// The thread of the first owner.
  interlock_actor_view actor;
  interlock_signal_view signal;
} interlock_order_edge;

/// Returns a number that is larger than the index of every lock.
size_t interlock_order_lock_count(void);
/// Describes a lock; returns false if the index is not in use now.
bool interlock_order_lock_at(size_t index, interlock_order_lock *lock);
/// The same for orders.
size_t interlock_order_edge_count(void);
bool interlock_order_edge_at(size_t index, interlock_order_edge *edge);

/// A fault that is a finding by itself, without an order.
typedef enum {
  INTERLOCK_INCIDENT_BLOCKING_WAIT = 1,
  INTERLOCK_INCIDENT_LOCK_ACROSS_AWAIT,
  INTERLOCK_INCIDENT_LONG_HOLD,
  INTERLOCK_INCIDENT_CALLBACK,
  /// A thread, a block, or the main thread's `main` ended while it held a lock.
  INTERLOCK_INCIDENT_LEFT_BY_THREAD,
  INTERLOCK_INCIDENT_LEFT_BY_BLOCK,
  INTERLOCK_INCIDENT_LEFT_BY_MAIN,
  /// A thread called `exit` after the functions that took the lock for it had returned.
  INTERLOCK_INCIDENT_LEFT_BY_EXIT,
  /// A thread tried to acquire a lock that it held, the C library refused, and the thread released
  /// it twice.
  INTERLOCK_INCIDENT_RELOCK,
} interlock_incident_kind;

typedef struct {
  uint32_t kind;
  /// The object that the thread waited for or held.
  uint32_t object_kind;
  uintptr_t object;
  /// The call site of the wait or the acquisition, and the caller of that function.
  uintptr_t place, outer;
  /// The call site of the release, or of the call into other code; for `RELOCK`, of the first
  /// acquisition; 0 if it is not known.
  uintptr_t end_place;
  /// The call site that created the lock; 0 if its creation was not seen, or does not matter.
  uintptr_t created;
  /// For `BLOCKING_WAIT`: the address at which the outermost function of the task's code continues;
  /// 0 if it is not known.
  uintptr_t task_place;
  /// For `BLOCKING_WAIT`: true if another task has ended such a wait, for which it needed a thread
  /// of the pool.
  bool needs_task;
  /// The longest duration of this incident.
  uint64_t nanoseconds;
  uint64_t count;
  /// The first thread of this incident.
  interlock_actor_view actor;
} interlock_incident;

size_t interlock_incident_count(void);
bool interlock_incident_at(size_t index, interlock_incident *incident);

/// The locks that were left locked: a number larger than every index, and the description of a
/// lock, which returns false if the lock has been unlocked, destroyed or initialised again since.
size_t interlock_left_lock_count(void);
bool interlock_left_lock_at(size_t index, interlock_incident *incident);
/// Records the locks that the calling thread holds as left locked. Call it when `main` has
/// returned.
void interlock_note_left_by_main(void);
/// The same in a call of `exit` with these callers, innermost first. A lock does not count if the
/// function that took it, or the caller of that function, is one of them, because a process may end
/// inside a critical section.
void interlock_note_left_by_exit(const uintptr_t *callers, size_t count);
/// True if another living thread holds a lock. That thread may be about to end.
bool interlock_others_hold_locks(void);

/// Records an incident if the calling thread holds a lock that it acquired after `depth` (see
/// `interlock_prediction_depth`). Call it before a call into code of another component. Queues do
/// not count: many interfaces promise to call back on their own queue.
void interlock_prediction_called_back(uint32_t depth);
/// Returns how many locks and queues the calling thread holds.
uint32_t interlock_prediction_depth(void);

/// The events that prediction could not follow.
typedef struct {
  /// A table was full.
  bool locks, orders, incidents, threads;
  /// A thread held more locks, or ran more blocks inside each other, than its list has room for.
  bool held;
  /// The table of objects that are signalled under locks was full.
  bool signals;
  /// A thread waited under a lock for another thread's signal after the clocks lost the orders.
  bool waits;
  /// The first call site that waited for a `Mutex` whose locking no call shows; 0 for none.
  uintptr_t unseen_mutex;
} interlock_prediction_losses;
interlock_prediction_losses interlock_prediction_lost(void);

#ifdef __cplusplus
}
#endif

#endif
