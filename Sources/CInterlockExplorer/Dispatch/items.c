// Blocks and jobs: handed to a queue, begun, and ended.
#include "../../CInterlockEvents/interpose.h"
#include "items.h"
#include "run_loops.h"

#ifdef INTERLOCK_INTERPOSES

model_thread *interlock_model_thread(void) {
  interlock_logical_thread *thread = interlock_current_thread();
  if (!thread->model) thread->model = interlock_execution_memory(sizeof(model_thread));
  return thread->model;
}

/// A call through Dispatch's overlay is the user's; Foundation's and the runtime's are not.
bool interlock_model_is_choice(interlock_site site) {
  return interlock_is_choice(site.returns_to) ||
         !(interlock_is_foundation(site.returns_to) || interlock_is_concurrency(site.returns_to));
}

bool interlock_model_is_on_task_pool(const interlock_logical_thread *thread) {
  const model_thread *own = thread->model;
  return own && own->running && own->running->entry.queue->is_task_pool;
}

void interlock_model_release(interlock_operation operation, uintptr_t place) {
  if (interlock_is_known(INTERLOCK_FACT_TRIES)) {
    interlock_point(operation, NULL, NULL, place);
  } else {
    interlock_did(operation);
  }
}

void interlock_model_ask(interlock_operation operation, interlock_site site) {
  if (interlock_model_is_choice(site)) {
    interlock_point(operation, NULL, NULL, site.place);
  } else {
    interlock_did(operation);
  }
}

/// Of this execution; NULL if none was made.
static model_item *last_made;

void interlock_model_give_up_items(void) {
  for (model_item *item = last_made; item; item = item->made_before) {
    if (!item->has_begun) interlock_dispatch_drop(&item->request);
  }
  last_made = NULL;
}

model_item *interlock_model_item_of(const interlock_dispatch_request *request) {
  model_item *item = interlock_execution_memory(sizeof *item);
  item->request = *request;
  item->made_before = last_made;
  last_made = item;
  // Until it has run: its user may give the queue up before, as of a delayed one.
  if (dispatch_retain) dispatch_retain(request->queue);
  return item;
}

bool interlock_model_order_matters(const model_queue *queue) {
  // A barrier on one concurrent queue is reason enough for all: most programs have none.
  if (queue->kind == QUEUE_CONCURRENT) return interlock_model_has_barriers();
  return queue->kind == QUEUE_SERIAL;
}

// Running.

static bool may_begin(interlock_logical_thread *thread, void *context) {
  (void)thread;
  return ((const model_entry *)context)->may_begin;
}

/// The operation of a block's first step.
static interlock_operation first_of(const model_item *item) {
  model_queue *queue = item->entry.queue;
  uint32_t pool = interlock_model_pools_matter() ? interlock_model_root(queue)->number : 0;
  bool in_order = interlock_model_order_matters(queue);
  if (!in_order && !pool) return interlock_operation_of(INTERLOCK_OPERATION_START, 0, 0);
  bool is_barrier = item->entry.is_barrier && queue->kind == QUEUE_CONCURRENT;
  // Where the queue itself lets every block through, its pool is what the block is queued at.
  interlock_operation_kind kind =
      is_barrier ? INTERLOCK_OPERATION_BEGIN_BARRIER : INTERLOCK_OPERATION_BEGIN;
  interlock_operation begin =
      interlock_operation_of(kind,
                             in_order ? queue->number : pool, in_order ? pool : 0);
  if (queue->kind != QUEUE_SERIAL && !is_barrier) begin.flags = INTERLOCK_OPERATION_CONCURRENT;
  if (interlock_model_is_nested(queue)) begin.flags |= INTERLOCK_OPERATION_NESTED;
  return begin;
}

bool interlock_model_is_nested(const model_queue *queue) {
  for (queue = queue->target; queue; queue = queue->target) {
    if (interlock_model_order_matters(queue)) return true;
  }
  return false;
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

extern const char __start_interlock_runs[] HIDDEN, __stop_interlock_runs[] HIDDEN;

bool interlock_runs_blocks(uintptr_t address) {
  uintptr_t runs = (uintptr_t)__start_interlock_runs;
  return address - runs < (uintptr_t)__stop_interlock_runs - runs;
}

/// Between a library's code and what lies below it on the stack, there is code that runs blocks.
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
    interlock_operation finish = first_of(item);
    finish.kind = INTERLOCK_OPERATION_FINISH;
    finish.other = 0;
    interlock_did(finish);
  }
  interlock_model_did_pass(queue);
  interlock_model_did_at_targets(queue, INTERLOCK_OPERATION_FINISH);
  interlock_model_finish(&item->entry);
  interlock_model_main_ran(queue);
  if (dispatch_release) dispatch_release(request->queue);
}

RUNS_BLOCKS static void *run_thread(void *argument) {
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
      if (dispatch_release) dispatch_release(item->request.queue);
      item = thread->again;
      thread->again = NULL;
    }
    if (!item) break;
    // The same task continues: no thread can observe whether on the same thread.
    interlock_operation next = first_of(item);
    if (next.kind == INTERLOCK_OPERATION_START) next.kind = INTERLOCK_OPERATION_YIELD;
    interlock_name_call("continue");
    interlock_point_announced(next, may_begin, &item->entry, interlock_current_thread()->place);
  }
  return NULL;
}

// Handing over.

/// Whether the task of the thread's block hands itself to a queue: it gives the thread up next.
/// Another task that runs in the same block, of the same actor, does not.
static bool hands_itself_over(const model_thread *thread, const model_item *item) {
  const model_item *running = thread->running;
  if (!running || !running->task || running->task != item->task) return false;
  if (running->only_resumes) return true;
  uintptr_t actor;
  return interlock_running_task(&actor) == (uintptr_t)item->task && actor == 0;
}

/// Whether the item is the first that a task waits for when it has yielded: the one that only
/// resumes it, unless that runs at once.
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
  if (!item->needs_no_worker) interlock_model_demand(queue, is_job ? item->task : NULL);
  if (is_job) interlock_model_job_enqueued(item);
  // The entry's queue is needed for the first operation, which is declared before others can see
  // it.
  item->entry.queue = queue;
  interlock_logical_thread *running = interlock_current_thread();
  model_thread *thread = running->fire ? NULL : interlock_model_thread();
  bool goes_on = thread && is_job && !thread->again && hands_itself_over(thread, item);
  if (interlock_model_order_matters(queue) && !item->is_asked) {
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_ENQUEUE, queue->number, 0));
  }
  interlock_model_did_pass(queue);
  // What only resumes its task is no part of it: with room for all, one turn is like two.
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
      interlock_spawn(run_thread, item, first_of(item), may_begin, &item->entry,
                      INTERLOCK_THREAD_UNNAMED, place);
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
