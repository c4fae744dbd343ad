// Blocks that are enqueued at once, or with a group.
#include "controlled_dispatch.h"
#include "interlock_task_performer.h"
#include "../Code/layouts.h"
#include "../Lives/task_lives.h"

#ifdef INTERLOCK_INTERPOSES

static void enqueue_work_item(queue_t queue, void *block, uint32_t flags, uintptr_t place) {
  flags |= flags_of_work_item(block);
  interlock_list_work_item(interlock_make_item(queue, NULL, block, flags, place));
}

/// Enqueues a block wrapped in one of Interlock's, or a work item after it was listed.
static void enqueue_block(queue_t queue, void *block, uint32_t flags, uintptr_t place,
                          queue_block_call *real, queue_function_call *real_function) {
  if (is_work_item(block)) {
    enqueue_work_item(queue, block, flags, place);
    real(queue, block);
    return;
  }
  void *copy = _Block_copy(block);
  interlock_item *item = interlock_make_item(queue, call_and_release_block, copy, flags, place);
  if (!item) {
    _Block_release(copy);
    real(queue, block);
    return;
  }
  interlock_publish_enqueue(item);
  real_function(queue, item, interlock_run_item);
}

static void enqueue_function(queue_t queue, void *context, function_t function, uint32_t flags,
                             uintptr_t place, queue_function_call *real) {
  interlock_item *item = interlock_make_item(queue, function, context, flags, place);
  if (!item) {
    real(queue, context, function);
    return;
  }
  interlock_publish_enqueue(item);
  real(queue, item, interlock_run_item);
}

/// Enqueues a job of a task that is not explored, for an explored thread. Hidden: the calls that
/// libdispatch makes for it, for example to make a worker, are not explored either.
static void enqueue_outside(queue_t queue, void *context, function_t function, uint32_t flags,
                            uintptr_t place, queue_function_call *real) {
  interlock_item *item = NULL;
  if (is_wanted(item_kinds)) item = interlock_make_item(queue, function, context, flags, place);
  if (item) interlock_publish_enqueue(item);
  interlock_marks.hidden++;
  real(queue, item ? item : context, item ? interlock_run_item : function);
  interlock_marks.hidden--;
}

INTERPOSED void dispatch_async(queue_t queue, void *block) {
  queue_block_call *real = REAL(queue_block_call, dispatch_async);
  if (PASSES_THROUGH(item_kinds)) return real(queue, block);
  if (is_controlled_call(RETURNS_TO)) {
    interlock_controlled_enqueue((interlock_dispatch_request){.queue = queue}, block, SITE);
    return;
  }
  if (!is_wanted(item_kinds)) return real(queue, block);
  enqueue_block(queue, block, flags_of_caller(RETURNS_TO), USER_PLACE, real,
                REAL(queue_function_call, dispatch_async_f));
}

INTERPOSED void dispatch_async_f(queue_t queue, void *context, function_t function) {
  queue_function_call *real = REAL(queue_function_call, dispatch_async_f);
  if (PASSES_THROUGH(item_kinds)) return real(queue, context, function);
  bool is_controlled = is_controlled_call(RETURNS_TO), is_outside = false;
  if (!is_controlled && !is_wanted(item_kinds)) return real(queue, context, function);
  uint32_t flags = flags_of_function(function, RETURNS_TO);
  if (flags & INTERLOCK_FLAG_JOB) {
    interlock_job_enqueued(context);
    // While a task is made, a user's executor may also forward the job of another task.
    if (interlock_marks.makes_task && interlock_is_concurrency(RETURNS_TO)) {
      flags |= INTERLOCK_FLAG_FIRST_JOB;
      interlock_marks.made_job = (uintptr_t)context;
      if (interlock_follows_lives) interlock_life_enqueued((uintptr_t)context);
    }
    is_outside = is_controlled &&
                 interlock_tasks->is_outside((uintptr_t)context, flags & INTERLOCK_FLAG_FIRST_JOB);
  }
  if (is_controlled && !is_outside) {
    interlock_dispatch_request request = {
        .queue = queue, .function = function, .context = context, .flags = flags, .job = context};
    interlock_controlled_enqueue(request, NULL, SITE);
    return;
  }
  // The call that makes the task is nearer to the user's code than this call.
  interlock_task_maker maker = interlock_marks.maker;
  uintptr_t place = flags & INTERLOCK_FLAG_FIRST_JOB
                        ? interlock_user_place(maker.returns_to, maker.frame)
                        : USER_PLACE;
  if (is_outside) return enqueue_outside(queue, context, function, flags, place, real);
  enqueue_function(queue, context, function, flags, place, real);
}

INTERPOSED void dispatch_barrier_async(queue_t queue, void *block) {
  queue_block_call *real = REAL(queue_block_call, dispatch_barrier_async);
  if (PASSES_THROUGH(item_kinds)) return real(queue, block);
  if (is_controlled_call(RETURNS_TO)) {
    interlock_dispatch_request request = {.queue = queue, .flags = INTERLOCK_FLAG_BARRIER};
    interlock_controlled_enqueue(request, block, SITE);
    return;
  }
  if (!is_wanted(item_kinds)) return real(queue, block);
  enqueue_block(queue, block, INTERLOCK_FLAG_BARRIER | flags_of_caller(RETURNS_TO), USER_PLACE,
                real, REAL(queue_function_call, dispatch_barrier_async_f));
}

