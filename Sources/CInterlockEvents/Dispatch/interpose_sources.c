// Sources and I/O. Their handlers run on queues, when libdispatch finds an event.
#include "controlled_dispatch.h"
#include "../Lives/task_lives.h"

#ifdef INTERLOCK_INTERPOSES

extern const char _dispatch_source_type_timer[] __attribute__((weak));

/// Publishes that the object runs code that no event shows. On an explored thread, `name` is an
/// operation that escapes control. `is_ordered`: the code publishes the orders that it makes.
static void unfollowed(const void *object, uintptr_t returns_to, const char *name,
                       bool is_ordered) {
  if (is_explored_call(returns_to)) interlock_dispatch->escaped(name);
  if (is_wanted(INTERLOCK_EVENT_UNFOLLOWED) && !interlock_is_dispatch(returns_to) &&
      !interlock_is_of_poll(returns_to)) {
    publish(INTERLOCK_EVENT_UNFOLLOWED, INTERLOCK_OBJECT_QUEUE, object, NULL, 0, returns_to, NULL,
            is_ordered);
  }
}

// Handlers. The thread whose call made libdispatch run a handler is not known, so the handler comes
// after everything. It comes before the blocks that its queue runs next; a source is a serial queue
// of its own.

static void publish_order(interlock_order_change change, const void *queue) {
  if (!is_wanted(INTERLOCK_EVENT_ORDER)) return;
  publish(INTERLOCK_EVENT_ORDER, INTERLOCK_OBJECT_QUEUE, queue, NULL, 0, 0, NULL, change);
}

/// Runs a handler. The calls that the handler makes are published, even inside a published call.
#define RUN_HANDLER(queue, call)                            \
  do {                                                      \
    uint32_t nested = interlock_marks.nested;               \
    interlock_marks.nested = 0;                             \
    publish_order(INTERLOCK_ORDER_AFTER_UNKNOWN, NULL);     \
    call;                                                   \
    publish_order(INTERLOCK_ORDER_BEFORE_BLOCKS_OF, queue); \
    interlock_marks.nested = nested;                        \
  } while (0)

static bool is_followed(const void *handler, uintptr_t returns_to) {
  return handler && is_wanted(INTERLOCK_EVENT_ORDER) && !interlock_is_dispatch(returns_to);
}

INTERPOSED void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask,
                                        queue_t queue) {
  typedef void *create(const void *, uintptr_t, uintptr_t, queue_t);
  bool is_explored = is_explored_call(RETURNS_TO);
  if (is_explored) {
    void *made = interlock_dispatch->source_made(type, queue);
    if (made) return made;
  }
  unfollowed(queue, RETURNS_TO, "a dispatch source that is no timer", true);
  void *made = REAL(create, dispatch_source_create)(type, handle, mask, queue);
  if (is_explored && made) interlock_dispatch->source_is_outside(made);
  if (interlock_follows_lives && !is_explored) {
    interlock_live_kind kind =
        type == _dispatch_source_type_timer ? INTERLOCK_LIVE_TIMER : INTERLOCK_LIVE_SOURCE;
    interlock_life_of_object(made, kind, true, RETURNS_TO, THIS_FRAME);
  }
  return made;
}

void interlock_set_handler(interlock_set_handler_call *set, void *source, block_t handler,
                           uintptr_t returns_to) {
  if (!is_followed((const void *)handler, returns_to)) return set(source, handler);
  set(source, ^{
    RUN_HANDLER(source, handler());
  });
}

#define SETS_HANDLER(name)                                                                 \
  INTERPOSED void name(void *source, block_t handler) {                                    \
    interlock_set_handler(REAL(interlock_set_handler_call, name), source, handler, RETURNS_TO); \
  }

SETS_HANDLER(dispatch_source_set_registration_handler)
SETS_HANDLER(dispatch_source_set_mandatory_cancel_handler)

typedef void (^cleanup_t)(int error);
typedef void (^io_t)(bool is_done, void *data, int error);
typedef void (^transfer_t)(void *data, int error);

