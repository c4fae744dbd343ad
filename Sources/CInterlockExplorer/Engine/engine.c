// Points: where a logical thread declares what it does next, and the strategy chooses who goes on.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

interlock_engine interlock_the_engine;
#define ENGINE interlock_the_engine

void *interlock_grow(void *items, size_t *room, size_t size) {
  *room = *room ? *room * 2 : 64;
  void *grown = realloc(items, *room * size);
  if (grown) return grown;
  static const char line[] = "interlock: no memory is left for the exploration\n";
  if (write(STDERR_FILENO, line, sizeof line - 1) < 0) abort();
  abort();
}

interlock_logical_thread *interlock_current_thread(void) { return ENGINE.current; }

const interlock_exploration_options *interlock_exploration_asked(void) { return &ENGINE.options; }

// What is enabled.

/// Whether a timer that is not due yet may fire while threads can go on.
static bool may_fire_early(const interlock_logical_thread *timer) {
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

/// No other thread has taken a step since it gave way.
static bool may_go_on_again(interlock_logical_thread *thread, void *context) {
  (void)context;
  return ENGINE.steps != thread->gave_way_at;
}

/// A library that polls reaches no choice: after `most_quiet` asks within a step its thread yields,
/// and continues once another thread has taken a step, or none can. Returns true if it yielded.
static bool gives_way(interlock_logical_thread *self, uintptr_t place) {
  enum { most_quiet = 200 };
  if (self->quiet_since != ENGINE.steps) {
    self->quiet_since = ENGINE.steps;
    self->quiet = 0;
  }
  if (++self->quiet < most_quiet) return false;
  self->gave_way_at = ENGINE.steps;
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0), may_go_on_again, NULL,
                  place);
  return true;
}

static void list_those_that_gave_way(void) {
  for (size_t index = 0; index < ENGINE.live.count; index++) {
    interlock_logical_thread *thread = ENGINE.live.items[index];
    if (thread->is_ready == may_go_on_again) INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
  }
}

/// Lists what can take the next step. Timers fire in the order of their times: of those that are
/// not due, only the next ones can, each of them first if several have the same time.
static void find_enabled(void) {
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
    if (thread->can_go_on || (is_next && (is_idle || may_fire_early(thread)))) {
      INTERLOCK_PUSH(&ENGINE.enabled, thread->number);
    }
  }
}

/// Gives the strategy what the last step did.
static void tell_step(void) {
  if (ENGINE.stepping < 0) return;
  uint32_t thread = (uint32_t)ENGINE.stepping;
  // FNV-1a over the words.
  uint64_t hash = ENGINE.hash;
  const uint64_t prime = 0x100000001b3;
  // Of the points only: what a library does on the way may differ in the first execution.
  const interlock_operation *operation = &ENGINE.performed.items[0];
  hash = (hash ^ thread) * prime;
  hash = (hash ^ (operation->kind | (uint32_t)operation->flags << 16)) * prime;
  hash = (hash ^ (operation->object | (uint64_t)operation->other << 32)) * prime;
  ENGINE.hash = hash;
  if (!ENGINE.is_warming_up && !ENGINE.is_repeating) {
    ENGINE.strategy->performed(ENGINE.strategy, thread, ENGINE.performed.items,
                               ENGINE.performed.count);
  }
  ENGINE.stepping = -1;
}

interlock_exploration_state interlock_engine_state(int32_t last) {
  return (interlock_exploration_state){.threads = (uint32_t)ENGINE.threads.count,
                                       .pending = ENGINE.pending.items,
                                       .enabled = ENGINE.enabled.items,
                                       .enabled_count = (uint32_t)ENGINE.enabled.count,
                                       .current = last};
}

void interlock_engine_note_choice(uint32_t choice) {
  INTERLOCK_PUSH(&ENGINE.choices, choice);
  if (ENGINE.shown_choices) *ENGINE.shown_choices = ENGINE.choices.count;
}

