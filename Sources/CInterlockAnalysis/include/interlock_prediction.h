/// Prediction: what did not go wrong in this run, and can in another. Readers of the
/// synchronisation events note in which orders locks are taken and where the rules of the task pool
/// are broken; what it means is decided later, in Swift, from these tables.
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

/// What is noted beside the order of locks.
typedef struct {
  /// From how many nanoseconds on a thread of the task pool that waits for a lock in a task is
  /// noted.
  uint64_t blocked_limit;
  /// From how many on a lock that is held is; 0 for never.
  uint64_t hold_limit;
} interlock_prediction_limits;

/// Begins to follow the events, for the rest of the process's life. Returns false where no call is
/// seen, or where there is no memory for the tables. May be called from any thread; calls after the
/// first only give their result.
bool interlock_prediction_start(interlock_prediction_limits limits);

/// Whether it follows them.
bool interlock_prediction_started(void);

/// The thread that did something.
typedef struct {
  /// The system's number of the thread.
  uint32_t thread;
  /// Whether it ran a task.
  bool is_task;
  char name[16];
  /// The label of the queue whose block it ran; empty for none.
  char queue[INTERLOCK_ORDER_NAME];
  /// Innermost first.
  uintptr_t stack[INTERLOCK_ORDER_STACK];
  uint32_t stack_count;
} interlock_actor_view;

/// A lock that has been taken while another was held, or held while another was taken.
typedef struct {
  uintptr_t object;
  uint32_t kind;
  /// Where it was made; 0 if that was not seen.
  uintptr_t created;
  /// Whether it is certainly one lock from its first order to its last: it was seen being made, or
  /// lies in memory that is never freed.
  bool is_one;
  /// Whether it is used as a lock: of a semaphore, that only threads that had waited for it have
  /// signalled it.
  bool is_lock;
  /// A queue's.
  char label[INTERLOCK_ORDER_NAME];
} interlock_order_lock;

/// What was waited for until another thread signalled it, and was signalled only by threads that
/// held a lock.
typedef struct {
  /// An `interlock_object_kind`; 0 for none.
  uint32_t kind;
  /// Where it was made; 0 where that is not known.
  uintptr_t created;
  /// Where it was signalled first, and by which thread.
  uintptr_t place;
  uint32_t thread;
} interlock_signal_view;

/// That a thread that held one lock has waited for another, or would have; or for what is signalled
/// only under the other. A lock leads to itself where it is read again, where it is written, and
/// where it is waited so under itself.
typedef struct {
  /// Indices of the locks.
  uint32_t from, to;
  /// Whether others could have held or taken it at the same time.
  bool from_is_shared, to_is_shared;
  /// Whether both were taken in a user's code.
  bool is_users;
  /// The owners that have done so, by numbers that stand for a thread, a task or a block; the first
  /// ones.
  uint64_t owners[INTERLOCK_ORDER_OWNERS];
  uint32_t owner_count;
  /// All that was held then, the first lock among it: the address, and 1 in its lowest bit where it
  /// was shared.
  uintptr_t gates[INTERLOCK_HELD_MOST * 2];
  uint32_t gate_count;
  uintptr_t from_place, from_outer, to_place, to_outer;
  /// The first of the owners.
  interlock_actor_view actor;
  interlock_signal_view signal;
} interlock_order_edge;

/// Gives how many locks have been numbered: their indices are below.
size_t interlock_order_lock_count(void);
/// Describes a lock; false where none has that number now.
bool interlock_order_lock_at(size_t index, interlock_order_lock *lock);
/// The same for orders.
size_t interlock_order_edge_count(void);
bool interlock_order_edge_at(size_t index, interlock_order_edge *edge);

/// Something that broke a rule by itself.
typedef enum {
  INTERLOCK_INCIDENT_BLOCKING_WAIT = 1,
  INTERLOCK_INCIDENT_LOCK_ACROSS_AWAIT,
  INTERLOCK_INCIDENT_LONG_HOLD,
  INTERLOCK_INCIDENT_CALLBACK,
  /// A lock that a thread held when it ended, a block when it ended, or the main thread when `main`
  /// returned.
  INTERLOCK_INCIDENT_LEFT_BY_THREAD,
  INTERLOCK_INCIDENT_LEFT_BY_BLOCK,
  INTERLOCK_INCIDENT_LEFT_BY_MAIN,
  /// A thread asked for a lock that it held, which the C library refused, and gave it up twice.
  INTERLOCK_INCIDENT_RELOCK,
} interlock_incident_kind;

typedef struct {
  uint32_t kind;
  /// What was waited for or held.
  uint32_t object_kind;
  uintptr_t object;
  /// Where it was waited for, or taken.
  uintptr_t place, outer;
  /// Where it was released, or other code was called; of a lock that was asked for again, where it
  /// was taken; 0 where that is not known.
  uintptr_t end_place;
  /// Where the lock was made; 0 where that was not seen, or does not matter.
  uintptr_t created;
  /// The longest time.
  uint64_t nanoseconds;
  uint64_t count;
  /// The first thread that did it.
  interlock_actor_view actor;
} interlock_incident;

size_t interlock_incident_count(void);
bool interlock_incident_at(size_t index, interlock_incident *incident);

/// The locks that were left locked: returns how many there may be. Describes one; false where it
/// has been unlocked, destroyed or made anew since.
size_t interlock_left_lock_count(void);
bool interlock_left_lock_at(size_t index, interlock_incident *incident);
/// To be called on the thread whose `main` has returned: what it holds is left locked.
void interlock_note_left_at_exit(void);
/// Whether another thread that lives holds a lock: it may be about to end.
bool interlock_others_hold_locks(void);

/// To be called where the calling thread is about to call code of another component: where a
/// lock is held that was taken since `depth` (see `interlock_prediction_depth`), it is noted.
/// Queues do not count: to call back on one's own queue is a promise of many interfaces.
void interlock_prediction_called_back(uint32_t depth);
/// How much the calling thread holds.
uint32_t interlock_prediction_depth(void);

/// What could not be followed, for lack of room.
typedef struct {
  bool locks, orders, incidents, threads;
  /// Threads that held more than is kept of one.
  bool held;
  /// Semaphores, groups and conditions that are signalled under locks.
  bool signals;
  /// Waits under a lock for what others signal, whose order is no longer recorded.
  bool waits;
  /// Where a thread waited first for a `Mutex` that no call shows being locked; 0 for nowhere.
  uintptr_t unseen_mutex;
} interlock_prediction_losses;
interlock_prediction_losses interlock_prediction_lost(void);

#ifdef __cplusplus
}
#endif

#endif
