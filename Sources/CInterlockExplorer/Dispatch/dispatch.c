// Performs Dispatch's calls of explored threads.
#include "dispatch.h"

#include "../Concurrency/tasks.h"
#include "run_loops.h"
#include "semaphores.h"
#include "Model/synchronous.h"
#include "timer_sources.h"
#include "Model/work_items.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>

static const interlock_operation no_operation = {.kind = INTERLOCK_OPERATION_YIELD};

static const char *name_of(uint32_t flags) {
  if (flags & INTERLOCK_FLAG_ON_GROUP) return "notify";
  if (flags & INTERLOCK_FLAG_DELAYED) return "asyncAfter";
  return flags & INTERLOCK_FLAG_BARRIER ? "async barrier" : "async";
}

static bool is_of_xctest(const interlock_dispatch_request *request) {
  return !(request->flags & (INTERLOCK_FLAG_JOB | INTERLOCK_FLAG_ON_GROUP)) &&
         interlock_model_queue_at(request->queue)->is_of_xctest;
}

static void ask_enqueue(const interlock_dispatch_request *request, interlock_site site) {
  if (is_of_xctest(request)) {
    interlock_model_waiter_did(interlock_model_queue_at(request->queue));
    return;
  }
  // The runtime's jobs belong to the step of the task's call that hands them over.
  if (request->flags & INTERLOCK_FLAG_JOB) return;
  interlock_operation operation = no_operation;
  if (request->flags & INTERLOCK_FLAG_ON_GROUP) {
    operation = interlock_model_group_operation(INTERLOCK_OPERATION_GROUP_NOTIFY, request->group);
  } else if (request->flags & INTERLOCK_FLAG_DELAYED) {
    if (interlock_time_is_exact()) {
      operation = interlock_operation_of(INTERLOCK_OPERATION_READ_CLOCK, 0, 0);
    }
  } else {
    model_queue *queue = interlock_model_queue_at(request->queue);
    if ((request->flags & INTERLOCK_FLAG_BARRIER) && queue->kind == QUEUE_CONCURRENT) {
      interlock_model_note_barrier();
    }
    if (interlock_model_order_matters(queue)) {
      operation = interlock_operation_of(INTERLOCK_OPERATION_ENQUEUE, queue->number, 0);
    }
  }
  if (interlock_model_is_choice(site)) interlock_name_call(name_of(request->flags));
  interlock_model_ask(operation, site);
}

static void fire_delayed(void *item) { interlock_model_hand_over(item, 0); }

static void enqueue(const interlock_dispatch_request *request, interlock_site site) {
  if (is_of_xctest(request)) return request->function(request->context);
  model_item *item = interlock_model_item_of(request);
  if (request->flags & INTERLOCK_FLAG_JOB) interlock_model_job_found(item);
  if (request->flags & INTERLOCK_FLAG_ON_GROUP) {
    interlock_model_group_notify(request->group, item, site.place);
    return;
  }
  if (request->flags & INTERLOCK_FLAG_GROUP) {
    interlock_did(interlock_model_group_operation(INTERLOCK_OPERATION_GROUP_ENTER, request->group));
    interlock_model_group_enter(request->group);
  }
  if (!(request->flags & INTERLOCK_FLAG_DELAYED)) {
    item->is_asked = !(request->flags & INTERLOCK_FLAG_JOB);
    interlock_model_hand_over(item, site.place);
    return;
  }
  if (request->due == INTERLOCK_NEVER) return;
  interlock_timer_start(request->due, fire_delayed, item, interlock_object_number(), site.place);
}

static void group_enter(void *group, interlock_site site) {
  interlock_model_ask(interlock_model_group_operation(INTERLOCK_OPERATION_GROUP_ENTER, group),
                      site);
  interlock_model_group_enter(group);
}

static bool ask_leave(void *group, interlock_site site) {
  if (interlock_model_item_called(group, site.place)) return false;
  if (!interlock_model_is_group(group)) return false;
  interlock_model_release(interlock_model_group_operation(INTERLOCK_OPERATION_GROUP_LEAVE, group),
                          site.place);
  return true;
}

