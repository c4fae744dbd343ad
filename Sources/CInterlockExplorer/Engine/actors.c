// Threads and timers: each has a number for the strategy.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#define ENGINE interlock_the_engine

interlock_logical_thread *interlock_engine_add(interlock_operation first, uintptr_t place) {
  interlock_logical_thread *thread = interlock_execution_memory(sizeof *thread);
  thread->number = (uint32_t)ENGINE.threads.count;
  thread->object = interlock_object_number();
  if (first.object == 0) first.object = thread->object;
  thread->pending = first;
  thread->place = place;
  thread->last_step = ENGINE.steps;
  thread->maker = ENGINE.current;
  interlock_time_inherit(thread);
  INTERLOCK_PUSH(&ENGINE.threads, thread);
  INTERLOCK_PUSH(&ENGINE.pending, first);
  thread->is_live = true;
  ENGINE.live_count++;
  thread->previous_live = ENGINE.last_live;
  *(ENGINE.last_live ? &ENGINE.last_live->next_live : &ENGINE.first_live) = thread;
  ENGINE.last_live = thread;
  interlock_engine_look_at_new(thread);
  return thread;
}

void interlock_engine_remove(interlock_logical_thread *thread) {
  thread->has_ended = true;
  if (thread->waits_for_time) ENGINE.waiting_for_time--;
  ENGINE.pending.items[thread->number] = (interlock_operation){0};
  if (!thread->is_live) return;
  thread->is_live = false;
  ENGINE.live_count--;
  interlock_logical_thread *next = thread->next_live, *previous = thread->previous_live;
  *(previous ? &previous->next_live : &ENGINE.first_live) = next;
  *(next ? &next->previous_live : &ENGINE.last_live) = previous;
  interlock_engine_look_at(thread);
}

#endif