INTERPOSED void dispatch_barrier_async_f(queue_t queue, void *context, function_t function) {
  queue_function_call *real = REAL(queue_function_call, dispatch_barrier_async_f);
  if (PASSES_THROUGH(item_kinds)) return real(queue, context, function);
  if (is_controlled_call(RETURNS_TO)) {
    interlock_dispatch_request request = {
        .queue = queue, .function = function, .context = context, .flags = INTERLOCK_FLAG_BARRIER};
    interlock_controlled_enqueue(request, NULL, SITE);
    return;
  }
  if (!is_wanted(item_kinds)) return real(queue, context, function);
  enqueue_function(queue, context, function,
                   INTERLOCK_FLAG_BARRIER | flags_of_function(function, RETURNS_TO), USER_PLACE,
                   real);
}

// With a group: the group is entered here, and libdispatch leaves it when the block has ended.

typedef void group_block_call(group_t, queue_t, void *);
typedef void group_function_call(group_t, queue_t, void *, function_t);

INTERPOSED void dispatch_group_async(group_t group, queue_t queue, void *block) {
  group_block_call *real = REAL(group_block_call, dispatch_group_async);
  if (PASSES_THROUGH(item_kinds)) return real(group, queue, block);
  if (is_controlled_call(RETURNS_TO)) {
    interlock_dispatch_request request = {
        .queue = queue, .group = group, .flags = INTERLOCK_FLAG_GROUP};
    interlock_controlled_enqueue(request, block, SITE);
    return;
  }
  if (!is_wanted(item_kinds)) return real(group, queue, block);
  uintptr_t place = USER_PLACE;
  if (is_work_item(block)) {
    enqueue_work_item(queue, block, INTERLOCK_FLAG_UNNAMED_GROUP, place);
    real(group, queue, block);
    return;
  }
  void *copy = _Block_copy(block);
  // A block is always called by the same function, so the field has room for the group.
  interlock_item *item =
      interlock_make_item(queue, (function_t)group, copy, INTERLOCK_FLAG_GROUP, place);
  if (!item) {
    _Block_release(copy);
    real(group, queue, block);
    return;
  }
  interlock_publish_enqueue(item);
  REAL(group_function_call, dispatch_group_async_f)(group, queue, item, interlock_run_item);
}

INTERPOSED void dispatch_group_async_f(group_t group, queue_t queue, void *context,
                                       function_t function) {
  group_function_call *real = REAL(group_function_call, dispatch_group_async_f);
  if (PASSES_THROUGH(item_kinds)) return real(group, queue, context, function);
  if (is_controlled_call(RETURNS_TO)) {
    interlock_dispatch_request request = {.queue = queue, .function = function, .context = context,
                                          .group = group, .flags = INTERLOCK_FLAG_GROUP};
    interlock_controlled_enqueue(request, NULL, SITE);
    return;
  }
  interlock_item *item = NULL;
  if (is_wanted(item_kinds)) {
    item = interlock_make_item(queue, function, context, INTERLOCK_FLAG_UNNAMED_GROUP, USER_PLACE);
  }
  if (!item) return real(group, queue, context, function);
  interlock_publish_enqueue(item);
  real(group, queue, item, interlock_run_item);
}

INTERPOSED void dispatch_group_notify(group_t group, queue_t queue, void *block) {
  group_block_call *real = REAL(group_block_call, dispatch_group_notify);
  if (PASSES_THROUGH(item_kinds)) return real(group, queue, block);
  if (is_controlled_call(RETURNS_TO)) {
    interlock_dispatch_request request = {
        .queue = queue, .group = group, .flags = INTERLOCK_FLAG_ON_GROUP};
    interlock_controlled_enqueue(request, block, SITE);
    return;
  }
  if (!is_wanted(item_kinds)) return real(group, queue, block);
  if (is_work_item(block)) {
    enqueue_work_item(queue, block, INTERLOCK_FLAG_ON_GROUP, USER_PLACE);
    return real(group, queue, block);
  }
  void *copy = _Block_copy(block);
  interlock_item *item =
      interlock_make_item(queue, call_and_release_block, copy, INTERLOCK_FLAG_ON_GROUP, USER_PLACE);
  if (!item) {
    _Block_release(copy);
    return real(group, queue, block);
  }
  interlock_publish_enqueue(item);
  REAL(group_function_call, dispatch_group_notify_f)(group, queue, item, interlock_run_item);
}

INTERPOSED void dispatch_block_notify(void *block, queue_t queue, void *then) {
  typedef void notify(void *, queue_t, void *);
  if (is_explored_call(RETURNS_TO)) {
    interlock_controlled_item_notify(block, queue, then, SITE);
    return;
  }
  if (is_wanted(INTERLOCK_EVENT_UNFOLLOWED)) {
    publish(INTERLOCK_EVENT_UNFOLLOWED, INTERLOCK_OBJECT_WORK_ITEM, block, NULL, 0, USER_PLACE,
            NULL, 0);
  }
  REAL(notify, dispatch_block_notify)(block, queue, then);
}

#endif
