// The events of a thread that are no progress. A thread that polls its run loop is idle while the
// loop handles nothing: no timer of the loop fires, and no block of the main queue begins. A poll
// in which the loop handles something is progress. So is the thread's work between two polls,
// unless it takes almost no processor time, such as a test whether to poll again. (XCTest polls
// without a pause on threads whose loop has nothing to wait for.) A pool worker that was woken only
// for the timer that ends a poll is idle as well.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <time.h>

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void add_steps(interlock_idleness *idle, uint64_t steps) {
  // Only the own thread writes it. Relaxed: the monitor reads it, and reads it again before it
  // relies on a change.
  __atomic_store_n(&idle->steps, idle->steps + steps, __ATOMIC_RELAXED);
}

static void freeze(interlock_idleness *idle, uint64_t count) {
  // Release: pairs with the acquire in `interlock_polls_since`; a thread that sees the count sees
  // the steps and the times.
  __atomic_store_n(&idle->frozen, count, __ATOMIC_RELEASE);
}

static void poll_begins(wait_record *record, bool is_xctests) {
  interlock_idleness *idle = &record->idle;
  // Between XCTest's own polls, only its test whether to poll again runs.
  enum { part = 64, xctests = 200 * 1000 };
  uint64_t now = nanoseconds(CLOCK_MONOTONIC);
  uint64_t cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - idle->cpu_at_end;
  bool has_worked = cpu * part > now - idle->began && !(is_xctests && cpu < xctests);
  if (idle->began && !idle->has_handled && !has_worked) {
    add_steps(idle, record->view.sequence - idle->from);
  }
  // Relaxed, here and below: see `freeze`.
  __atomic_store_n(&idle->began, now, __ATOMIC_RELAXED);
  __atomic_store_n(&idle->ended, 0, __ATOMIC_RELAXED);
  idle->from = record->view.sequence;
  // The poll may be inside a block, which still runs.
  __atomic_store_n(&idle->runs, record->view.run_count, __ATOMIC_RELAXED);
  idle->has_handled = false;
  freeze(idle, record->view.sequence - idle->steps + 1);
}

void interlock_note_poll(wait_record *record, const interlock_event *event) {
  interlock_idleness *idle = &record->idle;
  switch ((interlock_poll_change)event->value) {
    case INTERLOCK_POLL_BEGINS: poll_begins(record, event->flags & INTERLOCK_FLAG_INTERNAL); return;
    case INTERLOCK_POLL_ENDS:
      idle->cpu_at_end = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
      __atomic_store_n(&idle->ended, nanoseconds(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
      return;
    case INTERLOCK_POLL_HANDLED:
      idle->has_handled = true;
      freeze(idle, 0);
      has_changed(record);
      return;
    case INTERLOCK_POLL_TIMED: idle->has_timed = true; return;
  }
}

void interlock_note_idle(wait_record *record, interlock_event_kind kind) {
  interlock_idleness *idle = &record->idle;
  // A wait for work that times out is no progress.
  if (kind == INTERLOCK_EVENT_GIVE_UP) add_steps(idle, 1);
  // True if the worker has had no other event since it was woken.
  bool was_idle = idle->has_timed && record->view.sequence == idle->woken + 1;
  idle->has_timed = false;
  if (was_idle) add_steps(idle, kind == INTERLOCK_EVENT_WAIT ? 2 : 1);
  idle->woken = record->view.sequence;
}

uint64_t interlock_polls_since(const wait_record *record) {
  const interlock_idleness *idle = &record->idle;
  // If no other poll begins within this time, the thread has left its loop.
  enum { longest_pause = 20 * 1000 * 1000 };
  // Acquire: pairs with the release in `freeze`, so that the other fields are of this poll or a
  // later one.
  if (__atomic_load_n(&idle->frozen, __ATOMIC_ACQUIRE) == 0) return 0;
  uint64_t ended = __atomic_load_n(&idle->ended, __ATOMIC_RELAXED);
  if (ended && nanoseconds(CLOCK_MONOTONIC) > ended + longest_pause) return 0;
  // A thread in a block that the loop has begun is not idle.
  if (__atomic_load_n(&record->view.run_count, __ATOMIC_RELAXED) >
      __atomic_load_n(&idle->runs, __ATOMIC_RELAXED)) {
    return 0;
  }
  return __atomic_load_n(&idle->began, __ATOMIC_RELAXED);
}

uint64_t interlock_progress_of(const wait_record *record) {
  // Acquire: pairs with the release in `freeze`.
  uint64_t frozen = __atomic_load_n(&record->idle.frozen, __ATOMIC_ACQUIRE);
  if (frozen && interlock_polls_since(record)) return frozen - 1;
  return __atomic_load_n(&record->view.sequence, __ATOMIC_RELAXED) -
         __atomic_load_n(&record->idle.steps, __ATOMIC_RELAXED);
}

#endif
