// Points: a logical thread declares its next operation, and the operations of its running step.
#include "../Dependency/enabledness.h"
#include "../Dispatch/items.h"
#include "waiting_loops.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>

#define ENGINE interlock_the_engine

/// NULL in a program without Swift Concurrency.
extern const char swift_task_getCurrent[] __attribute__((weak));

/// A library that polls reaches no choice. After `most_quiet` asks within a step, lets the thread
/// yield until another thread has taken a step, or no other can. Returns true if the thread
/// yielded.
static bool yields_after_polls(interlock_logical_thread *self, uintptr_t place) {
  enum { most_quiet = 200 };
  if (self->quiet_since != ENGINE.steps) {
    self->quiet_since = ENGINE.steps;
    self->quiet = 0;
  }
  if (++self->quiet < most_quiet) return false;
  self->yielded_at = ENGINE.steps;
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0),
                  interlock_engine_may_go_on_again, NULL, place);
  return true;
}

/// Returns the address that called the function in which `place` lies, from the frame pointers of
/// this stack; 0 if they do not tell.
uintptr_t interlock_caller_of(uintptr_t place) {
  enum { most_frames = 12, farthest = 4096 };
  const uintptr_t *frame = __builtin_frame_address(0);
  for (int count = 0; place && count < most_frames; count++) {
    const uintptr_t *next = (const uintptr_t *)frame[0];
    bool is_near = next > frame && (uintptr_t)next - (uintptr_t)frame < farthest &&
                   (uintptr_t)next % sizeof *next == 0;
    if (!is_near) return 0;
    if (frame[1] == place) return next[1];
    frame = next;
  }
  return 0;
}

void interlock_name_call(const char *name) { ENGINE.current->call = name; }

void interlock_call_turned_out(const char *name) {
  char *call = ENGINE.trace.items[ENGINE.trace.count - 1].call;
  snprintf(call, INTERLOCK_CALL_BYTES, "%s", name);
}

void interlock_point(interlock_operation operation, interlock_readiness *is_ready, void *context,
                     uintptr_t place) {
  interlock_logical_thread *self = ENGINE.current;
  if (self->loop && operation.kind != INTERLOCK_OPERATION_YIELD) interlock_loop_has_step(self);
  self->pending = operation;
  ENGINE.pending.items[self->number] = operation;
  self->is_ready = is_ready;
  self->context = context;
  interlock_engine_look_at(self);
  self->place = place;
  self->caller = 0;
  self->call_stack = 0;
  if (ENGINE.options.follows_callers) {
    self->caller = interlock_caller_of(place);
    if (place) self->call_stack = interlock_call_stack(place);
    uintptr_t actor, task = swift_task_getCurrent ? interlock_running_task(&actor) : 0;
    if (task) {
      const interlock_object *known = interlock_object_known((const void *)task);
      self->task = known ? known->number : 0;
    }
  }
  if (is_ready && interlock_operation_holds_thread(&operation) && !is_ready(self, context) &&
      interlock_model_is_on_task_pool(self)) {
    ENGINE.result->tasks_block = true;
  }
  interlock_engine_go(self);
  ENGINE.asked = 0;
}

void interlock_point_announced(interlock_operation operation, interlock_readiness *is_ready,
                               void *context, uintptr_t place) {
  ENGINE.current->is_announced = true;
  interlock_point(operation, is_ready, context, place);
}

void interlock_announce(interlock_logical_thread *thread) { interlock_engine_look_at(thread); }

void interlock_point_unless(interlock_operation operation, interlock_readiness *is_ready,
                            interlock_readiness *may_go_on, void *context, uintptr_t place) {
  interlock_logical_thread *self = ENGINE.current;
  self->may_go_on = may_go_on;
  ENGINE.may_go_on++;
  interlock_point(operation, is_ready, context, place);
  ENGINE.may_go_on--;
  self->may_go_on = NULL;
}

static void reach_limit(void *context) {
  interlock_logical_thread *thread = context;
  thread->timed_out = true;
  thread->limit = NULL;
  interlock_time_inherit(thread);
}

static bool point_until(interlock_operation operation, interlock_readiness *is_ready, void *context,
                        uint64_t due, bool comes_last, uintptr_t place) {
  interlock_logical_thread *self = ENGINE.current;
  if (due == INTERLOCK_NEVER) {
    interlock_point(operation, is_ready, context, place);
    return true;
  }
  self->timed_out = interlock_is_due(due);
  if (!self->timed_out) {
    self->limit = interlock_timer_start(due, reach_limit, self, operation.object, place);
    if (comes_last) interlock_timer_come_last(self->limit);
  }
  interlock_point(operation, is_ready, context, place);
  interlock_timer_cancel(self->limit);
  self->limit = NULL;
  bool has_it = !self->timed_out || !is_ready || is_ready(self, context);
  self->timed_out = false;
  return has_it;
}

bool interlock_point_until(interlock_operation operation, interlock_readiness *is_ready,
                           void *context, uint64_t due, uintptr_t place) {
  return point_until(operation, is_ready, context, due, false, place);
}

bool interlock_point_until_last(interlock_operation operation, interlock_readiness *is_ready,
                                void *context, uint64_t due, uintptr_t place) {
  return point_until(operation, is_ready, context, due, true, place);
}

