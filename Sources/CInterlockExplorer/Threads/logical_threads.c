// Logical threads: their begin and their end.
#include "logical_threads.h"

#ifdef INTERLOCK_INTERPOSES

#include <unistd.h>

#include "../Engine/engine.h"

#define ENGINE interlock_the_engine

interlock_logical_thread *interlock_spawn(void *(*function)(void *), void *argument,
                                          interlock_operation first, interlock_readiness *is_ready,
                                          void *context, bool is_joinable, uintptr_t place) {
  // Each has a stack from the start; the system refuses the 32,000th (two mappings each).
  enum { most_at_once = 10000 };
  if (ENGINE.options.leaves_outside && ENGINE.live_count >= most_at_once) {
    interlock_perform_leave("more than 10,000 threads, blocks and tasks at once");
  }
  interlock_marks.hidden++;
  interlock_stack *stack = interlock_stack_take();
  interlock_logical_thread *thread = NULL;
  if (stack) {
    thread = interlock_engine_add(first, place);
    thread->function = function;
    thread->argument = argument;
    thread->is_ready = is_ready;
    thread->context = context;
    thread->is_joinable = is_joinable;
    thread->stack = stack;
    if (ENGINE.options.follows_callers && place) {
      thread->caller = interlock_caller_of(place);
      thread->call_stack = interlock_call_stack(place);
    }
    stack->thread = thread;
  }
  interlock_marks.hidden--;
  return thread;
}

size_t interlock_explored_threads(uint32_t *system_numbers, uint32_t *numbers, size_t capacity) {
  size_t count = 0;
  INTERLOCK_EACH_LIVE(thread) {
    if (!thread->stack) continue;
    if (count < capacity) {
      system_numbers[count] = thread->stack->system_number;
      numbers[count] = thread->number;
    }
    count++;
  }
  return count;
}

void interlock_thread_release(interlock_logical_thread *thread) {
  if (!thread->is_joinable) return;
  thread->is_joinable = false;
  if (thread->has_ended) interlock_stack_give(thread->stack);
}

/// NULL if races in memory are not checked.
void interlock_memory_explored_thread_begins(void) __attribute__((weak));

static void end(interlock_logical_thread *self, void *result) {
  if (ENGINE.is_forked) _exit(0);
  interlock_run_destructors();
  interlock_marks.controlled = 0;
  self->result = result;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_END, self->object, 0));
  if (self->number == 0) {
    ENGINE.body_has_ended = true;
    // What waits for a time does not continue from here on, and can before; what waits for a signal
    // may not do without it.
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
  if (interlock_memory_explored_thread_begins) interlock_memory_explored_thread_begins();
  interlock_marks.controlled = 1;
  const interlock_exploration_options *options = &ENGINE.options;
  end(self, options->around
                ? options->around(options->around_context, self->function, self->argument)
                : self->function(self->argument));
}

void interlock_thread_exit(void *result) {
  interlock_logical_thread *self = ENGINE.current;
  if (interlock_stacks_are_os_threads()) {
    // The stack below is given up as it is: this thread waits at its next turn for good.
    interlock_run_destructors();
    interlock_marks.controlled = 0;
    self->result = result;
    self->is_joinable = true;
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_END, self->object, 0));
    interlock_engine_remove(self);
    self->has_ended = false;
    interlock_engine_go(self);
    __builtin_trap();
  }
  end(self, result);
  __builtin_trap();
}

#else

size_t interlock_explored_threads(uint32_t *system_numbers, uint32_t *numbers, size_t capacity) {
  (void)system_numbers, (void)numbers, (void)capacity;
  return 0;
}

#endif