void interlock_engine_note_step(interlock_exploration_step step) {
  INTERLOCK_PUSH(&ENGINE.trace, step);
  if (ENGINE.shown_steps) *ENGINE.shown_steps = ENGINE.trace.count;
}

/// Says which thread takes the next step; -1 if the execution is cut off.
static int32_t choose(int32_t last) {
  if (ENGINE.is_warming_up) {
    // The thread of the last step goes on while it can.
    for (size_t index = 0; index < ENGINE.enabled.count; index++) {
      if ((int32_t)ENGINE.enabled.items[index] == last) return last;
    }
    return (int32_t)ENGINE.enabled.items[0];
  }
  if (ENGINE.is_repeating) {
    if (ENGINE.enabled.count == 1) return (int32_t)ENGINE.enabled.items[0];
    if (ENGINE.next_repeated == ENGINE.repeated.count) return -1;
    return (int32_t)ENGINE.repeated.items[ENGINE.next_repeated++];
  }
  interlock_exploration_state state = interlock_engine_state(last);
  int32_t chosen = ENGINE.strategy->choose(ENGINE.strategy, &state);
  if (chosen < 0) return -1;
  if (ENGINE.enabled.count > 1) {
    ENGINE.choice_count++;
    interlock_engine_note_choice((uint32_t)chosen);
  }
  return chosen;
}

static bool is_enabled(uint32_t number) {
  for (size_t index = 0; index < ENGINE.enabled.count; index++) {
    if (ENGINE.enabled.items[index] == number) return true;
  }
  return false;
}

/// What the engine cannot see may still let a thread go on: looks again for a while of real time.
static void wait_for_outside(void) {
  const struct timespec pause = {0, 1000000};
  for (int tries = 0; tries < 500 && ENGINE.enabled.count == 0; tries++) {
    nanosleep(&pause, NULL);
    find_enabled();
  }
}

/// The next thread to run; timers fire here. NULL if the execution is over.
static interlock_logical_thread *next_thread(void) {
  int32_t last = ENGINE.stepping;
  for (;;) {
    tell_step();
    find_enabled();
    if (ENGINE.enabled.count == 0) list_those_that_gave_way();
    if (ENGINE.enabled.count == 0 && !ENGINE.body_has_ended &&
        (ENGINE.has_escaped || interlock_waits_for_outside())) {
      wait_for_outside();
    }
    if (ENGINE.enabled.count == 0) {
      if (!ENGINE.body_has_ended) interlock_engine_deadlock();
      return NULL;
    }
    if (++ENGINE.steps > ENGINE.options.steps) {
      interlock_execution_fail(INTERLOCK_EXPLORED_LIVELOCK,
                               "the execution reached the limit of steps");
      ENGINE.is_limited = true;
      return NULL;
    }
    int32_t chosen = choose(last);
    if (chosen < 0) {
      ENGINE.is_cut = true;
      return NULL;
    }
    if (!is_enabled((uint32_t)chosen)) {
      interlock_execution_fail(INTERLOCK_EXPLORED_NOT_DETERMINISTIC,
                               "the strategy chose a thread that cannot go on");
      return NULL;
    }
    interlock_logical_thread *thread = ENGINE.threads.items[chosen];
    interlock_engine_note_step(
        (interlock_exploration_step){.thread = (uint32_t)chosen,
                                     .enabled = (uint32_t)ENGINE.enabled.count,
                                     .operation = thread->pending,
                                     .place = thread->place});
    ENGINE.stepping = chosen;
    ENGINE.performed.count = 0;
    INTERLOCK_PUSH(&ENGINE.performed, thread->pending);
    if (!thread->fire) return thread;
    if (thread->due > ENGINE.now) ENGINE.now = thread->due;
    ENGINE.current = thread;
    interlock_engine_remove(thread);
    thread->fire(thread->context);
    last = chosen;
  }
}

