// Which threads and timers can take the next step.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#define ENGINE interlock_the_engine

/// True if a timer that is not due yet may fire while threads can run.
bool interlock_engine_fires_early(const interlock_logical_thread *timer) {
  switch (ENGINE.options.time) {
    case INTERLOCK_TIME_WHEN_IDLE: return false;
    case INTERLOCK_TIME_IS_CHOICE: return true;
    case INTERLOCK_TIME_LIMITS_ARE_CHOICES: return timer->is_choice;
  }
  return false;
}

static bool can_go_on(interlock_logical_thread *thread) {
  return !thread->is_ready || thread->timed_out || thread->is_ready(thread, thread->context);
}

/// True if another thread has taken a step since this one yielded.
bool interlock_engine_may_go_on_again(interlock_logical_thread *thread, void *context) {
  (void)context;
  return ENGINE.steps != thread->yielded_at;
}

void interlock_engine_list_yielded(void) {
  for (size_t index = 0; index < ENGINE.live.count; index++) {
    interlock_logical_thread *thread = ENGINE.live.items[index];
    if (thread->is_ready == interlock_engine_may_go_on_again)
      INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
  }
}

/// Lists what can take the next step. Timers fire in the order of their times: of those that are
/// not due, only the next ones can, each of them first if several have the same time.
void interlock_engine_find_enabled(void) {
  ENGINE.enabled.count = 0;
  if (ENGINE.timers == 0) {
    for (size_t index = 0; index < ENGINE.live.count; index++) {
      interlock_logical_thread *thread = ENGINE.live.items[index];
      if (can_go_on(thread)) INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
    }
    return;
  }
  uint64_t next = INTERLOCK_NEVER;
  bool is_idle = true;
  for (size_t index = 0; index < ENGINE.live.count; index++) {
    interlock_logical_thread *thread = ENGINE.live.items[index];
    thread->can_go_on = thread->fire ? thread->due <= ENGINE.now : can_go_on(thread);
    if (thread->can_go_on) is_idle = false;
    if (thread->fire && !thread->can_go_on && thread->due < next) next = thread->due;
  }
  // Once the body has ended, what its timers would do is of no account.
  if (is_idle && ENGINE.body_has_ended) return;
  for (size_t index = 0; index < ENGINE.live.count; index++) {
    interlock_logical_thread *thread = ENGINE.live.items[index];
    bool is_next = thread->fire && thread->due == next && next != INTERLOCK_NEVER;
    if (thread->can_go_on || (is_next && (is_idle || interlock_engine_fires_early(thread)))) {
      INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
    }
  }
}

#endif
