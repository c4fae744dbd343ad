// Clocks, sleeps and yields: virtual for explored threads; all other threads' calls pass through.
#include "../interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define ONLY_CONTROL 0u

INTERPOSED_FAST(int, clock_gettime, ONLY_CONTROL, (clockid_t clock, struct timespec *now),
                (clock, now)) {
  if (interlock_is_controlled() && interlock_posix->read_clock(clock, now, THIS_SITE)) return 0;
  return FOUND(clock_gettime)(clock, now);
}

INTERPOSED_FAST(int, gettimeofday, ONLY_CONTROL, (struct timeval *now, void *zone), (now, zone)) {
  struct timespec read;
  if (interlock_is_controlled() && now &&
      interlock_posix->read_clock(CLOCK_REALTIME, &read, THIS_SITE)) {
    now->tv_sec = read.tv_sec;
    now->tv_usec = read.tv_nsec / 1000;
    return 0;
  }
  return FOUND(gettimeofday)(now, zone);
}

INTERPOSED_FAST(time_t, time, ONLY_CONTROL, (time_t *now), (now)) {
  struct timespec read;
  if (interlock_is_controlled() && interlock_posix->read_clock(CLOCK_REALTIME, &read, THIS_SITE)) {
    if (now) *now = read.tv_sec;
    return read.tv_sec;
  }
  return FOUND(time)(now);
}

INTERPOSED_FAST(int, nanosleep, ONLY_CONTROL, (const struct timespec *time, struct timespec *left),
                (time, left)) {
  if (!interlock_is_controlled()) return FOUND(nanosleep)(time, left);
  interlock_posix->sleep(CLOCK_MONOTONIC, time, false, THIS_SITE);
  return 0;
}

INTERPOSED_FAST(int, clock_nanosleep, ONLY_CONTROL,
                (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
                (clock, flags, time, left)) {
  if (!interlock_is_controlled()) return FOUND(clock_nanosleep)(clock, flags, time, left);
  interlock_posix->sleep(clock, time, flags & TIMER_ABSTIME, THIS_SITE);
  return 0;
}

INTERPOSED_FAST(int, usleep, ONLY_CONTROL, (useconds_t time), (time)) {
  if (!interlock_is_controlled()) return FOUND(usleep)(time);
  struct timespec span = {time / 1000000, (long)(time % 1000000) * 1000};
  interlock_posix->sleep(CLOCK_MONOTONIC, &span, false, THIS_SITE);
  return 0;
}

INTERPOSED_FAST(unsigned, sleep, ONLY_CONTROL, (unsigned time), (time)) {
  if (!interlock_is_controlled()) return FOUND(sleep)(time);
  struct timespec span = {time, 0};
  interlock_posix->sleep(CLOCK_MONOTONIC, &span, false, THIS_SITE);
  return 0;
}

INTERPOSED_FAST(int, sched_yield, ONLY_CONTROL, (void), ()) {
  if (!interlock_is_controlled()) return FOUND(sched_yield)();
  interlock_posix->yield(THIS_SITE);
  return 0;
}

#endif
