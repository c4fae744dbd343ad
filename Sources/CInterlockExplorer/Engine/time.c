// Virtual time: the clock, and how long waits for a time may last.
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

void interlock_time_count_wait(interlock_logical_thread *thread) {
  if (others_have_moved(thread)) thread->waits = (interlock_row_of_waits){0, ENGINE.steps};
  thread->waits.count++;
}

void interlock_yield_begins(interlock_logical_thread *thread, interlock_row_of_waits *row) {
  thread->waits = *row;
  interlock_time_count_wait(thread);
  *row = thread->waits;
  thread->has_yielded = true;
}

#endif
