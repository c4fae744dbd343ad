// The threads that run blocks and jobs.
#include "items.h"
#include "../run_loops.h"

#ifdef INTERLOCK_INTERPOSES

/// Marks functions that run blocks. If a library's call is made from such a function, no code of
/// the user's is between the two (see clock_readers.c).
#define RUNS_BLOCKS __attribute__((noinline, section("interlock_runs")))

RUNS_BLOCKS static void run(model_item *item) {
  item->has_begun = true;
  model_thread *thread = interlock_model_thread();
  interlock_logical_thread *logical = interlock_current_thread();
  const interlock_dispatch_request *request = &item->request;
  model_queue *queue = item->entry.queue;
  interlock_model_begin(&item->entry);
  interlock_model_did_at_targets(queue, INTERLOCK_OPERATION_BEGIN);
  thread->running = item;
  logical->queue = queue;
  bool is_job = request->flags & INTERLOCK_FLAG_JOB;
  if (is_job) interlock_model_job_begins(item);
  if (request->work_item) interlock_model_item_begins(request->work_item);
  request->function(request->context);
  if (is_job) interlock_model_job_ends(item);
  if (request->work_item) interlock_model_item_ran(request->work_item, logical->place);
  if (request->group && (request->flags & INTERLOCK_FLAG_GROUP)) {
    interlock_model_release(interlock_model_group_operation(INTERLOCK_OPERATION_GROUP_LEAVE,
                                                            request->group),
                            logical->place);
    interlock_model_group_leave(request->group, logical->place);
  }
  logical->queue = NULL;
  thread->running = NULL;
  if (interlock_model_order_matters(queue)) {
    interlock_operation finish = interlock_model_first_of(item);
    finish.kind = INTERLOCK_OPERATION_FINISH;
    finish.other = 0;
    interlock_did(finish);
  }
  interlock_model_did_pass(queue);
  interlock_model_did_at_targets(queue, INTERLOCK_OPERATION_FINISH);
  interlock_model_finish(&item->entry);
  interlock_model_main_ran(queue);
  item->has_ended = true;
  if (dispatch_release) dispatch_release(request->queue);
}

RUNS_BLOCKS void *interlock_model_run_items(void *argument) {
  for (model_item *item = argument; item;) {
    run(item);
    model_thread *thread = interlock_model_thread();
    item = thread->again;
    thread->again = NULL;
    if (item && item->is_at_once) {
      item->has_begun = true;
      thread->running = item;
      item->request.function(item->request.context);
      thread->running = NULL;
      item->has_ended = true;
      if (dispatch_release) dispatch_release(item->request.queue);
      item = thread->again;
      thread->again = NULL;
    }
    if (!item) break;
    // The same task continues. No thread can observe whether it continues on the same thread.
    interlock_operation next = interlock_model_first_of(item);
    if (next.kind == INTERLOCK_OPERATION_START) next.kind = INTERLOCK_OPERATION_YIELD;
    interlock_name_call("continue");
    interlock_point_announced(next, interlock_model_may_begin, &item->entry,
                              interlock_current_thread()->place);
  }
  return NULL;
}

#endif
