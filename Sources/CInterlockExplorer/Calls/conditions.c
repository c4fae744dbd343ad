// Conditions. A wait is two operations: the thread releases the mutex and joins the waiters; after
// a signal or its time limit it acquires the mutex again. A signal wakes any of the waiters, as the
// strategy picks.
//
// POSIX lets a wait end without a signal. The explorer chooses this at most once for each thread,
// condition and call site, because a loop around a wait would have endless executions. A state in
// which threads could continue only in this way is still a deadlock.
#include "../Engine/engine.h"
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

typedef int mutex_call(pthread_mutex_t *);
typedef int condition_call(pthread_cond_t *);

typedef struct waiter {
  struct waiter *next, *previous;
  interlock_object *condition;
  interlock_logical_thread *thread;
  pthread_mutex_t *mutex;
  bool is_woken, is_late;
} waiter;

/// A thread that has woken without a signal, and the call site of its wait. The list is the `state`
/// of the condition's object.
typedef struct woken_thread {
  struct woken_thread *next;
  const interlock_logical_thread *thread;
  uintptr_t place;
} woken_thread;

static bool has_woken_by_itself(const interlock_object *condition,
                                const interlock_logical_thread *thread, uintptr_t place) {
  const woken_thread *woken = condition->state;
  while (woken && (woken->thread != thread || woken->place != place)) woken = woken->next;
  return woken != NULL;
}

static void add(waiter *waiter) {
  interlock_object *condition = waiter->condition;
  waiter->previous = condition->last;
  if (waiter->previous) {
    waiter->previous->next = waiter;
  } else {
    condition->first = waiter;
  }
  condition->last = waiter;
  condition->value++;
}

static void take_off(waiter *waiter) {
  interlock_object *condition = waiter->condition;
  if (waiter->previous) {
    waiter->previous->next = waiter->next;
  } else {
    condition->first = waiter->next;
  }
  if (waiter->next) {
    waiter->next->previous = waiter->previous;
  } else {
    condition->last = waiter->previous;
  }
  condition->value--;
}

static bool can_go_on(interlock_logical_thread *thread, void *context) {
  const waiter *own = context;
  return (own->is_woken || own->is_late) && interlock_mutex_is_free(thread, own->mutex);
}

static bool may_wake_by_itself(interlock_logical_thread *thread, void *context) {
  return interlock_mutex_is_free(thread, ((const waiter *)context)->mutex);
}

static void wake_by_itself(waiter *own, uintptr_t place) {
  woken_thread *woken = interlock_execution_memory(sizeof *woken);
  *woken = (woken_thread){own->condition->state, own->thread, place};
  own->condition->state = woken;
  take_off(own);
  interlock_call_turned_out("wakes without a signal");
}

/// The waiter leaves the list, so that a later signal wakes another thread.
static void reach_limit(void *context) {
  waiter *own = context;
  if (own->is_woken) return;
  own->is_late = true;
  interlock_time_inherit(own->thread);
  take_off(own);
}

int interlock_perform_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                     clockid_t clock, const struct timespec *end,
                                     interlock_site site) {
  interlock_object *object = interlock_object_for(condition, site.returns_to);
  interlock_object *lock = interlock_object_for(mutex, site.returns_to);
  interlock_ask(interlock_operation_of(INTERLOCK_OPERATION_WAIT, object->number, lock->number),
                NULL, NULL, site.returns_to, site.place);
  waiter *own = interlock_execution_memory(sizeof *own);
  own->condition = object;
  own->thread = interlock_current_thread();
  own->mutex = mutex;
  add(own);
  int result = INTERLOCK_REAL(mutex_call, pthread_mutex_unlock)(mutex);
  if (result != 0) {
    take_off(own);
    return result;
  }
  interlock_operation again =
      interlock_operation_of(INTERLOCK_OPERATION_LOCK, lock->number, object->number);
  uint64_t due = interlock_due(clock, end);
  interlock_logical_thread *timer = NULL;
  if (due != INTERLOCK_NEVER) {
    interlock_note_try();
    again.flags |= INTERLOCK_OPERATION_TIMED;
    timer = interlock_timer_start(due, reach_limit, own, object->number, site.place);
  }
  // Foundation's own loops around a wait are known to be right: do not wake them without a signal.
  bool may_wake = interlock_is_choice(site.returns_to) &&
                  !interlock_events_is_foundation(site.returns_to);
  if (may_wake && has_woken_by_itself(object, own->thread, site.place)) {
    if (!interlock_the_engine.is_warming_up) interlock_the_engine.result->bounds_wake_ups = true;
    may_wake = false;
  }
  if (may_wake) {
    again.flags |= INTERLOCK_OPERATION_NEEDS_NO_SIGNAL;
    interlock_point_unless(again, can_go_on, may_wake_by_itself, own, site.place);
  } else {
    interlock_point(again, can_go_on, own, site.place);
  }
  if (!own->is_woken && !own->is_late) wake_by_itself(own, site.place);
  interlock_timer_cancel(timer);
  while (interlock_try_mutex(mutex) == EBUSY) {
    interlock_wait(again, interlock_mutex_is_free, mutex, site.place);
  }
  return own->is_late ? ETIMEDOUT : 0;
}

static void wake(waiter *woken) {
  woken->is_woken = true;
  take_off(woken);
}

int interlock_perform_condition_wake(pthread_cond_t *condition, bool all, interlock_site site) {
  interlock_object *object = interlock_object_for(condition, site.returns_to);
  interlock_operation operation = interlock_operation_of(
      all ? INTERLOCK_OPERATION_BROADCAST : INTERLOCK_OPERATION_SIGNAL, object->number, 0);
  interlock_ask(operation, NULL, NULL, site.returns_to, site.place);
  if (all) {
    while (object->first) wake(object->first);
    return INTERLOCK_REAL(condition_call, pthread_cond_broadcast)(condition);
  }
  if (object->first) {
    waiter *woken = object->first;
    for (uint32_t picked = interlock_pick((uint32_t)object->value); picked > 0; picked--) {
      woken = woken->next;
    }
    wake(woken);
    operation.other = 1 + woken->thread->number;
    interlock_turned_out(operation);
    return 0;
  }
  return INTERLOCK_REAL(condition_call, pthread_cond_signal)(condition);
}

#endif
