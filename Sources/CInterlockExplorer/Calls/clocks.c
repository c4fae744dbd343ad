// Virtual time: clocks, sleeps and yields.
#include "../Dispatch/run_loops.h"
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

enum { second = 1000000000 };

static bool is_of_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

uint64_t interlock_due(clockid_t clock, const struct timespec *end) {
  static const time_t never = 200ll * 31556952;
  if (!end) return INTERLOCK_NEVER;
  if (end->tv_sec >= never) return INTERLOCK_NEVER;
  if (end->tv_sec < 0) return 0;
  int64_t due = (int64_t)end->tv_sec * second + end->tv_nsec;
  // A condition may use the monotonic clock, whose times are decades earlier: leave these as they
  // are.
  if (is_of_wall(clock) && due > interlock_virtual_epoch() / 2) due -= interlock_virtual_epoch();
  return due > 0 ? (uint64_t)due : 0;
}

static void note_read(interlock_site site) {
  // A waiter of XCTest reads the clock to see whether its limit has passed. The limit passes only
  // when no thread can continue, so this read is no operation.
  if (!interlock_time_is_exact() && interlock_model_is_waiter()) return;
  if (interlock_time_is_exact() || !interlock_is_users_read(site)) {
    interlock_did_read_clock();
    return;
  }
  interlock_learn(INTERLOCK_FACT_CLOCK);
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_READ_CLOCK, 0, 0), NULL, NULL,
                  site.place);
}

bool interlock_perform_read_clock(clockid_t clock, struct timespec *now, interlock_site site) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME: break;
    default: return false;
  }
  note_read(site);
  int64_t time = (int64_t)interlock_virtual_now();
  if (is_of_wall(clock)) time += interlock_virtual_epoch();
  now->tv_sec = time / second;
  now->tv_nsec = time % second;
  return true;
}

void interlock_perform_sleep(clockid_t clock, const struct timespec *time, bool is_absolute,
                             interlock_site site) {
  uint64_t due;
  interlock_did_read_clock();
  if (is_absolute) {
    due = interlock_due(clock, time);
  } else {
    uint64_t span = (uint64_t)time->tv_sec * second + (uint64_t)time->tv_nsec;
    bool is_long = (uint64_t)time->tv_sec > UINT64_MAX / 2 / second;
    due = is_long ? INTERLOCK_NEVER - 1 : interlock_virtual_now() + span;
  }
  // A loop that sleeps until a clock shows a time ends with sleeps of length 0 (Foundation's
  // `Thread.sleep` rounds a fraction of a second). From the second such sleep on, move the clock.
  enum { shortest = 1000 };
  interlock_logical_thread *self = interlock_current_thread();
  bool is_short = due <= interlock_virtual_now();
  if (is_short && self->is_polling && !is_absolute) due = interlock_virtual_now() + shortest;
  self->is_polling = is_short;
  if (due <= interlock_virtual_now()) {
    interlock_yield(&self->waits, site.place);
    return;
  }
  interlock_wait_for_time(due, site.place);
}

void interlock_perform_yield(interlock_site site) {
  if (!interlock_is_choice(site.returns_to)) return;
  interlock_yield(&interlock_current_thread()->waits, site.place);
}

#endif
