// Timers, and reads of the clock.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#define ENGINE interlock_the_engine

void interlock_did_read_clock(void) {
  // Exact times come in the order of the clock, whether or not the user's code reads the clock.
  if (!interlock_time_is_exact() && !interlock_is_known(INTERLOCK_FACT_CLOCK)) return;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_CLOCK, 0, 0));
}

bool interlock_is_due(uint64_t due) {
  if (due == INTERLOCK_NEVER) return false;
  interlock_did_read_clock();
  return due <= ENGINE.now;
}

void interlock_time_wait_begins(interlock_logical_thread *thread, uint64_t due) {
  interlock_time_count_wait(thread);
  thread->due = due;
  thread->waits_for_time = true;
  ENGINE.waiting_for_time++;
  ENGINE.result->uses_time = true;
}

interlock_operation interlock_time_up(uint32_t object) {
  interlock_operation operation = interlock_operation_of(INTERLOCK_OPERATION_TIME_UP, 0, object);
  if (!interlock_time_is_exact()) operation.flags = INTERLOCK_OPERATION_TIME_IS_A_CHOICE;
  return operation;
}

interlock_logical_thread *interlock_timer_start(uint64_t due, void (*fire)(void *), void *context,
                                                uint32_t object, uintptr_t place) {
  interlock_logical_thread *maker = ENGINE.current;
  interlock_marks.hidden++;
  interlock_logical_thread *timer = interlock_engine_add(interlock_time_up(object), place);
  interlock_marks.hidden--;
  timer->fire = fire;
  timer->context = context;
  timer->waits = maker->waits;
  interlock_time_wait_begins(timer, due);
  interlock_did_read_clock();
  return timer;
}

void interlock_timer_come_last(interlock_logical_thread *timer) {
  timer->comes_last = true;
  timer->pending.flags = 0;
  ENGINE.pending.items[timer->number] = timer->pending;
}

void interlock_timer_cancel(interlock_logical_thread *timer) {
  if (!timer || timer->has_ended) return;
  if (interlock_time_is_exact()) interlock_did_read_clock();
  interlock_engine_remove(timer);
}

#endif
