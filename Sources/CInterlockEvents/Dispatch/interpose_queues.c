// Dispatch's queues, and the references to its objects.
#include "controlled_dispatch.h"
#include "../Lives/task_lives.h"

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

// The attributes that make a queue inactive. libdispatch has each of them once, so there are few.

enum { most_inactive = 256 };
static const void *inactive[most_inactive];
static uint32_t inactive_count;

static bool is_inactive(const void *attribute) {
  uint32_t count = __atomic_load_n(&inactive_count, __ATOMIC_ACQUIRE);
  for (uint32_t index = 0; index < count && index < most_inactive; index++) {
    // Relaxed: the program itself orders the creation of an attribute before its use.
    if (__atomic_load_n(&inactive[index], __ATOMIC_RELAXED) == attribute) return true;
  }
  return false;
}

static void *note_inactive(void *attribute) {
  if (attribute && !is_inactive(attribute)) {
    uint32_t index = __atomic_fetch_add(&inactive_count, 1, __ATOMIC_RELAXED);
    if (index < most_inactive) __atomic_store_n(&inactive[index], attribute, __ATOMIC_RELAXED);
  }
  return attribute;
}

INTERPOSED void *dispatch_queue_attr_make_initially_inactive(void *attribute) {
  typedef void *make(void *);
  return note_inactive(REAL(make, dispatch_queue_attr_make_initially_inactive)(attribute));
}

INTERPOSED void *dispatch_queue_attr_make_with_qos_class(void *attribute, unsigned qos,
                                                         int priority) {
  typedef void *make(void *, unsigned, int);
  void *made = REAL(make, dispatch_queue_attr_make_with_qos_class)(attribute, qos, priority);
  return attribute && is_inactive(attribute) ? note_inactive(made) : made;
}

INTERPOSED void *dispatch_queue_attr_make_with_autorelease_frequency(void *attribute,
                                                                     unsigned long frequency) {
  typedef void *make(void *, unsigned long);
  void *made =
      REAL(make, dispatch_queue_attr_make_with_autorelease_frequency)(attribute, frequency);
  return attribute && is_inactive(attribute) ? note_inactive(made) : made;
}

INTERPOSED queue_t dispatch_queue_create(const char *label, void *attribute) {
  typedef queue_t create(const char *, void *);
  interlock_marks.nested++;
  queue_t made = REAL(create, dispatch_queue_create)(label, attribute);
  interlock_marks.nested--;
  if (attribute && interlock_is_concurrency(RETURNS_TO)) interlock_note_task_pool((uintptr_t)made);
  if (made && is_explored_call(RETURNS_TO))
    interlock_dispatch->queue_made(made, is_inactive(attribute));
  if (made && !interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish_queue(made, attribute, label, USER_PLACE);
  }
  if (interlock_follows_lives && !is_explored_call(RETURNS_TO)) {
    interlock_life_of_object(made, INTERLOCK_LIVE_QUEUE, attribute && is_inactive(attribute),
                             RETURNS_TO, THIS_FRAME);
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
  if (made && is_explored_call(RETURNS_TO))
    interlock_dispatch->queue_made(made, is_inactive(attribute));
  if (made && !interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CREATE)) {
    publish_queue(made, attribute, label, USER_PLACE);
  }
  if (interlock_follows_lives && !is_explored_call(RETURNS_TO)) {
    interlock_life_of_object(made, INTERLOCK_LIVE_QUEUE, attribute && is_inactive(attribute),
                             RETURNS_TO, THIS_FRAME);
  }
  return made;
}

static void configure(void *object, int64_t change, const void *other, uintptr_t returns_to) {
  // libdispatch's changes of its own objects are not published.
  if (!interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CONFIGURE) &&
      !interlock_is_dispatch(returns_to)) {
    publish(INTERLOCK_EVENT_CONFIGURE, INTERLOCK_OBJECT_QUEUE, object, other, 0, returns_to, NULL,
            change);
  }
}

void interlock_call_outside(object_call *real, void *object) {
  interlock_marks.hidden++;
  real(object);
  interlock_marks.hidden--;
}

INTERPOSED void dispatch_suspend(void *object) {
  configure(object, 1, NULL, RETURNS_TO);
  if (is_explored_call(RETURNS_TO)) {
    if (interlock_dispatch->suspend(object, SITE)) {
      interlock_call_outside(REAL(object_call, dispatch_suspend), object);
    }
    return;
  }
  if (interlock_follows_lives) interlock_life_suspended(object, 1);
  REAL(object_call, dispatch_suspend)(object);
}

INTERPOSED void dispatch_resume(void *object) {
  configure(object, -1, NULL, RETURNS_TO);
  if (is_explored_call(RETURNS_TO)) {
    if (interlock_dispatch->resume(object, SITE)) {
      interlock_call_outside(REAL(object_call, dispatch_resume), object);
    }
    return;
  }
  if (interlock_follows_lives) interlock_life_suspended(object, -1);
  REAL(object_call, dispatch_resume)(object);
}

INTERPOSED void dispatch_activate(void *object) {
  configure(object, 0, NULL, RETURNS_TO);
  if (is_explored_call(RETURNS_TO)) {
    if (!interlock_dispatch->activate(object, SITE)) return;
    if (interlock_follows_lives) interlock_life_activated(object);
    interlock_call_outside(REAL(object_call, dispatch_activate), object);
    return;
  }
  if (interlock_follows_lives) interlock_life_activated(object);
  REAL(object_call, dispatch_activate)(object);
}

INTERPOSED void dispatch_set_target_queue(void *object, queue_t target) {
  typedef void set(void *, queue_t);
  configure(object, 2, target, RETURNS_TO);
  if (is_explored_call(RETURNS_TO) && !interlock_dispatch->set_target(object, target, SITE)) return;
  REAL(set, dispatch_set_target_queue)(object, target);
}

// References of the user's code and of libraries other than libdispatch.

INTERPOSED void dispatch_retain(void *object) {
  if (interlock_follows_lives) interlock_life_referenced(object, 1);
  REAL(object_call, dispatch_retain)(object);
}

INTERPOSED void dispatch_release(void *object) {
  if (is_explored_call(RETURNS_TO)) interlock_dispatch->ask_release(object, SITE);
  if (interlock_follows_lives) interlock_life_referenced(object, -1);
  REAL(object_call, dispatch_release)(object);
}

#endif