void interlock_engine_go(interlock_logical_thread *self) {
  int saved = errno;
  interlock_marks.hidden++;
  interlock_stack *from = self->stack;
  interlock_logical_thread *next = next_thread();
  if (next == self) {
    ENGINE.current = self;
    interlock_marks.hidden--;
    errno = saved;
    return;
  }
  if (next) {
    ENGINE.current = next;
    ENGINE.switches++;
  }
  interlock_stack *to = next ? next->stack : &ENGINE.controller;
  // Not even the first thread was chosen.
  if (to == from) {
    interlock_marks.hidden--;
    return;
  }
  if (self->has_ended) {
    interlock_marks.hidden--;
    // Of a joinable thread its stack is its name: another may not have it before the join.
    if (!self->is_joinable) interlock_stack_give(from);
    interlock_switch_away(from, to);
    return;
  }
  interlock_switch(from, to);
  interlock_marks.hidden--;
  errno = saved;
}

void interlock_engine_leave(void) {
  interlock_logical_thread *self = ENGINE.current;
  interlock_marks.hidden++;
  // The stack of the running thread, also where a timer fires on it.
  interlock_stack *from = self->stack;
  if (!from) {
    for (size_t index = 0; index < ENGINE.threads.count && !from; index++) {
      interlock_stack *stack = ENGINE.threads.items[index]->stack;
      uintptr_t here = (uintptr_t)__builtin_frame_address(0);
      if (stack && here - stack->low < stack->size) from = stack;
    }
  }
  static interlock_stack nowhere;
  interlock_switch(from ? from : &nowhere, &ENGINE.controller);
  __builtin_trap();
}

// Points.

void interlock_point(interlock_operation operation, interlock_readiness *is_ready, void *context,
                     uintptr_t place) {
  interlock_logical_thread *self = ENGINE.current;
  self->pending = operation;
  ENGINE.pending.items[self->number] = operation;
  self->is_ready = is_ready;
  self->context = context;
  self->place = place;
  interlock_engine_go(self);
  ENGINE.asked = 0;
}

static void reach_limit(void *context) {
  interlock_logical_thread *thread = context;
  thread->timed_out = true;
  thread->limit = NULL;
}

bool interlock_point_until(interlock_operation operation, interlock_readiness *is_ready,
                           void *context, uint64_t due, uintptr_t place) {
  interlock_logical_thread *self = ENGINE.current;
  if (due == INTERLOCK_NEVER) {
    interlock_point(operation, is_ready, context, place);
    return true;
  }
  self->timed_out = due <= ENGINE.now;
  if (!self->timed_out) {
    self->limit = interlock_timer_start(due, true, reach_limit, self, operation.object, place);
  }
  interlock_point(operation, is_ready, context, place);
  interlock_timer_cancel(self->limit);
  self->limit = NULL;
  bool has_it = !self->timed_out || !is_ready || is_ready(self, context);
  self->timed_out = false;
  return has_it;
}

void interlock_wait(interlock_operation operation, interlock_readiness *is_ready, void *context,
                    uintptr_t place) {
  if (!is_ready || is_ready(ENGINE.current, context)) {
    if (gives_way(ENGINE.current, place))
      return interlock_wait(operation, is_ready, context, place);
    ENGINE.asked = ENGINE.performed.count;
    interlock_did(operation);
  } else {
    interlock_point(operation, is_ready, context, place);
  }
}

