// Blocks and jobs that queues run, in the model. Not for users of the target.
#ifndef INTERLOCK_DISPATCH_ITEMS_H
#define INTERLOCK_DISPATCH_ITEMS_H

#include "interlock_dispatch_performer.h"
#include "model.h"

#ifdef INTERLOCK_INTERPOSES

typedef struct interlock_model_item {
  model_entry entry;
  interlock_dispatch_request request;
  /// Of a job: the task that goes on with it, or the job itself where that is not known; and
  /// whether it only resumes that task, as `Task.yield` and `Task.sleep` have it done.
  const void *task;
  bool only_resumes, is_at_once;
  /// It takes no worker beside those of tasks: an actor's job, which runs tasks that wait
  /// meanwhile.
  bool needs_no_worker;
  /// That it comes to its queue was what the step began with.
  bool is_asked;
  /// Of a list of notifications.
  struct interlock_model_item *next;
} model_item;

/// What is kept of a logical thread: `interlock_logical_thread.model`.
typedef struct {
  /// The block that it runs, the innermost of nested ones; and its job, handed to a queue again
  /// while it runs: the thread goes on with that itself.
  model_item *running, *again;
  /// The actor that its task is on, as of its last call; 0 for none.
  uintptr_t actor;
} model_thread;

model_thread *interlock_model_thread(void) HIDDEN;
/// Hands it to its queue: the running thread or timer does that in its step.
void interlock_model_hand_over(model_item *item, uintptr_t place) HIDDEN;
model_item *interlock_model_item_of(const interlock_dispatch_request *request) HIDDEN;

/// Whether the order in which blocks come to a queue can make a difference.
bool interlock_model_order_matters(const model_queue *queue) HIDDEN;
/// A choice of a user's call; of a call within a library, part of the step.
void interlock_model_ask(interlock_operation operation, interlock_site site) HIDDEN;
bool interlock_model_is_choice(interlock_site site) HIDDEN;
/// What lets others go on: a choice only where a try can tell when it comes.
void interlock_model_release(interlock_operation operation, uintptr_t place) HIDDEN;

// Groups (groups.c).
void interlock_model_group_enter(void *group) HIDDEN;
void interlock_model_group_leave(void *group, uintptr_t place) HIDDEN;
long interlock_model_group_wait(void *group, uint64_t due, interlock_site site) HIDDEN;
void interlock_model_group_notify(void *group, model_item *item, uintptr_t place) HIDDEN;
void interlock_model_group_made(void *group) HIDDEN;
/// Whether it was made, or entered, by a call: a work item has one of libdispatch's own, which that
/// leaves by a jump from the item.
bool interlock_model_is_group(void *group) HIDDEN;
interlock_operation interlock_model_group_operation(interlock_operation_kind kind,
                                                    void *group) HIDDEN;

// Work items (work_items.c).
void interlock_model_item_begins(void *item) HIDDEN;
void interlock_model_item_ran(void *item, uintptr_t place) HIDDEN;

// Tasks (../Concurrency/tasks.c).
/// Finds out what the job of an item is of; to be called when the task that makes the call still
/// runs.
void interlock_model_job_found(model_item *item) HIDDEN;
/// It is handed to a queue; its part begins, and ends, on the running thread.
void interlock_model_job_enqueued(const model_item *item) HIDDEN;
void interlock_model_job_begins(const model_item *item) HIDDEN;
void interlock_model_job_ends(const model_item *item) HIDDEN;

extern void dispatch_retain(void *object) __attribute__((weak));
extern void dispatch_release(void *object) __attribute__((weak));

#endif
#endif
