// Dispatch's calls of explored threads. Each call is a point, publishes its events, and is
// performed by the model.
#include "controlled_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

static inline bool is_published(uint32_t kinds) {
  return !interlock_marks.nested && is_wanted(kinds);
}

static void add_item(interlock_dispatch_request *request, uintptr_t place) {
  if (request->work_item) {
    uint32_t flags = request->flags | flags_of_work_item(request->work_item);
    if (request->flags & INTERLOCK_FLAG_GROUP) {
      flags = (flags & ~(uint32_t)INTERLOCK_FLAG_GROUP) | INTERLOCK_FLAG_UNNAMED_GROUP;
    }
    interlock_list_work_item(interlock_make_item(request->queue, NULL, request->work_item, flags,
                                                 place));
    return;
  }
  bool has_group = request->flags & INTERLOCK_FLAG_GROUP;
  interlock_item *item = interlock_make_item(
      request->queue, has_group ? (function_t)request->group : request->function, request->context,
          request->flags, place);
  if (!item) return;
  if (request->flags & INTERLOCK_FLAG_DELAYED) item->turn = request->due;
  interlock_publish_enqueue(item);
  request->function = interlock_run_item;
  request->context = item;
}

void interlock_dispatch_drop(const interlock_dispatch_request *request) {
  // Other requests have no listed item, or are work items, which may be queued again.
  if (request->function != interlock_run_item) return;
  interlock_item *item = request->context;
  publish(INTERLOCK_EVENT_CANCEL, INTERLOCK_OBJECT_QUEUE, item->queue, NULL, 0, 0, item, 0);
  interlock_free_item(item);
}

void *interlock_group_of_work_item(const void *item) { return group_of_work_item(item); }

uint32_t interlock_runs_of_work_item(const void *item) { return runs_of_work_item(item); }

void interlock_controlled_enqueue(interlock_dispatch_request request, void *block,
                                  interlock_site site) {
  if ((request.flags & INTERLOCK_FLAG_DELAYED) &&
      interlock_dispatch->waiter_ends_at(request.queue, request.due)) {
    return;
  }
  if (block) {
    request.context = _Block_copy(block);
    request.function = call_and_release_block;
    if (is_work_item(request.context)) {
      request.work_item = request.context;
      if (is_barrier_item(request.work_item)) request.flags |= INTERLOCK_FLAG_BARRIER;
    }
  }
  interlock_dispatch->ask_enqueue(&request, site);
  // The item of a plain function has no field for the group.
  bool has_room = block || !(request.flags & INTERLOCK_FLAG_GROUP);
  if (has_room && is_published(item_kinds)) add_item(&request, site.place);
  interlock_dispatch->enqueue(&request, site);
}

typedef struct {
  function_t function;
  void *context;
  queue_t queue;
  uintptr_t place;
  uint32_t flags;
} synchronous;

BETWEEN static void run_synchronous(void *context) {
  const synchronous *call = context;
  if (is_wanted(sync_kinds)) {
    interlock_run_on(call->queue, NULL, NULL, NULL, call->flags, call->place, call->function,
                     call->context);
  } else {
    call->function(call->context);
  }
}

BETWEEN static void run_synchronous_item(void *block) {
  interlock_dispatch->item_begins(block);
  call_block(block);
}

void interlock_controlled_sync(queue_t queue, void *block, function_t function, void *context,
                               uint32_t flags, interlock_site site) {
  bool has_work_item = block && is_work_item(block);
  if (has_work_item) flags |= flags_of_work_item(block);
  bool is_barrier = flags & INTERLOCK_FLAG_BARRIER;
  interlock_dispatch->ask_sync(queue, is_barrier, site);
  if (is_published(INTERLOCK_EVENT_WAIT)) {
    publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_QUEUE, queue, NULL, flags, site.place, NULL, 0);
  }
  if (has_work_item) {
    interlock_sync_call call = {block, queue, site.place, flags, interlock_innermost_sync};
    interlock_innermost_sync = &call;
    interlock_dispatch->sync(queue, run_synchronous_item, block, is_barrier, site);
    interlock_innermost_sync = call.outer;
    interlock_dispatch->item_ran(block, site.place);
  } else {
    synchronous call = {block ? call_block : function, block ? block : context, queue, site.place,
                        flags};
    interlock_dispatch->sync(queue, run_synchronous, &call, is_barrier, site);
  }
  if (is_published(INTERLOCK_EVENT_ACQUIRE)) {
    publish(INTERLOCK_EVENT_ACQUIRE, INTERLOCK_OBJECT_QUEUE, queue, NULL, flags, site.place, NULL,
            0);
  }
}