static void group_leave(void *group, interlock_site site) {
  interlock_model_group_leave(group, site.place);
}

// Queues.

extern char _dispatch_main_q[] __attribute__((weak));

/// True for the queues that libdispatch makes itself: it ignores their suspensions and resumes.
static bool is_of_system(const model_queue *queue) {
  return queue->kind == QUEUE_ROOT || queue->object == (void *)_dispatch_main_q;
}

static bool suspend(void *object, interlock_site site) {
  if (interlock_model_is_outside(object)) return true;
  if (interlock_model_is_source(object)) {
    interlock_model_source_suspend(object, site);
    return false;
  }
  model_queue *queue = interlock_model_queue_at(object);
  if (is_of_system(queue)) return false;
  if (queue->kind == QUEUE_CONCURRENT) interlock_model_note_barrier();
  interlock_model_ask(interlock_operation_of(INTERLOCK_OPERATION_SUSPEND, queue->number, 0), site);
  interlock_model_did_pass(queue);
  interlock_model_suspend(queue);
  return false;
}

static bool resume(void *object, interlock_site site) {
  if (interlock_model_is_outside(object)) return true;
  if (interlock_model_is_source(object)) {
    interlock_model_source_resume(object, false, site);
    return false;
  }
  model_queue *queue = interlock_model_queue_at(object);
  if (is_of_system(queue)) return false;
  interlock_model_ask(interlock_operation_of(INTERLOCK_OPERATION_RESUME, queue->number, 0), site);
  interlock_model_did_pass(queue);
  interlock_model_resume(queue);
  return false;
}

static bool activate(void *object, interlock_site site) {
  if (interlock_model_is_outside(object)) return true;
  if (interlock_model_is_source(object)) {
    interlock_model_source_resume(object, true, site);
    return false;
  }
  model_queue *queue = interlock_model_queue_at(object);
  if (!queue->is_inactive) return false;
  interlock_model_ask(interlock_operation_of(INTERLOCK_OPERATION_RESUME, queue->number, 0), site);
  // Another thread may have activated the queue before this one's turn.
  if (!queue->is_inactive) return false;
  queue->is_inactive = false;
  interlock_model_did_pass(queue);
  interlock_model_resume(queue);
  return true;
}

// libdispatch traps if the last reference of the user's code is released while the object is
// suspended or inactive. No order changes that: each resume comes before its own thread's release.
static void ask_release(void *object, interlock_site site) {
  const interlock_object *known = interlock_object_known(object);
  if (!known) return;
  const bool is_queue = known->flags & INTERLOCK_MODEL_QUEUE;
  const model_queue *queue = is_queue ? known->state : NULL;
  bool is_stopped = is_queue ? queue->is_of_execution && queue->suspensions
                             : interlock_model_source_is_stopped(known);
  if (!is_stopped) return;
  int own = interlock_model_item_references(object) + interlock_model_source_references(object);
  if (interlock_references(object) - own != 1) return;
  interlock_name_call("release");
  interlock_point(no_operation, NULL, NULL, site.place);
  bool is_inactive = is_queue ? queue->is_inactive : !interlock_model_source_is_active(known);
  interlock_execution_fail(INTERLOCK_EXPLORED_MISUSE,
                           is_inactive ? "the last reference to an object that was never activated "
                                         "is released: libdispatch traps"
                                       : "the last reference to a suspended object is released: "
                                         "libdispatch traps");
  interlock_execution_abandon();
}

static bool set_target(void *object, void *target, interlock_site site) {
  (void)site;
  if (interlock_model_is_outside(object)) return true;
  if (!target) target = interlock_model_default_root(false);
  if (interlock_model_is_source(object)) {
    interlock_model_source_set_target(object, target);
    return false;
  }
  model_queue *queue = interlock_model_queue_at(object);
  // The table has no row for a change of target while blocks are queued or running.
  if (!queue->is_inactive) {
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_UNKNOWN, queue->number, 0));
  }
  interlock_model_set_target(queue, interlock_model_queue_at(target));
  return queue->is_inactive;
}

