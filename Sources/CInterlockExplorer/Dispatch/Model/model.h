// The model of libdispatch's scheduling: which block may begin next. Not for users of the target.
//
// A queue keeps a list of the entries that were submitted to it. An entry is a block, a thread that
// waits to run a block itself (`dispatch_sync`), or a serial queue that has work (a lane). An
// entry that a queue lets through moves to the list of the queue's target, up to a root queue,
// whose pool has a number of workers.
//
// A pool of *k* free workers may have given any of its first *k* entries to a worker that has not
// begun yet, so any of these may begin first. An entry that may begin stays so until it begins:
// another one's begin takes a worker and an entry from before or behind it.
//
// Queue objects of libdispatch serve as identities: the model enqueues nothing on them.
#ifndef INTERLOCK_DISPATCH_MODEL_H
#define INTERLOCK_DISPATCH_MODEL_H

#include "../../control.h"

#ifdef INTERLOCK_INTERPOSES

typedef struct interlock_model_queue model_queue;

typedef enum { QUEUE_UNKNOWN, QUEUE_ROOT, QUEUE_SERIAL, QUEUE_CONCURRENT } model_queue_kind;
typedef enum { ENTRY_BLOCK, ENTRY_SYNC, ENTRY_LANE } model_entry_kind;

typedef struct interlock_model_entry {
  struct interlock_model_entry *next, *previous;
  model_entry_kind kind;
  bool is_barrier;
  /// Every queue up to the root lets the entry begin.
  bool may_begin;
  /// The entry has begun.
  bool has_begun;
  /// For an entry in a root's list: a free worker may have taken the entry.
  bool in_window;
  /// The queue to which the entry was submitted, or, for a lane, the queue that has work; and the
  /// queue in whose list the entry is, or was when it began.
  model_queue *queue, *in;
  /// The first queue that lets the entry through.
  model_queue *through;
  /// The thread that runs the entry or will run it; NULL for a lane, and before there is a thread.
  interlock_logical_thread *thread;
  /// For a synchronous entry: the queue that the thread was on before.
  void *outer;
} model_entry;

struct interlock_model_queue {
  /// libdispatch's object and its number in this execution. `passage` is the number of an object
  /// for the order in which the queue's entries reach its target; see `interlock_model_did_pass`.
  void *object;
  uint32_t number, passage;
  /// The number of the object of the queue's specific values; 0 until one is used.
  uint32_t specifics;
  model_queue_kind kind;
  model_queue *target;
  /// The target that the queue gets once the entries that it has let through have ended; NULL for
  /// none.
  model_queue *next_target;
  model_entry *first, *last;
  /// The number of entries that the queue has let through; for a root, the busy workers.
  uint32_t running;
  /// The limit of `running`: the workers of a pool, or the blocks that a concurrent queue runs at
  /// once.
  uint32_t width;
  uint32_t suspensions;
  /// For a concurrent queue: a barrier has been let through.
  bool has_barrier;
  /// For a serial queue: its lane is in its target's list; the queue is open, so its first entry
  /// may begin or has begun; a thread that runs a block itself opened the queue, and not a worker.
  bool is_posted, is_open, is_open_by_sync;
  /// The queue was made inactive and has not been activated; the queue is a queue of Swift
  /// Concurrency.
  bool is_inactive, is_task_pool;
  /// XCTest made the queue.
  bool is_of_xctest;
  /// A call on this queue ends XCTest's waiters.
  bool ends_waits;
  /// The execution made the queue.
  bool is_of_execution;
  /// The thread on the queue: for an open serial queue, and for a concurrent queue with a barrier.
  interlock_logical_thread *owner;
  model_entry lane;
  /// For a root: the number of entries in the window, and the first entry behind the window.
  uint32_t window;
  model_entry *behind_window;
  /// For a root, and for the runtime's queue of a priority: the largest number of entries that
  /// could want a worker at the same time in any order. See `interlock_model_demand`.
  uint32_t demand;
  bool has_demanded;
};

// Queues (queues.c).

/// The flag of a queue's object.
enum { INTERLOCK_MODEL_QUEUE = 1 << 12 };

/// Returns this execution's queue for libdispatch's object.
model_queue *interlock_model_queue_at(void *object) HIDDEN;
/// Records a queue that has just been made.
void interlock_model_queue_made(void *object, bool is_inactive) HIDDEN;
/// Returns true if the model destroys the value when the execution is over.
bool interlock_model_keep_specific(void *object, void *value, void (*destroy)(void *)) HIDDEN;
/// Returns libdispatch's root of the default priority.
void *interlock_model_default_root(bool overcommits) HIDDEN;
/// True if a thread on `queue` is also on `other`: both are the same queue, or `queue` targets
/// `other`.
bool interlock_model_is_on(const model_queue *queue, const model_queue *other) HIDDEN;
/// For a state in which no thread can continue: finds a pool whose workers all wait while blocks
/// are queued for it. Returns its number of workers and the label of its queue; 0 for none.
uint32_t interlock_model_dry_pool(const char **label) HIDDEN;
/// Returns the root queue at the end of a queue's targets.
model_queue *interlock_model_root(model_queue *queue) HIDDEN;

// Demand (demand.c): whether the width of a pool matters at all.

/// Counts a block or a job that comes to the queue. `task`: the task of the job, if the execution
/// has made it; otherwise NULL.
void interlock_model_demand(model_queue *queue, bool is_job, interlock_object *task) HIDDEN;
/// True if some pool may have too few workers in some order. Then taking and giving workers, and
/// adding blocks to a pool, are operations. Otherwise no thread can observe their order.
bool interlock_model_pools_matter(void) HIDDEN;
/// True if the order in which jobs are submitted can matter: pools matter, or some jobs go to a
/// serial queue, as those of the main actor do.
bool interlock_model_job_order_matters(void) HIDDEN;
/// True if the order in which blocks come to the queue can matter.
bool interlock_model_order_matters(const model_queue *queue) HIDDEN;
/// True if the order in which blocks come to concurrent queues can matter: a barrier was submitted,
/// or one of the queues was suspended or began inactive.
bool interlock_model_has_barriers(void) HIDDEN;
void interlock_model_note_barrier(void) HIDDEN;

// The scheduling itself (lanes.c): no calls into the engine but `interlock_did`,
// `interlock_announce` and the end of the execution at an over-resume.

/// Submits an entry to a queue.
void interlock_model_put(model_queue *queue, model_entry *entry) HIDDEN;
/// Begins an entry that may begin, on the running thread.
void interlock_model_begin(model_entry *entry) HIDDEN;
/// Ends an entry that has begun.
void interlock_model_finish(model_entry *entry) HIDDEN;
void interlock_model_suspend(model_queue *queue) HIDDEN;
void interlock_model_resume(model_queue *queue) HIDDEN;
/// Ends the execution, because an object was resumed without a suspension.
_Noreturn void interlock_model_over_resume(void) HIDDEN;
void interlock_model_set_target(model_queue *queue, model_queue *target) HIDDEN;
/// Returns the first of this queue and its targets that the thread already runs on; NULL for none.
/// A synchronous call would then never end, and libdispatch traps.
const model_queue *interlock_model_trap(model_queue *queue,
                                        const interlock_logical_thread *thread) HIDDEN;

#endif
#endif