bool interlock_wait_until(interlock_operation operation, interlock_readiness *is_ready,
                          void *context, uint64_t due, uintptr_t place) {
  if (!is_ready || is_ready(ENGINE.current, context)) {
    if (gives_way(ENGINE.current, place)) {
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
  // The executions that come before the counted ones are there to learn.
  if (!ENGINE.is_warming_up) ENGINE.result->must_begin_anew = true;
}

bool interlock_is_known(interlock_exploration_fact fact) { return ENGINE.result->facts & fact; }

void interlock_note_try(void) { interlock_learn(INTERLOCK_FACT_TRIES); }

void interlock_release(interlock_operation operation, uintptr_t returns_to, uintptr_t place) {
  if (interlock_is_known(INTERLOCK_FACT_TRIES) && interlock_is_choice(returns_to)) {
    interlock_point(operation, NULL, NULL, place);
  } else {
    interlock_did(operation);
  }
}

void interlock_did(interlock_operation operation) { INTERLOCK_PUSH(&ENGINE.performed, operation); }

void interlock_turned_out(interlock_operation operation) {
  ENGINE.performed.items[ENGINE.asked] = operation;
  if (ENGINE.asked == 0) ENGINE.trace.items[ENGINE.trace.count - 1].operation = operation;
}

uint32_t interlock_pick(uint32_t count) {
  if (count <= 1 || ENGINE.is_warming_up) return 0;
  if (ENGINE.is_repeating) {
    if (ENGINE.next_repeated == ENGINE.repeated.count) return 0;
    uint32_t repeated = ENGINE.repeated.items[ENGINE.next_repeated++];
    return repeated < count ? repeated : 0;
  }
  interlock_marks.hidden++;
  uint32_t picked = ENGINE.strategy->pick(ENGINE.strategy, count);
  if (picked >= count) picked = 0;
  interlock_engine_note_choice(picked);
  ENGINE.choice_count++;
  interlock_marks.hidden--;
  return picked;
}

// Threads and timers.

interlock_logical_thread *interlock_engine_add(interlock_operation first, uintptr_t place) {
  interlock_logical_thread *thread = interlock_execution_memory(sizeof *thread);
  thread->number = (uint32_t)ENGINE.threads.count;
  thread->object = interlock_object_number();
  if (first.object == 0) first.object = thread->object;
  thread->pending = first;
  thread->place = place;
  INTERLOCK_PUSH(&ENGINE.threads, thread);
  INTERLOCK_PUSH(&ENGINE.pending, first);
  INTERLOCK_PUSH(&ENGINE.live, thread);
  return thread;
}

void interlock_engine_remove(interlock_logical_thread *thread) {
  thread->has_ended = true;
  if (thread->fire) ENGINE.timers--;
  ENGINE.pending.items[thread->number] = (interlock_operation){0};
  size_t index = ENGINE.live.count;
  while (index > 0 && ENGINE.live.items[index - 1] != thread) index--;
  if (index == 0) return;
  memmove(&ENGINE.live.items[index - 1], &ENGINE.live.items[index],
          (ENGINE.live.count - index) * sizeof *ENGINE.live.items);
  ENGINE.live.count--;
}

interlock_logical_thread *interlock_timer_start(uint64_t due, bool is_limit, void (*fire)(void *),
                                                void *context, uint32_t object, uintptr_t place) {
  interlock_operation time_up = interlock_operation_of(INTERLOCK_OPERATION_TIME_UP, 0, object);
  interlock_marks.hidden++;
  interlock_logical_thread *timer = interlock_engine_add(time_up, place);
  interlock_marks.hidden--;
  timer->fire = fire;
  timer->context = context;
  timer->due = due;
  timer->is_choice = is_limit;
  if (may_fire_early(timer)) {
    timer->pending.flags |= INTERLOCK_OPERATION_TIME_IS_A_CHOICE;
    ENGINE.pending.items[timer->number] = timer->pending;
  }
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_CLOCK, 0, 0));
  ENGINE.timers++;
  return timer;
}

void interlock_timer_cancel(interlock_logical_thread *timer) {
  if (!timer || timer->has_ended) return;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_CLOCK, 0, 0));
  interlock_engine_remove(timer);
}

uint64_t interlock_virtual_now(void) { return ENGINE.now; }
/// 14 November 2023: any fixed date, so that executions agree.
int64_t interlock_virtual_epoch(void) { return 1700000000000000000; }

#endif
