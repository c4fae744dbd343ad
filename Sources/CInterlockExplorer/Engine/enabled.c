// Which threads and timers can take the next step.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#define ENGINE interlock_the_engine

bool interlock_engine_can_go_on(interlock_logical_thread *thread) {
  return !thread->is_ready || thread->timed_out || thread->is_ready(thread, thread->context);
}

/// True if another thread has taken a step since this one yielded.
bool interlock_engine_may_go_on_again(interlock_logical_thread *thread, void *context) {
  (void)context;
  return ENGINE.steps != thread->yielded_at;
}

/// Returns the thread or timer that was held back and took its last step longest ago; NULL for
/// none. It waits for a time again and again.
static interlock_logical_thread *longest_held_back(void) {
  interlock_logical_thread *longest = NULL;
  if (interlock_time_is_exact() || ENGINE.body_has_ended) return NULL;
  for (size_t index = 0; index < ENGINE.live.count; index++) {
    interlock_logical_thread *thread = ENGINE.live.items[index];
    if (!thread->waits_for_time) continue;
    if (!longest || thread->last_step < longest->last_step) longest = thread;
  }
  return longest;
}

void interlock_engine_list_yielded(void) {
  for (size_t index = 0; index < ENGINE.live.count; index++) {
    interlock_logical_thread *thread = ENGINE.live.items[index];
    if (thread->is_ready == interlock_engine_may_go_on_again)
      INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
  }
  interlock_logical_thread *held_back = ENGINE.enabled.count ? NULL : longest_held_back();
  if (held_back) INTERLOCK_PUSH(&ENGINE.enabled, held_back->number);
}

/// True if the time has come that a timer or a sleeping thread waits for. Once the body has ended,
/// neither continues.
static bool is_time_up(const interlock_logical_thread *thread, bool *is_held_back) {
  if (ENGINE.body_has_ended) return false;
  if (interlock_time_is_exact()) return thread->due <= ENGINE.now;
  bool may_pass = interlock_time_may_pass(thread);
  *is_held_back |= !may_pass;
  return may_pass;
}

static bool may_go_on(interlock_logical_thread *thread) {
  return thread->may_go_on && thread->may_go_on(thread, thread->context);
}

/// Lists, besides, the threads that may continue without being ready. The list stays in ascending
/// order.
static void add_those_that_may(void) {
  size_t ready = 0;
  ENGINE.ready.count = 0;
  for (size_t index = 0; index < ENGINE.enabled.count; index++) {
    INTERLOCK_PUSH(&ENGINE.ready, ENGINE.enabled.items[index]);
  }
  ENGINE.enabled.count = 0;
  for (size_t index = 0; index < ENGINE.live.count; index++) {
    interlock_logical_thread *thread = ENGINE.live.items[index];
    bool is_ready = ready < ENGINE.ready.count && ENGINE.ready.items[ready] == thread->number;
    ready += is_ready;
    if (is_ready || may_go_on(thread)) INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
  }
}

/// Lists the threads that can perform their operations. Exact times come in their order: of those
/// that are not due, only the next ones can, each of them first if several are equal.
static void find_ready(void) {
  ENGINE.enabled.count = 0;
  if (ENGINE.waiting_for_time == 0) {
    for (size_t index = 0; index < ENGINE.live.count; index++) {
      interlock_logical_thread *thread = ENGINE.live.items[index];
      if (interlock_engine_can_go_on(thread)) INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
    }
    return;
  }
  uint64_t next = INTERLOCK_NEVER;
  bool is_held_back = false;
  for (size_t index = 0; index < ENGINE.live.count; index++) {
    interlock_logical_thread *thread = ENGINE.live.items[index];
    if (thread->waits_for_time ? is_time_up(thread, &is_held_back)
                               : interlock_engine_can_go_on(thread)) {
      INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
    } else if (thread->waits_for_time && thread->due < next) {
      next = thread->due;
    }
  }
  if (is_held_back && ENGINE.enabled.count && !ENGINE.is_warming_up) {
    ENGINE.result->bounds_sleeps = true;
  }
  if (ENGINE.enabled.count || ENGINE.body_has_ended || !interlock_time_is_exact()) return;
  for (size_t index = 0; index < ENGINE.live.count; index++) {
    interlock_logical_thread *thread = ENGINE.live.items[index];
    if (thread->waits_for_time && thread->due == next) {
      INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
    }
  }
}

void interlock_engine_find_enabled(void) {
  find_ready();
  if (ENGINE.may_go_on && ENGINE.enabled.count && !ENGINE.is_warming_up) add_those_that_may();
}

#endif
