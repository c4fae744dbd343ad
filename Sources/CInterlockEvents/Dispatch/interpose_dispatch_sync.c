// Synchronous calls on queues, and `dispatch_apply`.
#include "controlled_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

typedef struct {
  function_t function;
  void *context;
  queue_t queue;
  uintptr_t place;
  uint32_t flags;
} synchronous;

BETWEEN static void run_synchronous(void *context) {
  synchronous *call = context;
  interlock_run_on(call->queue, NULL, NULL, NULL, call->flags, call->place, call->function,
                   call->context);
}

BETWEEN static void call_synchronously(queue_t queue, void *block, void *context,
                                       function_t function, uint32_t flags, uintptr_t place,
                                       queue_block_call *real,
                                       queue_function_call *real_function) {
  bool has_work_item = block && is_work_item(block);
  if (has_work_item) flags |= flags_of_work_item(block);
  publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_QUEUE, queue, NULL, flags, place, NULL, 0);
  interlock_marks.nested++;
  if (has_work_item) {
    interlock_sync_call call = {block, queue, place, flags, interlock_innermost_sync};
    interlock_innermost_sync = &call;
    real(queue, block);
    interlock_innermost_sync = call.outer;
  } else {
    synchronous call = {block ? call_block : function, block ? block : context, queue, place,
                        flags};
    real_function(queue, &call, run_synchronous);
  }
  interlock_marks.nested--;
  if (is_wanted(INTERLOCK_EVENT_ACQUIRE)) {
    publish(INTERLOCK_EVENT_ACQUIRE, INTERLOCK_OBJECT_QUEUE, queue, NULL, flags, place, NULL, 0);
  }
}

#define SYNCHRONOUS(name, flags)                                                              \
  INTERPOSED_FAST(void, name, sync_kinds, (queue_t queue, void *block), (queue, block)) {     \
    queue_block_call *real = FOUND(name);                                                     \
    if (is_controlled_call(RETURNS_TO)) {                                                     \
      interlock_controlled_sync(queue, block, NULL, NULL, flags, SITE);                       \
      return;                                                                                 \
    }                                                                                         \
    if (interlock_marks.nested || interlock_marks.hidden) return real(queue, block);          \
    call_synchronously(queue, block, NULL, NULL, flags, USER_PLACE, real,                     \
                       REAL(queue_function_call, name##_f));                                  \
  }                                                                                           \
  INTERPOSED_FAST(void, name##_f, sync_kinds,                                                 \
                  (queue_t queue, void *context, function_t function),                        \
                  (queue, context, function)) {                                               \
    queue_function_call *real = FOUND(name##_f);                                              \
    if (is_controlled_call(RETURNS_TO)) {                                                     \
      interlock_controlled_sync(queue, NULL, function, context, flags, SITE);                 \
      return;                                                                                 \
    }                                                                                         \
    if (interlock_marks.nested || interlock_marks.hidden) return real(queue, context, function); \
    call_synchronously(queue, NULL, context, function, flags, USER_PLACE, NULL, real);        \
  }

SYNCHRONOUS(dispatch_sync, 0)
SYNCHRONOUS(dispatch_barrier_sync, INTERLOCK_FLAG_BARRIER)
SYNCHRONOUS(dispatch_async_and_wait, 0)
SYNCHRONOUS(dispatch_barrier_async_and_wait, INTERLOCK_FLAG_BARRIER)

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
  if (wanted && is_wanted(INTERLOCK_EVENT_END)) {
    publish(INTERLOCK_EVENT_END, INTERLOCK_OBJECT_QUEUE, call->queue, &call->seen,
            INTERLOCK_FLAG_APPLY, call->place, NULL, 0);
  }
  interlock_marks.nested = nested;
}

BETWEEN static void call_block_with_index(void *block, size_t index) {
  ((void (^)(size_t))block)(index);
}

typedef void apply_call(size_t, queue_t, void *, void (*)(void *, size_t));

BETWEEN static void apply(size_t count, queue_t queue, void *context,
                          void (*function)(void *, size_t), uintptr_t place, apply_call *real) {
  application call = {{NULL, false}, function, context, queue, place};
  publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_QUEUE, queue, &call.seen, INTERLOCK_FLAG_APPLY,
          place, NULL, 0);
  interlock_marks.nested++;
  real(count, queue, &call, run_application);
  interlock_marks.nested--;
  if (is_wanted(INTERLOCK_EVENT_ACQUIRE)) {
    publish(INTERLOCK_EVENT_ACQUIRE, INTERLOCK_OBJECT_QUEUE, queue, &call.seen,
            INTERLOCK_FLAG_APPLY, place, NULL, 0);
  }
}

INTERPOSED void dispatch_apply(size_t count, queue_t queue, void *block) {
  typedef void apply_block_call(size_t, queue_t, void *);
  if (is_explored_call(RETURNS_TO)) {
    interlock_controlled_apply(count, queue, block, call_block_with_index, SITE);
    return;
  }
  if (interlock_marks.nested || !is_wanted(sync_kinds)) {
    REAL(apply_block_call, dispatch_apply)(count, queue, block);
    return;
  }
  apply(count, queue, block, call_block_with_index, USER_PLACE, REAL(apply_call, dispatch_apply_f));
}

INTERPOSED void dispatch_apply_f(size_t count, queue_t queue, void *context,
                                 void (*function)(void *, size_t)) {
  apply_call *real = REAL(apply_call, dispatch_apply_f);
  if (is_explored_call(RETURNS_TO)) {
    interlock_controlled_apply(count, queue, context, function, SITE);
    return;
  }
  if (interlock_marks.nested || !is_wanted(sync_kinds)) {
    real(count, queue, context, function);
    return;
  }
  apply(count, queue, context, function, USER_PLACE, real);
}

INTERPOSED long dispatch_block_wait(void *block, moment_t end) {
  typedef long wait(void *, moment_t);
  wait *real = REAL(wait, dispatch_block_wait);
  if (is_explored_call(RETURNS_TO)) return interlock_controlled_item_wait(block, end, SITE);
  if (!is_wanted(wait_kinds)) return real(block, end);
  uintptr_t place = USER_PLACE;
  publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_WORK_ITEM, block, NULL,
          end == forever ? 0 : INTERLOCK_FLAG_TIME_LIMIT, place, NULL, 0);
  interlock_marks.nested++;
  long result = real(block, end);
  interlock_marks.nested--;
  publish(result == 0 ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP,
          INTERLOCK_OBJECT_WORK_ITEM, block, NULL, 0, place, NULL, 0);
  return result;
}

#endif