void interlock_wait(interlock_operation operation, interlock_readiness *is_ready, void *context,
                    uintptr_t place) {
  if (!is_ready || is_ready(ENGINE.current, context)) {
    if (yields_after_polls(ENGINE.current, place)) {
      interlock_wait(operation, is_ready, context, place);
      return;
    }
    ENGINE.asked = ENGINE.performed.count;
    interlock_did(operation);
  } else {
    interlock_point(operation, is_ready, context, place);
  }
}

bool interlock_wait_until(interlock_operation operation, interlock_readiness *is_ready,
                          void *context, uint64_t due, uintptr_t place) {
  if (!is_ready || is_ready(ENGINE.current, context)) {
    if (yields_after_polls(ENGINE.current, place)) {
      return interlock_wait_until(operation, is_ready, context, due, place);
    }
    ENGINE.asked = ENGINE.performed.count;
    interlock_did(operation);
    return true;
  }
  return interlock_point_until(operation, is_ready, context, due, place);
}

void interlock_ask(interlock_operation operation, interlock_readiness *is_ready, void *context,
                   uintptr_t returns_to, uintptr_t place) {
  if (interlock_is_choice(returns_to)) {
    interlock_point(operation, is_ready, context, place);
  } else {
    interlock_wait(operation, is_ready, context, place);
  }
}

bool interlock_ask_until(interlock_operation operation, interlock_readiness *is_ready,
                         void *context, uint64_t due, uintptr_t returns_to, uintptr_t place) {
  return interlock_is_choice(returns_to)
             ? interlock_point_until(operation, is_ready, context, due, place)
             : interlock_wait_until(operation, is_ready, context, due, place);
}

void interlock_learn(interlock_exploration_fact fact) {
  if (interlock_is_known(fact)) return;
  ENGINE.result->facts |= fact;
  // Warm-up executions may learn facts without a restart. For the order of sections the caller must
  // act, so the exploration ends.
  bool needs_caller = fact == INTERLOCK_FACT_SECTIONS;
  // A new process finds no state that earlier executions have left behind.
  if (fact == INTERLOCK_FACT_KEEPS_STATE) {
    if (ENGINE.is_child) ENGINE.result->must_begin_anew = true;
    return;
  }
  if (!ENGINE.is_warming_up || needs_caller) ENGINE.result->must_begin_anew = true;
}

bool interlock_is_known(interlock_exploration_fact fact) { return ENGINE.result->facts & fact; }

void interlock_note_task_threads(uint32_t count) {
  if (count > ENGINE.result->most_task_threads) ENGINE.result->most_task_threads = count;
}

void interlock_note_full_pool(void) { ENGINE.result->blocks_fill_pool = true; }

void interlock_note_try(void) { interlock_learn(INTERLOCK_FACT_TRIES); }

void interlock_release(interlock_operation operation, uintptr_t returns_to, uintptr_t place) {
  if (interlock_is_known(INTERLOCK_FACT_TRIES) && interlock_is_choice(returns_to)) {
    interlock_point(operation, NULL, NULL, place);
  } else {
    interlock_did(operation);
  }
}

static bool is_signal(const interlock_operation *operation) {
  switch (operation->kind) {
    case INTERLOCK_OPERATION_SIGNAL:
    case INTERLOCK_OPERATION_BROADCAST:
    case INTERLOCK_OPERATION_SEMAPHORE_SIGNAL:
    case INTERLOCK_OPERATION_CONTINUATION_RESUME: return true;
    default: return false;
  }
}

void interlock_did(interlock_operation operation) {
  if (ENGINE.current && ENGINE.current->loop) interlock_loop_has_step(ENGINE.current);
  INTERLOCK_PUSH(&ENGINE.performed, operation);
  if (ENGINE.trace.count && is_signal(&operation)) {
    ENGINE.trace.items[ENGINE.trace.count - 1].signals = true;
  }
}

void interlock_turned_out(interlock_operation operation) {
  ENGINE.performed.items[ENGINE.asked] = operation;
  if (ENGINE.asked == 0) ENGINE.trace.items[ENGINE.trace.count - 1].operation = operation;
}

static uint32_t pick_of(interlock_strategy *strategy, uint32_t count, uint64_t useful) {
  bool is_asked = strategy->pick_useful && useful != UINT64_MAX;
  return is_asked ? strategy->pick_useful(strategy, count, useful)
                  : strategy->pick(strategy, count);
}

uint32_t interlock_pick_useful(uint32_t count, uint64_t useful) {
  if (count <= 1 || ENGINE.is_warming_up) return 0;
  if (ENGINE.is_cut) {
    interlock_engine_note_choice(0);
    return 0;
  }
  if (ENGINE.is_repeating) {
    if (ENGINE.next_repeated == ENGINE.repeated.count) return 0;
    uint32_t repeated = ENGINE.repeated.items[ENGINE.next_repeated++];
    return repeated < count ? repeated : 0;
  }
  interlock_marks.hidden++;
  uint32_t picked = pick_of(ENGINE.strategy, count, useful);
  if (picked >= count) picked = 0;
  interlock_engine_note_choice(picked);
  ENGINE.choice_count++;
  interlock_marks.hidden--;
  return picked;
}

uint32_t interlock_pick(uint32_t count) { return interlock_pick_useful(count, UINT64_MAX); }

#endif
