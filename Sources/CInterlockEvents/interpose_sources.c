// Sources and I/O, which may run code on queues without a call that is seen.
#include "controlled_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

/// `name` is the operation that escapes control, on an explored thread.
static void unfollowed(const void *object, uintptr_t returns_to, const char *name) {
  if (is_explored_call(returns_to)) interlock_dispatch->escaped(name);
  if (is_wanted(INTERLOCK_EVENT_UNFOLLOWED) && !interlock_is_dispatch(returns_to) &&
      !interlock_is_of_poll(returns_to)) {
    publish(INTERLOCK_EVENT_UNFOLLOWED, INTERLOCK_OBJECT_QUEUE, object, NULL, 0, returns_to, NULL,
            0);
  }
}

INTERPOSED void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask,
                                        queue_t queue) {
  typedef void *create(const void *, uintptr_t, uintptr_t, queue_t);
  if (is_explored_call(RETURNS_TO)) {
    void *made = interlock_dispatch->source_made(type, queue);
    if (made) return made;
  }
  unfollowed(queue, RETURNS_TO, "a dispatch source that is no timer");
  return REAL(create, dispatch_source_create)(type, handle, mask, queue);
}

INTERPOSED void *dispatch_io_create(unsigned long type, int descriptor, queue_t queue,
                                    void *handler) {
  typedef void *create(unsigned long, int, queue_t, void *);
  unfollowed(queue, RETURNS_TO, "dispatch_io_create");
  return REAL(create, dispatch_io_create)(type, descriptor, queue, handler);
}

INTERPOSED void *dispatch_io_create_with_path(unsigned long type, const char *path, int flags,
                                              unsigned mode, queue_t queue, void *handler) {
  typedef void *create(unsigned long, const char *, int, unsigned, queue_t, void *);
  unfollowed(queue, RETURNS_TO, "dispatch_io_create_with_path");
  return REAL(create, dispatch_io_create_with_path)(type, path, flags, mode, queue, handler);
}

INTERPOSED void dispatch_read(int descriptor, size_t length, queue_t queue, void *handler) {
  typedef void call(int, size_t, queue_t, void *);
  unfollowed(queue, RETURNS_TO, "dispatch_read");
  REAL(call, dispatch_read)(descriptor, length, queue, handler);
}

INTERPOSED void dispatch_write(int descriptor, void *data, queue_t queue, void *handler) {
  typedef void call(int, void *, queue_t, void *);
  unfollowed(queue, RETURNS_TO, "dispatch_write");
  REAL(call, dispatch_write)(descriptor, data, queue, handler);
}

// Timer sources of explored threads. The model's stand-in is no source, so libdispatch gets none of
// these calls for it.

static bool is_timer(void *source, uintptr_t returns_to) {
  return is_explored_call(returns_to) && interlock_dispatch->is_source(source);
}

INTERPOSED void dispatch_source_set_timer(void *source, moment_t start, uint64_t interval,
                                          uint64_t leeway) {
  typedef void set(void *, moment_t, uint64_t, uint64_t);
  if (is_timer(source, RETURNS_TO)) {
    uint64_t due = start == forever ? forever : interlock_moment(start);
    interlock_dispatch->source_set_timer(source, due, interval, SITE);
    return;
  }
  REAL(set, dispatch_source_set_timer)(source, start, interval, leeway);
}

typedef void set_function(void *, function_t);

INTERPOSED void dispatch_source_set_event_handler_f(void *source, function_t function) {
  if (is_timer(source, RETURNS_TO)) {
    interlock_dispatch->source_set_handler(source, function, NULL, false, false);
    return;
  }
  REAL(set_function, dispatch_source_set_event_handler_f)(source, function);
}

INTERPOSED void dispatch_source_set_cancel_handler_f(void *source, function_t function) {
  if (is_timer(source, RETURNS_TO)) {
    interlock_dispatch->source_set_handler(source, function, NULL, false, true);
    return;
  }
  REAL(set_function, dispatch_source_set_cancel_handler_f)(source, function);
}

INTERPOSED void dispatch_source_cancel(void *source) {
  if (is_timer(source, RETURNS_TO)) {
    interlock_dispatch->source_cancel(source, SITE);
    return;
  }
  REAL(object_call, dispatch_source_cancel)(source);
}

INTERPOSED intptr_t dispatch_source_testcancel(void *source) {
  typedef intptr_t test(void *);
  if (is_timer(source, RETURNS_TO)) return interlock_dispatch->source_is_cancelled(source, SITE);
  return REAL(test, dispatch_source_testcancel)(source);
}

INTERPOSED uintptr_t dispatch_source_get_data(void *source) {
  typedef uintptr_t get(void *);
  // The number of firings since the last call of the handler: the model calls it for each one.
  if (is_timer(source, RETURNS_TO)) return 1;
  return REAL(get, dispatch_source_get_data)(source);
}

#endif
