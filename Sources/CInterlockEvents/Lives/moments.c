// Dispatch's times: their conversion, and the check of their encoding.
#include "../Dispatch/controlled_dispatch.h"
#include "../Code/layouts.h"

#ifdef INTERLOCK_INTERPOSES

#include <time.h>

void interlock_read_clock(clockid_t clock, struct timespec *time) {
  const interlock_site own = {0, 0};
  if (interlock_is_controlled() && interlock_posix->read_clock(clock, time, own)) return;
  clock_gettime(clock, time);
}

uint64_t interlock_now(void) {
  struct timespec time;
  interlock_read_clock(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/// The monotonic time, in nanoseconds, of a `dispatch_time_t`; 0 means now.
uint64_t interlock_moment(moment_t when) {
  if (when == at_once) return interlock_now();
  if (when == forever) return forever;
  if (when >> 63) {
    // A wall-clock time is stored as its negated nanoseconds.
    struct timespec time;
    interlock_read_clock(CLOCK_REALTIME, &time);
    uint64_t day = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    // The top two bits select the clock: both set for the wall clock, one set for the monotonic
    // clock.
    uint64_t asked = (when >> 62) == 3 ? (uint64_t)-(int64_t)when : when & 0x3fffffffffffffff;
    uint64_t base = (when >> 62) == 3 ? day : interlock_now();
    return interlock_now() + (asked > base ? asked - base : 0);
  }
  return when;
}

static moment_t realtime_in(moment_t nanoseconds) {
  struct timespec time;
  interlock_read_clock(CLOCK_REALTIME, &time);
  return (moment_t)time.tv_sec * 1000000000 + (moment_t)time.tv_nsec + nanoseconds;
}

bool interlock_check_moments(ptrdiff_t shift) {
  typedef moment_t in(moment_t, int64_t);
  typedef moment_t at(const struct timespec *, int64_t);
  in *monotonic_in = (in *)interlock_find_real("dispatch_time");
  at *wall_in = (at *)interlock_find_real("dispatch_walltime");
  if (!monotonic_in || !wall_in) return true;
  static const moment_t hour = 3600000000000, slack = 60000000000, day_clock = 3;
  // In tests, the shift makes other bits select the clock.
  moment_t early = interlock_now() + hour;
  moment_t soon = monotonic_in(at_once, (int64_t)hour) << shift;
  bool holds = soon >= early && soon <= interlock_now() + hour;
  early = realtime_in(hour);
  moment_t later = wall_in(NULL, (int64_t)hour) << shift;
  moment_t time = (moment_t)-(int64_t)later;
  // With slack, because the clock may be set meanwhile.
  return holds && later >> 62 == day_clock && time + slack >= early && time <= early + slack &&
         monotonic_in(forever, 0) == forever;
}

#endif
