// Threads and timers: each has a number for the strategy.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#define ENGINE interlock_the_engine

interlock_logical_thread *interlock_engine_add(interlock_operation first, uintptr_t place) {
  interlock_logical_thread *thread = interlock_execution_memory(sizeof *thread);
  thread->number = (uint32_t)ENGINE.threads.count;
  thread->object = interlock_object_number();
  if (first.object == 0) first.object = thread->object;
  thread->pending = first;
  thread->place = place;
  thread->last_step = ENGINE.steps;
  interlock_time_inherit(thread);
  INTERLOCK_PUSH(&ENGINE.threads, thread);
  INTERLOCK_PUSH(&ENGINE.pending, first);
  INTERLOCK_PUSH(&ENGINE.live, thread);
  return thread;
}

void interlock_engine_remove(interlock_logical_thread *thread) {
  thread->has_ended = true;
  if (thread->waits_for_time) ENGINE.waiting_for_time--;
  ENGINE.pending.items[thread->number] = (interlock_operation){0};
  size_t index = ENGINE.live.count;
  while (index > 0 && ENGINE.live.items[index - 1] != thread) index--;
  if (index == 0) return;
  memmove(&ENGINE.live.items[index - 1], &ENGINE.live.items[index],
          (ENGINE.live.count - index) * sizeof *ENGINE.live.items);
  ENGINE.live.count--;
}

#endif
