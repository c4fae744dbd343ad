// What has a number for the strategy: threads and timers, and virtual time.
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
  if (interlock_engine_fires_early(timer)) {
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
