// The beginning and the end of logical threads.
#include "logical_threads.h"

#ifdef INTERLOCK_INTERPOSES

#include <unistd.h>

#include "../Engine/engine.h"

#define ENGINE interlock_the_engine

interlock_logical_thread *interlock_spawn(void *(*function)(void *), void *argument,
                                          interlock_operation first, interlock_readiness *is_ready,
                                          void *context, interlock_thread_kind kind,
                                          uintptr_t place) {
  bool has_handle = kind != INTERLOCK_THREAD_UNNAMED;
  const char *too_many = has_handle ? interlock_too_many_threads() : NULL;
  if (too_many) interlock_perform_leave(too_many);
  if (ENGINE.current && ENGINE.current->initialisers) interlock_note_initialiser(first);
  interlock_marks.hidden++;
  interlock_logical_thread *thread = interlock_engine_add(first, place);
  thread->function = function;
  thread->argument = argument;
  thread->is_ready = is_ready;
  thread->context = context;
  thread->is_joinable = kind == INTERLOCK_THREAD_JOINABLE;
  if (ENGINE.options.follows_callers && place) {
    thread->caller = interlock_caller_of(place);
    thread->call_stack = interlock_call_stack(place);
  }
  if (has_handle && !interlock_thread_take_stack(thread)) {
    interlock_engine_remove(thread);
    thread = NULL;
  }
  interlock_marks.hidden--;
  return thread;
}

/// NULL if races in memory are not checked.
void interlock_memory_explored_thread_begins(uintptr_t low, uintptr_t top) __attribute__((weak));

/// Ends the thread in the running step, or in a step of its own if a try may find it not ended yet.
static void note_end(interlock_logical_thread *self) {
  interlock_operation ends = interlock_operation_of(INTERLOCK_OPERATION_END, self->object, 0);
  if (self->is_joinable && interlock_is_known(INTERLOCK_FACT_TRIES)) {
    interlock_point(ends, NULL, NULL, 0);
  } else {
    interlock_did(ends);
  }
}

static void end(interlock_logical_thread *self, void *result) {
  if (ENGINE.is_forked) _exit(0);
  interlock_run_destructors();
  interlock_marks.controlled = 0;
  self->result = result;
  note_end(self);
  if (self->number == 0) {
    ENGINE.body_has_ended = true;
    // After the end of the body, waits for a time no longer end, and waits on a condition no longer
    // end without a signal. Before it, both may.
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_CLOCK, 0, 0));
    if (ENGINE.may_go_on) {
      INTERLOCK_EACH_LIVE(thread) {
        uint32_t condition = thread->pending.other;
        if (!thread->may_go_on) continue;
        interlock_did(interlock_operation_of(INTERLOCK_OPERATION_BROADCAST, condition, 0));
      }
    }
    if (ENGINE.waiting_for_time) interlock_engine_look_at_all();
  }
  interlock_engine_remove(self);
  interlock_engine_go(self);
}

void interlock_logical_main(interlock_stack *stack) {
  interlock_logical_thread *self = stack->thread;
  self->is_begun = true;
  if (interlock_memory_explored_thread_begins) {
    interlock_memory_explored_thread_begins(stack->low, stack->top);
  }
  interlock_marks.controlled = 1;
  const interlock_exploration_options *options = &ENGINE.options;
  end(self, options->around
                ? options->around(options->around_context, self->function, self->argument)
                : self->function(self->argument));
}

void interlock_thread_exit(void *result) {
  interlock_logical_thread *self = ENGINE.current;
  if (interlock_stacks_are_os_threads()) {
    // The frames below are abandoned: this OS thread waits for its next turn for ever.
    interlock_run_destructors();
    interlock_marks.controlled = 0;
    self->result = result;
    note_end(self);
    self->is_joinable = true;
    interlock_engine_remove(self);
    self->has_ended = false;
    interlock_engine_go(self);
    __builtin_trap();
  }
  end(self, result);
  __builtin_trap();
}

#endif
