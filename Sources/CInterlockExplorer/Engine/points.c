// Points: a logical thread declares its next operation, and the operations of its running step.
#include "../Dependency/enabledness.h"
#include "interlock_performer.h"
#include "../Memory/waiting_loops.h"

#ifdef INTERLOCK_INTERPOSES

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

void interlock_point(interlock_operation operation, interlock_readiness *is_ready, void *context,
                     uintptr_t place) {
  interlock_logical_thread *self = ENGINE.current;
  if (self->loop && operation.kind != INTERLOCK_OPERATION_YIELD) interlock_loop_has_step(self);
  if (self->initialisers) interlock_note_initialiser(operation);
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
      ENGINE.models->is_on_task_pool(self)) {
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
  if (self->timed_out) {
    operation.flags &= (uint16_t)~INTERLOCK_OPERATION_TIMED;
    operation.flags |= INTERLOCK_OPERATION_TRIED;
  }
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

/// True if the code that makes the call chooses when the operation happens: the user's code, or
/// Foundation at its first operation for a call of the user's code. Between two such calls, other
/// threads may use the same queue or operation. Foundation's own objects are left out: they are
/// caches, and a choice at each use of one would multiply the orders.
static bool is_choice(const interlock_operation *operation, uintptr_t returns_to, uintptr_t place) {
  interlock_logical_thread *self = ENGINE.current;
  interlock_caller_class class = interlock_class_of_caller(returns_to);
  if (class == INTERLOCK_CALLER_USER) self->library_call.place = 0;
  if (class != INTERLOCK_CALLER_LIBRARY) return class == INTERLOCK_CALLER_USER;
  if (operation->object == 0 || operation->object >= INTERLOCK_FIRST_LIBRARY_OBJECT ||
      self->initialisers || !interlock_is_users_place(place)) {
    return false;
  }
  // A loop may make the same call again. Then the call's first operation comes again.
  bool begins = self->library_call.place != place || self->library_call.first == returns_to;
  if (begins) {
    self->library_call.place = place;
    self->library_call.first = returns_to;
  }
  return begins;
}

void interlock_ask(interlock_operation operation, interlock_readiness *is_ready, void *context,
                   uintptr_t returns_to, uintptr_t place) {
  if (is_choice(&operation, returns_to, place)) {
    interlock_point(operation, is_ready, context, place);
  } else {
    interlock_wait(operation, is_ready, context, place);
  }
}

bool interlock_ask_until(interlock_operation operation, interlock_readiness *is_ready,
                         void *context, uint64_t due, uintptr_t returns_to, uintptr_t place) {
  return is_choice(&operation, returns_to, place)
             ? interlock_point_until(operation, is_ready, context, due, place)
             : interlock_wait_until(operation, is_ready, context, due, place);
}

void interlock_release(interlock_operation operation, uintptr_t returns_to, uintptr_t place) {
  if (interlock_is_known(INTERLOCK_FACT_TRIES) && interlock_is_choice(returns_to)) {
    interlock_point(operation, NULL, NULL, place);
  } else {
    interlock_did(operation);
  }
}

void interlock_yield(interlock_row_of_waits *row, uintptr_t place) {
  interlock_yield_begins(ENGINE.current, row);
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0), NULL, NULL, place);
}

void interlock_wait_for_time(uint64_t due, uintptr_t place) {
  interlock_logical_thread *self = ENGINE.current;
  interlock_time_wait_begins(self, due);
  interlock_name_call("sleep");
  interlock_point(interlock_time_up(0), NULL, NULL, place);
  self->waits_for_time = false;
  ENGINE.waiting_for_time--;
  if (due > ENGINE.now) ENGINE.now = due;
}

#endif