typedef struct {
  interlock_application seen;
  void (*function)(void *, size_t);
  void *context;
  queue_t queue;
  uintptr_t place;
} application;

BETWEEN static void run_application(void *context, size_t index) {
  application *call = context;
  uint32_t nested = interlock_marks.nested;
  interlock_marks.nested = 0;
  bool wanted = is_wanted(INTERLOCK_EVENT_BEGIN);
  if (wanted) {
    publish(INTERLOCK_EVENT_BEGIN, INTERLOCK_OBJECT_QUEUE, call->queue, &call->seen,
            INTERLOCK_FLAG_APPLY, call->place, NULL, 0);
  }
  call->function(call->context, index);
  if (wanted) {
    publish(INTERLOCK_EVENT_END, INTERLOCK_OBJECT_QUEUE, call->queue, &call->seen,
            INTERLOCK_FLAG_APPLY, call->place, NULL, 0);
  }
  interlock_marks.nested = nested;
}

void interlock_controlled_apply(size_t count, queue_t queue, void *context,
                                void (*function)(void *, size_t), interlock_site site) {
  application call = {{NULL, false}, function, context, queue, site.place};
  if (is_published(INTERLOCK_EVENT_WAIT)) {
    publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_QUEUE, queue, &call.seen,
            INTERLOCK_FLAG_APPLY, site.place, NULL, 0);
  }
  interlock_dispatch->apply(count, queue, run_application, &call, site);
  if (is_published(INTERLOCK_EVENT_ACQUIRE)) {
    publish(INTERLOCK_EVENT_ACQUIRE, INTERLOCK_OBJECT_QUEUE, queue, &call.seen,
            INTERLOCK_FLAG_APPLY, site.place, NULL, 0);
  }
}

void interlock_controlled_item_notify(void *block, queue_t queue, void *then, interlock_site site) {
  interlock_dispatch_request request = {
      .queue = queue, .function = call_and_release_block, .context = _Block_copy(then)};
  interlock_dispatch->item_notify(block, &request, site);
}

// Waits. List the thread as waiting before the point, because the thread may never be chosen again.

static void publish_wait(interlock_object_kind kind, const void *object, moment_t end,
                      uintptr_t place) {
  if (end == at_once || !is_published(INTERLOCK_EVENT_WAIT)) return;
  publish(INTERLOCK_EVENT_WAIT, kind, object, NULL, end == forever ? 0 : INTERLOCK_FLAG_TIME_LIMIT,
          place, NULL, 0);
}

static void publish_result(interlock_object_kind kind, const void *object, moment_t end,
                        intptr_t result,
                        uintptr_t place) {
  interlock_event_kind happened = result == 0 ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP;
  if (!is_published(happened) || (end == at_once && result != 0)) return;
  publish(happened, kind, object, NULL, end == at_once ? INTERLOCK_FLAG_TRIED : 0, place, NULL, 0);
}

long interlock_controlled_group_wait(group_t group, moment_t end, interlock_site site) {
  publish_wait(INTERLOCK_OBJECT_GROUP, group, end, site.place);
  long result = interlock_dispatch->group_wait(group, interlock_moment(end), site);
  publish_result(INTERLOCK_OBJECT_GROUP, group, end, result, site.place);
  return result;
}

intptr_t interlock_controlled_semaphore_wait(void *semaphore, moment_t end, interlock_site site) {
  publish_wait(INTERLOCK_OBJECT_SEMAPHORE, semaphore, end, site.place);
  intptr_t result = interlock_dispatch->semaphore_wait(semaphore, interlock_moment(end), site);
  publish_result(INTERLOCK_OBJECT_SEMAPHORE, semaphore, end, result, site.place);
  return result;
}

intptr_t interlock_controlled_semaphore_signal(void *semaphore, interlock_site site,
                                               uintptr_t frame) {
  interlock_dispatch->ask_signal(semaphore, site);
  if (is_published(INTERLOCK_EVENT_RELEASE)) {
    interlock_publish_lock(INTERLOCK_EVENT_RELEASE, INTERLOCK_OBJECT_SEMAPHORE, semaphore, 0,
                           site.returns_to, frame);
  }
  return interlock_dispatch->semaphore_signal(semaphore);
}

long interlock_controlled_item_wait(void *block, moment_t end, interlock_site site) {
  publish_wait(INTERLOCK_OBJECT_WORK_ITEM, block, end, site.place);
  long result = interlock_dispatch->item_wait(block, interlock_moment(end), site);
  publish_result(INTERLOCK_OBJECT_WORK_ITEM, block, end, result, site.place);
  return result;
}

#endif
