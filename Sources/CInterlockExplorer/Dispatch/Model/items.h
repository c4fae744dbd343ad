// The model's blocks and jobs, which queues run. Included by the explorer's files only.
#ifndef INTERLOCK_DISPATCH_ITEMS_H
#define INTERLOCK_DISPATCH_ITEMS_H

#include "interlock_dispatch_performer.h"
#include "model.h"

#ifdef INTERLOCK_INTERPOSES

typedef struct interlock_model_item {
  model_entry entry;
  interlock_dispatch_request request;
  /// For a job: the task that it resumes, or the job itself if the task is not known.
  const void *task;
  /// The number of the object that orders the parts of the job's task.
  uint32_t number;
  /// The task's number for reports; 0 for a job that the runtime makes for itself. `only_resumes`:
  /// the job only resumes its task, as the jobs of `Task.yield` and `Task.sleep` do.
  uint32_t task_number;
  bool only_resumes, is_at_once;
  /// The number of the object of cancellations of the task that sleeps until this job begins; 0 for
  /// none.
  uint32_t ends_sleep_of;
  /// True if the item takes no worker besides those of tasks: the job of an actor runs tasks that
  /// wait.
  bool needs_no_worker;
  /// True if the caller has already declared the submission of this item.
  bool is_asked;
  /// The next item in a list of notifications.
  struct interlock_model_item *next;
  /// The item that was made before this one in the execution.
  struct interlock_model_item *made_before;
  /// `has_ended`: the item has given up its reference to the queue.
  bool has_begun, has_ended;
} model_item;

/// The wait of a thread that polls its run loop (run_loops.c).
typedef struct {
  /// The thread is in a waiter of XCTest.
  bool is_of_waiter;
  /// The waiter is the waiter that XCTest makes for an asynchronous test.
  bool is_of_test;
  /// Other threads can reach the waiter before it polls.
  bool is_reached;
  /// The limit of the wait.
  uint64_t due;
  /// The run loop while the thread polls it; otherwise NULL.
  void *run_loop;
  /// The number of the object of the polls.
  uint32_t number;
  bool is_stopped;
} interlock_poll;

/// The model's data for a logical thread: `interlock_logical_thread.model`.
typedef struct {
  /// The innermost block that the thread runs; and the job with which the thread continues
  /// afterwards, because the running part of the task has submitted it.
  model_item *running, *again;
  /// The number of the actor that the thread's task is on, as of the task's last call; 0 for none.
  /// `turn`: the actor itself if the task has come to it in the model's turn; otherwise NULL.
  uint32_t actor;
  interlock_object *turn;
  /// The part of a task or an actor that the thread runs within another call, or for a user's
  /// executor; NULL for none.
  struct interlock_task_part *part;
  interlock_poll poll;
} model_thread;

model_thread *interlock_model_thread(void) HIDDEN;
/// The threads that run items, from their first item on (running.c).
void *interlock_model_run_items(void *item) HIDDEN;
/// True if the entry, which is the context, may begin.
bool interlock_model_may_begin(interlock_logical_thread *thread, void *entry) HIDDEN;
/// The operation of an item's first step.
interlock_operation interlock_model_first_of(const model_item *item) HIDDEN;
/// Submits the item to its queue, as part of the step of the running thread or timer.
void interlock_model_hand_over(model_item *item, uintptr_t place) HIDDEN;
model_item *interlock_model_item_of(const interlock_dispatch_request *request) HIDDEN;
/// Returns the number of references that items have to the queue.
int interlock_model_item_references(const void *queue) HIDDEN;
/// Called when the execution is over: the items still queued never begin.
void interlock_model_give_up_items(void) HIDDEN;

/// True if the thread runs a part of a task, on the pool of tasks.
bool interlock_model_is_on_task_pool(const interlock_logical_thread *thread) HIDDEN;

/// True if a target of the queue keeps its own blocks in order.
bool interlock_model_is_nested(const model_queue *queue) HIDDEN;
/// Declares that the running step may pass an entry of the queue on to its target, or changes which
/// step will. A block that comes to an idle queue is passed on at once; a block that comes to a
/// busy or suspended queue, at the end of another block or at the resume. Does nothing if no other
/// block can come before it at the target.
void interlock_model_did_pass(model_queue *queue) HIDDEN;
/// Declares on each target that keeps its blocks in order that a block of the queue begins or is
/// finished.
void interlock_model_did_at_targets(const model_queue *queue, interlock_operation_kind kind) HIDDEN;

/// Makes the operation a choice if the user makes the call, and a part of the step if a library
/// does.
void interlock_model_ask(interlock_operation operation, interlock_site site) HIDDEN;
bool interlock_model_is_choice(interlock_site site) HIDDEN;
/// Records a release that enables other threads. It is a choice only if a try can observe when it
/// happens.
void interlock_model_release(interlock_operation operation, uintptr_t place) HIDDEN;

// Groups (groups.c).
void interlock_model_group_enter(void *group) HIDDEN;
void interlock_model_group_leave(void *group, uintptr_t place) HIDDEN;
long interlock_model_group_wait(void *group, uint64_t due, interlock_site site) HIDDEN;
void interlock_model_group_notify(void *group, model_item *item, uintptr_t place) HIDDEN;
void interlock_model_group_made(void *group) HIDDEN;
/// True if a call made or entered the group. False for the private group of a work item, which
/// libdispatch leaves by a jump from the item.
bool interlock_model_is_group(void *group) HIDDEN;
interlock_operation interlock_model_group_operation(interlock_operation_kind kind,
                                                    void *group) HIDDEN;

// Work items (work_items.c).
void interlock_model_item_begins(void *item) HIDDEN;
void interlock_model_item_ran(void *item, uintptr_t place) HIDDEN;

// Tasks (../Concurrency/tasks.c, ../Concurrency/jobs.c). Records that the task has yielded, and
// continues in a step of the thread.
void interlock_model_task_yields(const void *task, interlock_logical_thread *thread) HIDDEN;
/// Finds the task of an item's job. Call this while the task that submits the job still runs.
void interlock_model_job_found(model_item *item) HIDDEN;
/// Returns the object of the cancellations that can end a sleep of the running task; 0 for no task.
uint32_t interlock_model_sleeper(void) HIDDEN;
/// Records that the time of that task's sleep has passed. Does nothing for 0.
void interlock_model_sleep_ends(uint32_t sleeper) HIDDEN;
/// Returns the object of a task that the execution has made and that has not ended; NULL for
/// another task. The functions below record that a job is submitted to a queue, and that its part
/// begins and ends on the running thread.
interlock_object *interlock_model_own_task(const void *task) HIDDEN;
void interlock_model_job_enqueued(model_item *item) HIDDEN;
void interlock_model_job_begins(const model_item *item) HIDDEN;
void interlock_model_job_ends(const model_item *item) HIDDEN;

extern void dispatch_retain(void *object) __attribute__((weak));
extern void dispatch_release(void *object) __attribute__((weak));

#endif
#endif
