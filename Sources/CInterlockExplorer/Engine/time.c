// Virtual time: the clock, and waits for a time.
//
// A time is a lower bound. The thread that waits for it may need any time for its next step, and so
// may other threads, so the wait may end before or after any of their steps. The end of a wait
// moves the clock. It commutes with everything but reads of the clock and operations on what it
// wakes.
//
// A loop that sleeps or yields until another thread has done something would have endless orders.
// After a few such waits in a row, the thread is held back until each other thread that can
// continue has taken a step (Musuvathi and Qadeer, "Fair Stateless Model Checking", PLDI 2008,
// where the number is 1).
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#define ENGINE interlock_the_engine

enum { most_sleeps_in_a_row = 3 };

bool interlock_time_is_exact(void) { return ENGINE.options.time == INTERLOCK_TIME_IS_EXACT; }

uint64_t interlock_virtual_now(void) { return ENGINE.now; }
/// 14 November 2023. Any fixed date would do, so that executions agree.
int64_t interlock_virtual_epoch(void) { return 1700000000000000000; }

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

/// True if `other` can take a step, and has taken none since the first of the waits in a row of
/// `self`.
static bool holds_back(interlock_logical_thread *other, const interlock_logical_thread *self) {
  if (other->last_step > self->waits.since || other == self || other->comes_last) return false;
  return other->waits_for_time || interlock_engine_can_go_on(other);
}

/// True if each other thread that can continue has taken a step since the first of the waits in a
/// row.
static bool others_have_moved(interlock_logical_thread *self) {
  // 0 only before the first wait: each thread but the first is made in a step, and the first takes
  // the first step.
  if (self->waits.since == 0) return true;
  // Try the last thread that held this one back first: otherwise each of a thousand threads that
  // yield would look at a thousand before each step.
  interlock_logical_thread *last = self->held_by;
  if (last && last->is_live && holds_back(last, self)) return false;
  INTERLOCK_EACH_LIVE(other) {
    if (!holds_back(other, self)) continue;
    self->held_by = other;
    return false;
  }
  return true;
}

bool interlock_time_may_be_held(const interlock_logical_thread *thread) {
  const uint32_t most = thread->has_yielded && ENGINE.options.yields_in_a_row
                            ? ENGINE.options.yields_in_a_row
                            : most_sleeps_in_a_row;
  return thread->waits.count > most;
}

bool interlock_time_may_pass(interlock_logical_thread *thread) {
  return !interlock_time_may_be_held(thread) || others_have_moved(thread);
}

bool interlock_time_is_free(const interlock_logical_thread *thread) {
  return !interlock_time_is_exact() && !thread->comes_last && !ENGINE.body_has_ended &&
         !interlock_time_may_be_held(thread);
}

void interlock_time_inherit(interlock_logical_thread *thread) {
  const interlock_logical_thread *maker = ENGINE.current;
  if (!maker || !(maker->fire || maker->follows_timer)) return;
  thread->follows_timer = true;
  thread->waits = maker->waits;
}

/// Counts one more wait, in a new row if all other threads have taken a step.
static void count_wait(interlock_logical_thread *thread) {
  if (others_have_moved(thread)) thread->waits = (interlock_row_of_waits){0, ENGINE.steps};
  thread->waits.count++;
}

void interlock_yield_begins(interlock_logical_thread *thread, interlock_row_of_waits *row) {
  thread->waits = *row;
  count_wait(thread);
  *row = thread->waits;
  thread->has_yielded = true;
}

void interlock_yield(interlock_row_of_waits *row, uintptr_t place) {
  interlock_yield_begins(ENGINE.current, row);
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0), NULL, NULL, place);
}

static void begin_wait(interlock_logical_thread *thread, uint64_t due) {
  count_wait(thread);
  thread->due = due;
  thread->waits_for_time = true;
  ENGINE.waiting_for_time++;
  ENGINE.result->uses_time = true;
}

static interlock_operation time_up(uint32_t object) {
  interlock_operation operation = interlock_operation_of(INTERLOCK_OPERATION_TIME_UP, 0, object);
  if (!interlock_time_is_exact()) operation.flags = INTERLOCK_OPERATION_TIME_IS_A_CHOICE;
  return operation;
}

void interlock_wait_for_time(uint64_t due, uintptr_t place) {
  interlock_logical_thread *self = ENGINE.current;
  begin_wait(self, due);
  interlock_name_call("sleep");
  interlock_point(time_up(0), NULL, NULL, place);
  self->waits_for_time = false;
  ENGINE.waiting_for_time--;
  if (due > ENGINE.now) ENGINE.now = due;
}

interlock_logical_thread *interlock_timer_start(uint64_t due, void (*fire)(void *), void *context,
                                                uint32_t object, uintptr_t place) {
  interlock_logical_thread *maker = ENGINE.current;
  interlock_marks.hidden++;
  interlock_logical_thread *timer = interlock_engine_add(time_up(object), place);
  interlock_marks.hidden--;
  timer->fire = fire;
  timer->context = context;
  timer->waits = maker->waits;
  begin_wait(timer, due);
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
