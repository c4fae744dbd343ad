// Synchronous calls on queues, and `concurrentPerform`.
#include "synchronous.h"

#include "../run_loops.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>

extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));

static _Noreturn void trap(const char *text, const model_queue *queue) {
  const char *label = queue->object && dispatch_queue_get_label
      ? dispatch_queue_get_label(queue->object) : "";
  char line[256];
  snprintf(line, sizeof line, "%s '%s': libdispatch traps", text, label ? label : "");
  interlock_execution_fail(INTERLOCK_EXPLORED_SELF_WAIT, line);
  interlock_execution_abandon();
}

static interlock_operation operation_on(const model_queue *queue, bool is_barrier, bool begins) {
  if (!begins) return interlock_operation_of(INTERLOCK_OPERATION_ENQUEUE, queue->number, 0);
  bool is_concurrent = queue->kind == QUEUE_CONCURRENT;
  interlock_operation begin = interlock_operation_of(
      is_concurrent && is_barrier ? INTERLOCK_OPERATION_BEGIN_BARRIER : INTERLOCK_OPERATION_BEGIN,
      queue->number, 0);
  if (is_concurrent && !is_barrier) begin.flags = INTERLOCK_OPERATION_CONCURRENT;
  if (interlock_model_is_nested(queue)) begin.flags |= INTERLOCK_OPERATION_NESTED;
  return begin;
}

void interlock_model_ask_sync(void *object, bool is_barrier, interlock_site site) {
  model_queue *queue = interlock_model_queue_at(object);
  if (queue->is_of_xctest) return interlock_model_waiter_did(queue);
  if (is_barrier && queue->kind == QUEUE_CONCURRENT) interlock_model_note_barrier();
  if (!interlock_model_order_matters(queue)) return;
  interlock_model_ask(operation_on(queue, is_barrier, false), site);
}

void interlock_model_enter(model_queue *queue, model_entry *entry, bool is_barrier,
                           uintptr_t place) {
  interlock_logical_thread *logical = interlock_current_thread();
  *entry = (model_entry){.kind = ENTRY_SYNC, .is_barrier = is_barrier, .thread = logical};
  interlock_model_did_pass(queue);
  interlock_model_put(queue, entry);
  if (interlock_model_order_matters(queue) || !entry->may_begin) {
    interlock_wait(operation_on(queue, is_barrier, true), interlock_model_may_begin, entry, place);
  }
  interlock_model_did_at_targets(queue, INTERLOCK_OPERATION_BEGIN);
  interlock_model_begin(entry);
  entry->outer = logical->queue;
  logical->queue = queue;
}

void interlock_model_leave(model_queue *queue, model_entry *entry, bool is_barrier) {
  interlock_current_thread()->queue = entry->outer;
  if (interlock_model_order_matters(queue)) {
    interlock_operation finish = operation_on(queue, is_barrier, true);
    finish.kind = INTERLOCK_OPERATION_FINISH;
    interlock_did(finish);
  }
  interlock_model_did_pass(queue);
  interlock_model_did_at_targets(queue, INTERLOCK_OPERATION_FINISH);
  interlock_model_finish(entry);
}

void interlock_model_sync(void *object, void (*function)(void *), void *context, bool is_barrier,
                          interlock_site site) {
  model_queue *queue = interlock_model_queue_at(object);
  if (queue->is_of_xctest) {
    function(context);
    if (queue->ends_waits) interlock_model_waiter_ends(queue);
    return;
  }
  const model_queue *own = interlock_model_trap(queue, interlock_current_thread());
  if (own) trap("synchronous work on a queue that the thread is on,", own);
  model_entry entry;
  interlock_model_enter(queue, &entry, is_barrier, site.place);
  function(context);
  interlock_model_leave(queue, &entry, is_barrier);
}

// `concurrentPerform`: the caller and workers of the pool take one index after another. The call
// returns once every index has been performed; workers that come later find no index left.

typedef struct {
  size_t next, done, count;
  void (*function)(void *, size_t);
  void *context;
  model_queue *queue;
  uint32_t number;
  uintptr_t place;
} application;

static void perform_indices(void *context) {
  application *call = context;
  for (;;) {
    interlock_point(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, call->number, 0), NULL,
                    NULL,
                    call->place);
    if (call->next >= call->count) return;
    call->function(call->context, call->next++);
    call->done++;
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, call->number, 0));
  }
}

static bool are_done(interlock_logical_thread *thread, void *context) {
  (void)thread;
  const application *call = context;
  return call->done == call->count;
}

static void perform_in_turn(void *context) {
  application *call = context;
  for (; call->next < call->count; call->next++) call->function(call->context, call->next);
}

void interlock_model_apply(size_t count, void *object, void (*function)(void *, size_t),
                           void *context,
                           interlock_site site) {
  if (count == 0) return;
  // Without a queue in the call, use the pool of the default priority.
  void *pool = interlock_model_default_root(false);
  model_queue *queue = interlock_model_queue_at(object ? object : pool);
  application *call = interlock_execution_memory(sizeof *call);
  *call = (application){.count = count, .function = function, .context = context, .queue = queue,
                        .number = interlock_object_number(), .place = site.place};
  if (queue->kind == QUEUE_SERIAL) {
    interlock_model_ask_sync(object, false, site);
    interlock_model_sync(object, perform_in_turn, call, false, site);
    return;
  }
  // libdispatch uses one helper for each processor, of which there may be any number. More than 64
  // would only take time: no strategy claims all orders of more than 64 threads.
  enum { most_helpers = 64 };
  size_t asked = interlock_exploration_asked()->pool_width;
  size_t helpers = asked ? asked : most_helpers;
  if (helpers > count) helpers = count;
  for (size_t helper = 1; helper < helpers; helper++) {
    interlock_dispatch_request request = {.queue = queue->object, .function = perform_indices,
                                          .context = call};
    interlock_model_hand_over(interlock_model_item_of(&request), site.place);
  }
  interlock_logical_thread *logical = interlock_current_thread();
  void *outer = logical->queue;
  logical->queue = queue;
  perform_indices(call);
  logical->queue = outer;
  interlock_wait(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, call->number, 0), are_done,
                 call,
                 site.place);
}

#endif
