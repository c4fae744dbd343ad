// The stacks of logical threads.
#include "logical_threads.h"

#ifdef INTERLOCK_INTERPOSES

#include "../Engine/engine.h"

#define ENGINE interlock_the_engine

/// Each stack takes two mappings, and the system refuses the 32,000th stack.
enum { most_under_way = 10000 };

const char *interlock_too_many_threads(void) {
  bool are_too_many =
      ENGINE.options.leaves_outside && interlock_stacks_taken() >= most_under_way;
  return are_too_many ? "more than 10,000 threads, blocks and tasks under way at once" : NULL;
}

bool interlock_thread_take_stack(interlock_logical_thread *thread) {
  thread->stack = interlock_stack_take();
  if (!thread->stack) return false;
  thread->stack->thread = thread;
  if (interlock_stacks_taken() > ENGINE.result->most_stacks) {
    ENGINE.result->most_stacks = interlock_stacks_taken();
  }
  return true;
}

bool interlock_thread_gets_stack(interlock_logical_thread *thread) {
  if (thread->stack) return true;
  const char *too_many = interlock_too_many_threads();
  if (too_many) {
    interlock_leave_fails(too_many);
    return false;
  }
  if (interlock_thread_take_stack(thread)) return true;
  interlock_execution_fail(INTERLOCK_EXPLORED_FAILED, "no memory for a thread");
  return false;
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

#else

size_t interlock_explored_threads(uint32_t *system_numbers, uint32_t *numbers, size_t capacity) {
  (void)system_numbers, (void)numbers, (void)capacity;
  return 0;
}

#endif
