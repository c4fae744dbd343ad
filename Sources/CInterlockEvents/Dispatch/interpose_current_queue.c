// Calls that depend on the queue of the calling thread. libdispatch does not know the queue of a
// block that the model runs.
#include "controlled_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

typedef void *specific_call(queue_t, const void *);
static specific_call *real_specific(void) {
  return REAL(specific_call, dispatch_queue_get_specific);
}

INTERPOSED void *dispatch_queue_get_specific(queue_t queue, const void *key) {
  if (is_explored_call(RETURNS_TO)) interlock_dispatch->use_specific(queue, false, SITE);
  return real_specific()(queue, key);
}

INTERPOSED void *dispatch_get_specific(const void *key) {
  typedef void *get(const void *);
  if (is_explored_call(RETURNS_TO)) {
    queue_t queue = interlock_dispatch->current_queue();
    for (; queue; queue = interlock_dispatch->target_of(queue)) {
      interlock_dispatch->use_specific(queue, false, SITE);
      void *value = real_specific()(queue, key);
      if (value) return value;
    }
    return NULL;
  }
  return REAL(get, dispatch_get_specific)(key);
}

typedef const char *label_call(queue_t);
static label_call *real_label(void) { return REAL(label_call, dispatch_queue_get_label); }

/// A reader asks for labels while it holds a lock, and must not take the loader's lock there: look
/// the function up now.
__attribute__((constructor(101))) static void find_calls(void) { real_label(); }

INTERPOSED const char *dispatch_queue_get_label(queue_t queue) {
  if (!queue && is_explored_call(RETURNS_TO)) queue = interlock_dispatch->current_queue();
  return real_label()(queue);
}

INTERPOSED void dispatch_assert_queue(queue_t queue) {
  if (is_explored_call(RETURNS_TO)) {
    interlock_dispatch->expect_queue(queue, true, false, SITE);
    return;
  }
  REAL(object_call, dispatch_assert_queue)(queue);
}

INTERPOSED void dispatch_assert_queue_not(queue_t queue) {
  if (is_explored_call(RETURNS_TO)) {
    interlock_dispatch->expect_queue(queue, false, false, SITE);
    return;
  }
  REAL(object_call, dispatch_assert_queue_not)(queue);
}

INTERPOSED void dispatch_assert_queue_barrier(queue_t queue) {
  if (is_explored_call(RETURNS_TO)) {
    interlock_dispatch->expect_queue(queue, true, true, SITE);
    return;
  }
  REAL(object_call, dispatch_assert_queue_barrier)(queue);
}

INTERPOSED void dispatch_queue_set_specific(queue_t queue, const void *key, void *value,
                                            function_t destroy) {
  typedef void set(queue_t, const void *, void *, function_t);
  if (is_explored_call(RETURNS_TO)) interlock_dispatch->use_specific(queue, true, SITE);
  // Let the model destroy the value: libdispatch would destroy it on a thread of its pool.
  if (value && destroy && is_explored_call(RETURNS_TO) &&
      interlock_dispatch->keep_specific(queue, value, destroy)) {
    destroy = NULL;
  }
  REAL(set, dispatch_queue_set_specific)(queue, key, value, destroy);
}

// libdispatch sets the width of a queue of Swift Concurrency by a block on the real pool. While
// threads are explored, the call is deferred.

enum { most_late = 16 };
static struct {
  queue_t queue;
  long width;
} late[most_late];
static uint32_t late_count;

INTERPOSED void dispatch_queue_set_width(queue_t queue, long width) {
  typedef void set(queue_t, long);
  if (is_explored_call(RETURNS_TO) && late_count < most_late) {
    late[late_count].queue = queue;
    late[late_count++].width = width;
    return;
  }
  REAL(set, dispatch_queue_set_width)(queue, width);
}

void interlock_controlled_dispatch_ends(void) {
  for (uint32_t index = 0; index < late_count; index++) {
    dispatch_queue_set_width(late[index].queue, late[index].width);
  }
  late_count = 0;
}

#endif
