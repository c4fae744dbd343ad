// Blocks and jobs: their submission to a queue.
#include "items.h"

#include "../../Engine/engine.h"

#ifdef INTERLOCK_INTERPOSES

/// The last item made in this execution; NULL if there is none.
static model_item *last_made;

void interlock_model_give_up_items(void) {
  for (model_item *item = last_made; item; item = item->made_before) {
    if (!item->has_begun) interlock_dispatch_drop(&item->request);
  }
  last_made = NULL;
}

int interlock_model_item_references(const void *queue) {
  int count = 0;
  for (const model_item *item = last_made; item; item = item->made_before) {
    count += !item->has_ended && item->request.queue == queue;
  }
  return count;
}

model_item *interlock_model_item_of(const interlock_dispatch_request *request) {
  model_item *item = interlock_execution_memory(sizeof *item);
  item->request = *request;
  item->made_before = last_made;
  last_made = item;
  // Retain the queue until the item has run: the user may release the queue before, for example
  // with a delayed block.
  if (dispatch_retain) dispatch_retain(request->queue);
  return item;
}

bool interlock_model_may_begin(interlock_logical_thread *thread, void *context) {
  (void)thread;
  return ((const model_entry *)context)->may_begin;
}

/// The operation of a block's first step.
interlock_operation interlock_model_first_of(const model_item *item) {
  model_queue *queue = item->entry.queue;
  uint32_t pool = interlock_model_pools_matter() ? interlock_model_root(queue)->number : 0;
  bool in_order = interlock_model_order_matters(queue);
  if (!in_order && !pool) return interlock_operation_of(INTERLOCK_OPERATION_START, 0, 0);
  bool is_barrier = item->entry.is_barrier && queue->kind == QUEUE_CONCURRENT;
  // If the order in the queue does not matter, the block begins at the queue's pool.
  interlock_operation_kind kind =
      is_barrier ? INTERLOCK_OPERATION_BEGIN_BARRIER : INTERLOCK_OPERATION_BEGIN;
  interlock_operation begin =
      interlock_operation_of(kind,
                             in_order ? queue->number : pool, in_order ? pool : 0);
  if (queue->kind != QUEUE_SERIAL && !is_barrier) begin.flags = INTERLOCK_OPERATION_CONCURRENT;
  if (interlock_model_is_nested(queue)) begin.flags |= INTERLOCK_OPERATION_NESTED;
  return begin;
}

void interlock_model_did_pass(model_queue *queue) {
  for (; queue && queue->kind != QUEUE_ROOT; queue = queue->target) {
    bool matters = interlock_model_order_matters(queue) &&
                   (interlock_model_pools_matter() || interlock_model_is_nested(queue));
    if (!matters) continue;
    if (!queue->passage) queue->passage = interlock_object_number();
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, queue->passage, 0));
  }
}

void interlock_model_did_at_targets(const model_queue *queue, interlock_operation_kind kind) {
  for (queue = queue->target; queue; queue = queue->target) {
    if (!interlock_model_order_matters(queue)) continue;
    interlock_operation did = interlock_operation_of(kind, queue->number, 0);
    if (queue->kind == QUEUE_CONCURRENT) did.flags = INTERLOCK_OPERATION_CONCURRENT;
    interlock_did(did);
  }
}

// Handing items over.

/// True if the task of the thread's block hands itself to a queue, and so gives up the thread next.
/// False for another task that runs in the same block of an actor.
static bool hands_itself_over(const model_thread *thread, const model_item *item) {
  const model_item *running = thread->running;
  if (!running || !running->task || running->task != item->task) return false;
  if (running->only_resumes) return true;
  uintptr_t actor;
  return interlock_running_task(&actor) == (uintptr_t)item->task && actor == 0;
}

/// True if the item ends the first wait of a task that has yielded: the item that only resumes the
/// task, or, if that runs at once, the item behind it.
static bool resumes_after_yield(const model_item *running, const model_item *item) {
  if (running && running->is_at_once && running->task == item->task) item = running;
  return item->only_resumes && !(item->request.flags & INTERLOCK_FLAG_DELAYED);
}

void interlock_model_hand_over(model_item *item, uintptr_t place) {
  const interlock_dispatch_request *request = &item->request;
  model_queue *queue = interlock_model_queue_at(request->queue);
  bool is_job = request->flags & INTERLOCK_FLAG_JOB;
  if (is_job && !item->task) interlock_model_job_found(item);
  item->entry.kind = ENTRY_BLOCK;
  item->entry.is_barrier = request->flags & INTERLOCK_FLAG_BARRIER;
  if (item->entry.is_barrier && queue->kind == QUEUE_CONCURRENT) interlock_model_note_barrier();
  if (!item->needs_no_worker) {
    interlock_model_demand(queue, is_job, is_job ? interlock_model_own_task(item->task) : NULL);
  }
  if (is_job) interlock_model_job_enqueued(item);
  // Set the queue first: the operation of the first step needs it, and is declared before other
  // threads can see the entry.
  item->entry.queue = queue;
  interlock_logical_thread *running = interlock_current_thread();
  model_thread *thread = running->fire ? NULL : interlock_model_thread();
  bool goes_on = thread && is_job && !thread->again && hands_itself_over(thread, item);
  if (interlock_model_order_matters(queue) && !item->is_asked) {
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_ENQUEUE, queue->number, 0));
  }
  interlock_model_did_pass(queue);
  // An item that only resumes its task is not a part of the task. If the pool has room for all, run
  // it and the task's next part in one turn.
  if (goes_on && item->only_resumes && !interlock_model_pools_matter()) {
    item->is_at_once = true;
    thread->again = item;
    return;
  }
  interlock_model_put(queue, &item->entry);
  const bool yields = resumes_after_yield(thread ? thread->running : NULL, item);
  if (goes_on) {
    item->entry.thread = running;
    thread->again = item;
    if (yields) interlock_model_task_yields(item->task, running);
    return;
  }
  interlock_logical_thread *made =
      interlock_spawn(interlock_the_engine.models->run_items, item, interlock_model_first_of(item),
                      interlock_model_may_begin, &item->entry, INTERLOCK_THREAD_UNNAMED, place);
  if (!made) {
    interlock_execution_fail(INTERLOCK_EXPLORED_FAILED, "no memory for a thread");
    interlock_execution_abandon();
  }
  item->entry.thread = made;
  made->is_announced = true;
  if (yields) interlock_model_task_yields(item->task, made);
  if (is_job) {
    made->task = item->task_number;
    bool is_first = request->flags & INTERLOCK_FLAG_FIRST_JOB;
    made->call = item->ends_sleep_of ? "end of sleep"
                 : item->task_number == 0 ? "run actor"
                 : is_first               ? "begin task"
                                          : "continue";
  }
}

#endif
