// The model of libdispatch's scheduling: which block may begin next. Not for users of the target.
//
// A queue keeps what was handed to it in a list of entries. An entry is a block, a thread that
// waits to run a block itself (`dispatch_sync`), or a serial queue that has work (a lane). What a
// queue lets through moves on to the list of its target, up to a root queue, whose pool has a
// number of workers.
//
// A pool of *k* free workers may have given any of its first *k* entries to a worker that has not
// begun yet, so any of these may begin first. An entry that may begin stays so until it begins:
// another one's begin takes a worker and an entry from before or behind it.
//
// Queue objects of libdispatch are identities: nothing is ever enqueued on them.
#ifndef INTERLOCK_DISPATCH_MODEL_H
#define INTERLOCK_DISPATCH_MODEL_H

#include "../control.h"

#ifdef INTERLOCK_INTERPOSES

typedef struct interlock_model_queue model_queue;

typedef enum { QUEUE_UNKNOWN, QUEUE_ROOT, QUEUE_SERIAL, QUEUE_CONCURRENT } model_queue_kind;
typedef enum { ENTRY_BLOCK, ENTRY_SYNC, ENTRY_LANE } model_entry_kind;

typedef struct interlock_model_entry {
  struct interlock_model_entry *next, *previous;
  model_entry_kind kind;
  bool is_barrier;
  /// Every queue up to the root lets it begin.
  bool may_begin;
  /// It has begun.
  bool has_begun;
  /// Of a root's list: it is among those that a free worker may have taken.
  bool in_window;
  /// The queue that it was handed to, or, of a lane, the queue that has work; and the queue in
  /// whose list it is, or was when it began.
  model_queue *queue, *in;
  /// The first queue that lets it through.
  model_queue *through;
  /// Of a thread that runs the block itself.
  interlock_logical_thread *thread;
} model_entry;

struct interlock_model_queue {
  /// libdispatch's object, and its number in this execution.
  void *object;
  uint32_t number;
  model_queue_kind kind;
  model_queue *target;
  /// Its target once what it has let through has ended; NULL for none.
  model_queue *next_target;
  model_entry *first, *last;
  /// How many are let through: of a root, its busy workers.
  uint32_t running;
  /// How many may be: workers of a pool, blocks of a concurrent queue.
  uint32_t width;
  uint32_t suspensions;
  /// Of a concurrent queue: a barrier is let through.
  bool has_barrier;
  /// Of a serial queue: its lane is in its target's list; it is open, so its first entry may begin
  /// or has begun; it was opened by a thread that runs a block itself, and not by a worker.
  bool is_posted, is_open, is_open_by_sync;
  /// It was made inactive, and has not been activated; it is one of the queues of Swift
  /// Concurrency.
  bool is_inactive, is_task_pool;
  /// It was made in the execution.
  bool is_of_execution;
  /// Of an open serial queue, the thread that is on it.
  interlock_logical_thread *owner;
  model_entry lane;
  /// Of a root: the entries in the window, and the first behind it.
  uint32_t window;
  model_entry *behind_window;
  /// Of a root, or the runtime's queue of a priority: how many could want a worker at the same
  /// time, whatever the order. See `interlock_model_demand`.
  uint32_t demand;
  bool has_demanded;
};

// Queues (queues.c).

/// The queue of libdispatch's object, as it is in this execution.
model_queue *interlock_model_queue_at(void *object) HIDDEN;
/// The same for one that has just been made.
void interlock_model_queue_made(void *object, bool is_inactive) HIDDEN;
void interlock_model_set_width(void *object, intptr_t width) HIDDEN;
/// True if the value is destroyed once the execution is over.
bool interlock_model_keep_specific(void *object, void *value, void (*destroy)(void *)) HIDDEN;
/// How many tasks of a priority run at once.
uint32_t interlock_model_task_width(void) HIDDEN;
/// libdispatch's root of the default priority.
void *interlock_model_default_root(bool overcommits) HIDDEN;
/// Whether a thread on `queue` is also on `other`: it is that, or targets it.
bool interlock_model_is_on(const model_queue *queue, const model_queue *other) HIDDEN;
/// To be asked where no thread can go on: how many workers a pool has, and the label of its queue,
/// in which blocks wait while each of its workers waits too; 0 if there is none.
uint32_t interlock_model_dry_pool(const char **label) HIDDEN;
/// The root that a queue's blocks come to.
model_queue *interlock_model_root(model_queue *queue) HIDDEN;

// Demand (demand.c): whether the width of a pool matters at all.

/// A block comes to the queue, or the job of a task; NULL for none.
void interlock_model_demand(model_queue *queue, const void *job) HIDDEN;
/// Whether some pool may be too small in some order. Then what takes and gives workers, and the
/// order in which blocks come to a pool, are operations; else no order of them can be told from
/// another.
bool interlock_model_pools_matter(void) HIDDEN;
/// True if the order in which jobs are submitted can matter: pools matter, or some jobs go to a
/// serial queue, as those of the main actor do.
bool interlock_model_job_order_matters(void) HIDDEN;
/// Whether the order in which blocks come to a queue can make a difference.
bool interlock_model_order_matters(const model_queue *queue) HIDDEN;
/// The same of the order in which blocks come to concurrent queues: whether there is a barrier.
bool interlock_model_has_barriers(void) HIDDEN;
void interlock_model_note_barrier(void) HIDDEN;

// The scheduling itself (lanes.c): no calls into the engine but `interlock_did`.

/// Hands an entry to a queue.
void interlock_model_put(model_queue *queue, model_entry *entry) HIDDEN;
/// An entry that may begin begins, on the running thread.
void interlock_model_begin(model_entry *entry) HIDDEN;
/// It has ended.
void interlock_model_finish(model_entry *entry) HIDDEN;
void interlock_model_suspend(model_queue *queue) HIDDEN;
void interlock_model_resume(model_queue *queue) HIDDEN;
void interlock_model_set_target(model_queue *queue, model_queue *target) HIDDEN;
/// The queue, of this one and its targets, on which the thread is already, so that a synchronous
/// call would never end and libdispatch traps; NULL for none.
const model_queue *interlock_model_trap(model_queue *queue,
                                        const interlock_logical_thread *thread) HIDDEN;

#endif
#endif