/// `call` makes the real call with `handler`, which is the user's handler, or a block that
/// publishes its orders and calls it.
#define WITH_FOLLOWED(queue, handler_type, users, parameters, arguments, call)  \
  do {                                                                          \
    handler_type handler = users;                                               \
    if (!is_followed((const void *)users, RETURNS_TO)) return call;             \
    handler = ^parameters {                                                     \
      RUN_HANDLER(queue, users arguments);                                      \
    };                                                                          \
    return call;                                                                \
  } while (0)

INTERPOSED void *dispatch_io_create(unsigned long type, int descriptor, queue_t queue,
                                    cleanup_t cleanup) {
  typedef void *create(unsigned long, int, queue_t, cleanup_t);
  unfollowed(queue, RETURNS_TO, "dispatch_io_create", true);
  create *real = REAL(create, dispatch_io_create);
  WITH_FOLLOWED(queue, cleanup_t, cleanup, (int error), (error),
                real(type, descriptor, queue, handler));
}

INTERPOSED void *dispatch_io_create_with_path(unsigned long type, const char *path, int flags,
                                              unsigned mode, queue_t queue, cleanup_t cleanup) {
  typedef void *create(unsigned long, const char *, int, unsigned, queue_t, cleanup_t);
  unfollowed(queue, RETURNS_TO, "dispatch_io_create_with_path", true);
  create *real = REAL(create, dispatch_io_create_with_path);
  WITH_FOLLOWED(queue, cleanup_t, cleanup, (int error), (error),
                real(type, path, flags, mode, queue, handler));
}

INTERPOSED void *dispatch_io_create_with_io(unsigned long type, void *io, queue_t queue,
                                            cleanup_t cleanup) {
  typedef void *create(unsigned long, void *, queue_t, cleanup_t);
  create *real = REAL(create, dispatch_io_create_with_io);
  WITH_FOLLOWED(queue, cleanup_t, cleanup, (int error), (error),
                real(type, io, queue, handler));
}

INTERPOSED void dispatch_io_read(void *io, int64_t offset, size_t length, queue_t queue,
                                 io_t each) {
  typedef void call(void *, int64_t, size_t, queue_t, io_t);
  call *real = REAL(call, dispatch_io_read);
  WITH_FOLLOWED(queue, io_t, each, (bool is_done, void *data, int error), (is_done, data, error),
                real(io, offset, length, queue, handler));
}

INTERPOSED void dispatch_io_write(void *io, int64_t offset, void *data, queue_t queue, io_t each) {
  typedef void call(void *, int64_t, void *, queue_t, io_t);
  call *real = REAL(call, dispatch_io_write);
  WITH_FOLLOWED(queue, io_t, each, (bool is_done, void *rest, int error), (is_done, rest, error),
                real(io, offset, data, queue, handler));
}

INTERPOSED void dispatch_io_barrier(void *io, block_t block) {
  typedef void call(void *, block_t);
  call *real = REAL(call, dispatch_io_barrier);
  WITH_FOLLOWED(io, block_t, block, (void), (), real(io, handler));
}

INTERPOSED void dispatch_read(int descriptor, size_t length, queue_t queue, transfer_t then) {
  typedef void call(int, size_t, queue_t, transfer_t);
  unfollowed(queue, RETURNS_TO, "dispatch_read", true);
  call *real = REAL(call, dispatch_read);
  WITH_FOLLOWED(queue, transfer_t, then, (void *data, int error), (data, error),
                real(descriptor, length, queue, handler));
}

INTERPOSED void dispatch_write(int descriptor, void *data, queue_t queue, transfer_t then) {
  typedef void call(int, void *, queue_t, transfer_t);
  unfollowed(queue, RETURNS_TO, "dispatch_write", true);
  call *real = REAL(call, dispatch_write);
  WITH_FOLLOWED(queue, transfer_t, then, (void *rest, int error), (rest, error),
                real(descriptor, data, queue, handler));
}

// The variants that take a function, which Swift does not import.