static void *current_queue(void) {
  const model_queue *queue = interlock_current_thread()->queue;
  return queue ? queue->object : NULL;
}

static void *target_of(void *object) {
  const model_queue *target = interlock_model_queue_at(object)->target;
  return target ? target->object : NULL;
}

static void use_specific(void *object, bool sets, interlock_site site) {
  model_queue *queue = interlock_model_queue_at(object);
  if (!queue->specifics) queue->specifics = interlock_object_number();
  interlock_operation_kind kind = sets ? INTERLOCK_OPERATION_WRITE : INTERLOCK_OPERATION_READ;
  if (interlock_model_is_choice(site)) interlock_name_call(sets ? "setSpecific" : "getSpecific");
  interlock_model_ask(interlock_operation_of(kind, queue->specifics, 0), site);
}

static void expect_queue(void *object, bool is_on, bool as_barrier, interlock_site site) {
  (void)site;
  model_queue *queue = interlock_model_queue_at(object);
  // Blocks of a queue of XCTest run as part of the steps of other threads, so the current queue
  // does not show them.
  if (queue->is_of_xctest) return;
  const model_queue *current = interlock_current_thread()->queue;
  bool holds = interlock_model_is_on(current, queue) == is_on;
  if (holds && as_barrier && queue->kind == QUEUE_CONCURRENT) holds = queue->has_barrier;
  if (holds) return;
  interlock_execution_fail(INTERLOCK_EXPLORED_MISUSE,
                           "a precondition on the current queue does not hold: libdispatch traps");
  interlock_execution_abandon();
}

// The main queue has a thread of its own in the model, so nothing needs this call. The real one
// would end the carrier thread.
static void leave_main(interlock_site site) {
  interlock_name_call("dispatch_main");
  interlock_point(no_operation, NULL, NULL, site.place);
  interlock_execution_fail(INTERLOCK_EXPLORED_MISUSE,
                           "dispatch_main was called, which never returns: an explored body must");
  interlock_execution_abandon();
}

const interlock_dispatch_performer interlock_model_performer = {
    .ask_enqueue = ask_enqueue,
    .enqueue = enqueue,
    .ask_sync = interlock_model_ask_sync,
    .sync = interlock_model_sync,
    .apply = interlock_model_apply,
    .group_made = interlock_model_group_made,
    .group_enter = group_enter,
    .ask_leave = ask_leave,
    .group_leave = group_leave,
    .group_wait = interlock_model_group_wait,
    .semaphore_made = interlock_model_semaphore_made,
    .semaphore_wait = interlock_model_semaphore_wait,
    .ask_signal = interlock_model_ask_signal,
    .semaphore_signal = interlock_model_semaphore_signal,
    .item_made = interlock_model_item_made,
    .item_begins = interlock_model_item_begins,
    .item_ran = interlock_model_item_ran,
    .item_wait = interlock_model_item_wait,
    .item_notify = interlock_model_item_notify,
    .ask_item = interlock_model_ask_item,
    .queue_made = interlock_model_queue_made,
    .suspend = suspend,
    .resume = resume,
    .activate = activate,
    .ask_release = ask_release,
    .set_target = set_target,
    .keep_specific = interlock_model_keep_specific,
    .use_specific = use_specific,
    .current_queue = current_queue,
    .target_of = target_of,
    .expect_queue = expect_queue,
    .leave_main = leave_main,
    .source_made = interlock_model_source_made,
    .source_is_outside = interlock_model_source_is_outside,
    .is_source = interlock_model_is_source,
    .source_set_timer = interlock_model_source_set_timer,
    .source_set_handler = interlock_model_source_set_handler,
    .source_merge = interlock_model_source_merge,
    .source_data = interlock_model_source_data,
    .source_cancel = interlock_model_source_cancel,
    .source_is_cancelled = interlock_model_source_is_cancelled,
    .waiter_begins = interlock_model_waiter_begins,
    .waiter_ends_at = interlock_model_waiter_ends_at,
    .poll = interlock_model_poll,
    .stop_poll = interlock_model_stop_poll,
    .escaped = interlock_escaped,
};

#endif
