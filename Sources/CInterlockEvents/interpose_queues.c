// Dispatch's queues, and calls after which code runs on them unseen.
#include "interpose_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

static void publish_queue(queue_t queue, const void *attribute, const char *label,
                          uintptr_t place) {
  interlock_event event = {.kind = INTERLOCK_EVENT_CREATE,
                           .object_kind = INTERLOCK_OBJECT_QUEUE,
                           .object = queue,
                           .other = attribute,
                           .place = place,
                           .label = label};
  interlock_publish(&event);
}

// The Swift Concurrency runtime has a concurrent queue for each priority, as wide as the machine
// has processors.

enum { most_pools = 16 };
static uintptr_t pools[most_pools];
static uint32_t pool_count;

static void note_task_pool(uintptr_t queue) {
  // Relaxed, both: a job on the queue runs later, on a thread that Dispatch orders after this.
  uint32_t index = __atomic_fetch_add(&pool_count, 1, __ATOMIC_RELAXED);
  if (index < most_pools) __atomic_store_n(&pools[index], queue, __ATOMIC_RELAXED);
}

bool interlock_events_is_task_pool(uintptr_t queue) {
  for (uint32_t index = 0; index < most_pools; index++) {
    uintptr_t pool = __atomic_load_n(&pools[index], __ATOMIC_RELAXED);
    if (pool == queue) return true;
    if (pool == 0) return false;
  }
  return false;
}

INTERPOSED queue_t dispatch_queue_create(const char *label, void *attribute) {
  typedef queue_t create(const char *, void *);
  interlock_marks.nested++;
  queue_t made = REAL(create, dispatch_queue_create)(label, attribute);
  interlock_marks.nested--;
  if (attribute && interlock_is_concurrency(RETURNS_TO)) note_task_pool((uintptr_t)made);
  if (made && !interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish_queue(made, attribute, label, USER_PLACE);
  }
  return made;
}

// On Linux the symbol has no version in its name.
INTERPOSED queue_t dispatch_queue_create_with_target(const char *label, void *attribute,
                                                     queue_t target) {
  typedef queue_t create(const char *, void *, queue_t);
  interlock_marks.nested++;
  queue_t made = REAL(create, dispatch_queue_create_with_target)(label, attribute, target);
  interlock_marks.nested--;
  if (made && !interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish_queue(made, attribute, label, USER_PLACE);
  }
  return made;
}

static void configure(void *object, int64_t change, const void *other, uintptr_t returns_to) {
  // Changes that libdispatch makes to its own objects are not the user's.
  if (!interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CONFIGURE) &&
      !interlock_is_dispatch(returns_to)) {
    publish(INTERLOCK_EVENT_CONFIGURE, INTERLOCK_OBJECT_QUEUE, object, other, 0, returns_to, NULL,
            change);
  }
}

INTERPOSED void dispatch_suspend(void *object) {
  configure(object, 1, NULL, RETURNS_TO);
  REAL(object_call, dispatch_suspend)(object);
}

INTERPOSED void dispatch_resume(void *object) {
  configure(object, -1, NULL, RETURNS_TO);
  REAL(object_call, dispatch_resume)(object);
}

INTERPOSED void dispatch_activate(void *object) {
  configure(object, 0, NULL, RETURNS_TO);
  REAL(object_call, dispatch_activate)(object);
}

INTERPOSED void dispatch_set_target_queue(void *object, queue_t target) {
  typedef void set(void *, queue_t);
  configure(object, 2, target, RETURNS_TO);
  REAL(set, dispatch_set_target_queue)(object, target);
}

// Calls after which code may run on queues without an interposed call.

static void unfollowed(const void *object, uintptr_t returns_to) {
  if (is_wanted(INTERLOCK_EVENT_UNFOLLOWED) && !interlock_is_dispatch(returns_to) &&
      !interlock_is_of_poll(returns_to)) {
    publish(INTERLOCK_EVENT_UNFOLLOWED, INTERLOCK_OBJECT_QUEUE, object, NULL, 0, returns_to, NULL,
            0);
  }
}

INTERPOSED void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask,
                                        queue_t queue) {
  typedef void *create(const void *, uintptr_t, uintptr_t, queue_t);
  unfollowed(queue, RETURNS_TO);
  return REAL(create, dispatch_source_create)(type, handle, mask, queue);
}

INTERPOSED void *dispatch_io_create(unsigned long type, int descriptor, queue_t queue,
                                    void *handler) {
  typedef void *create(unsigned long, int, queue_t, void *);
  unfollowed(queue, RETURNS_TO);
  return REAL(create, dispatch_io_create)(type, descriptor, queue, handler);
}

INTERPOSED void *dispatch_io_create_with_path(unsigned long type, const char *path, int flags,
                                              unsigned mode, queue_t queue, void *handler) {
  typedef void *create(unsigned long, const char *, int, unsigned, queue_t, void *);
  unfollowed(queue, RETURNS_TO);
  return REAL(create, dispatch_io_create_with_path)(type, path, flags, mode, queue, handler);
}

INTERPOSED void dispatch_read(int descriptor, size_t length, queue_t queue, void *handler) {
  typedef void call(int, size_t, queue_t, void *);
  unfollowed(queue, RETURNS_TO);
  REAL(call, dispatch_read)(descriptor, length, queue, handler);
}

INTERPOSED void dispatch_write(int descriptor, void *data, queue_t queue, void *handler) {
  typedef void call(int, void *, queue_t, void *);
  unfollowed(queue, RETURNS_TO);
  REAL(call, dispatch_write)(descriptor, data, queue, handler);
}

#endif