#define UNFOLLOWED_FORM(result, name, parameters, arguments, queue) \
  INTERPOSED result name parameters {                               \
    typedef result call parameters;                                 \
    unfollowed(queue, RETURNS_TO, #name, false);                    \
    return REAL(call, name) arguments;                              \
  }

UNFOLLOWED_FORM(void, dispatch_read_f,
                (int descriptor, size_t length, queue_t queue, void *context, void *function),
                (descriptor, length, queue, context, function), queue)
UNFOLLOWED_FORM(void, dispatch_write_f,
                (int descriptor, void *data, queue_t queue, void *context, void *function),
                (descriptor, data, queue, context, function), queue)
UNFOLLOWED_FORM(void, dispatch_io_read_f,
                (void *io, int64_t offset, size_t length, queue_t queue, void *context,
                 void *function),
                (io, offset, length, queue, context, function), queue)
UNFOLLOWED_FORM(void, dispatch_io_write_f,
                (void *io, int64_t offset, void *data, queue_t queue, void *context,
                 void *function),
                (io, offset, data, queue, context, function), queue)
UNFOLLOWED_FORM(void, dispatch_io_barrier_f, (void *io, void *context, void *function),
                (io, context, function), NULL)
UNFOLLOWED_FORM(void, dispatch_source_set_registration_handler_f,
                (void *source, void *function), (source, function), source)
UNFOLLOWED_FORM(void, dispatch_source_set_mandatory_cancel_handler_f,
                (void *source, void *function), (source, function), source)

// Timer sources and sources of user data of explored threads. The model's stand-in is a queue and
// no source, so libdispatch gets none of these calls for it.

static bool is_modelled(void *source, uintptr_t returns_to) {
  return is_explored_call(returns_to) && interlock_dispatch->is_source(source);
}

INTERPOSED void dispatch_source_set_timer(void *source, moment_t start, uint64_t interval,
                                          uint64_t leeway) {
  typedef void set(void *, moment_t, uint64_t, uint64_t);
  if (is_modelled(source, RETURNS_TO)) {
    uint64_t due = start == forever ? forever : interlock_moment(start);
    interlock_dispatch->source_set_timer(source, due, interval, SITE);
    return;
  }
  REAL(set, dispatch_source_set_timer)(source, start, interval, leeway);
}

typedef void set_function(void *, function_t);

INTERPOSED void dispatch_source_set_event_handler_f(void *source, function_t function) {
  if (is_modelled(source, RETURNS_TO)) {
    interlock_dispatch->source_set_handler(source, function, NULL, false, false, SITE);
    return;
  }
  if (function) unfollowed(source, RETURNS_TO, "dispatch_source_set_event_handler_f", false);
  REAL(set_function, dispatch_source_set_event_handler_f)(source, function);
}

INTERPOSED void dispatch_source_set_cancel_handler_f(void *source, function_t function) {
  if (is_modelled(source, RETURNS_TO)) {
    interlock_dispatch->source_set_handler(source, function, NULL, false, true, SITE);
    return;
  }
  if (function) unfollowed(source, RETURNS_TO, "dispatch_source_set_cancel_handler_f", false);
  REAL(set_function, dispatch_source_set_cancel_handler_f)(source, function);
}

INTERPOSED void dispatch_source_cancel(void *source) {
  if (is_modelled(source, RETURNS_TO)) {
    interlock_dispatch->source_cancel(source, SITE);
    return;
  }
  if (is_explored_call(RETURNS_TO)) {
    return interlock_call_outside(REAL(object_call, dispatch_source_cancel), source);
  }
  if (interlock_follows_lives) interlock_life_cancelled(source);
  REAL(object_call, dispatch_source_cancel)(source);
}

INTERPOSED intptr_t dispatch_source_testcancel(void *source) {
  typedef intptr_t test(void *);
  if (is_modelled(source, RETURNS_TO)) return interlock_dispatch->source_is_cancelled(source, SITE);
  return REAL(test, dispatch_source_testcancel)(source);
}

INTERPOSED uintptr_t dispatch_source_get_data(void *source) {
  typedef uintptr_t get(void *);
  if (is_modelled(source, RETURNS_TO)) return interlock_dispatch->source_data(source);
  return REAL(get, dispatch_source_get_data)(source);
}

INTERPOSED void dispatch_source_merge_data(void *source, uintptr_t data) {
  typedef void merge(void *, uintptr_t);
  if (is_modelled(source, RETURNS_TO)) {
    return interlock_dispatch->source_merge(source, data, SITE);
  }
  REAL(merge, dispatch_source_merge_data)(source, data);
}

#endif
