#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_system_calls.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

// In C because only the preprocessor knows which system calls exist.

#if defined(__linux__)
static interlock_wait with_timeout_pointer(uint64_t pointer, interlock_wait without) {
  return pointer == 0 ? without : INTERLOCK_WAIT_TIME;
}

static interlock_wait with_milliseconds(uint64_t milliseconds, interlock_wait without) {
  return (int32_t)milliseconds < 0 ? without : INTERLOCK_WAIT_TIME;
}
#endif

bool interlock_is_futex(long number) {
#if defined(__linux__)
  return number == SYS_futex;
#else
  (void)number;
  return false;
#endif
}

bool interlock_is_private_futex(const uint64_t arguments[6]) {
#if defined(__linux__)
  return arguments[1] & FUTEX_PRIVATE_FLAG;
#else
  (void)arguments;
  return true;
#endif
}

interlock_wait interlock_classify_wait(long number, const uint64_t arguments[6]) {
#if defined(__linux__)
  switch (number) {
  case SYS_futex:
    return arguments[3] == 0 ? INTERLOCK_WAIT_FOREVER : INTERLOCK_WAIT_TIMED_FUTEX;
#ifdef SYS_futex_waitv
  case SYS_futex_waitv:
    return arguments[3] == 0 ? INTERLOCK_WAIT_FOREVER : INTERLOCK_WAIT_TIMED_FUTEX;
#endif
  case SYS_nanosleep:
  case SYS_clock_nanosleep:
  case SYS_restart_syscall:  // an interrupted sleep continues as this call
    return INTERLOCK_WAIT_TIME;
#ifdef SYS_poll
  case SYS_poll:
    return with_milliseconds(arguments[2], INTERLOCK_WAIT_POLL);
#endif
  case SYS_ppoll:
    return with_timeout_pointer(arguments[2], INTERLOCK_WAIT_POLL);
#ifdef SYS_select
  case SYS_select:
    return with_timeout_pointer(arguments[4], INTERLOCK_WAIT_POLL);
#endif
  case SYS_pselect6:
    return with_timeout_pointer(arguments[4], INTERLOCK_WAIT_POLL);
#ifdef SYS_epoll_wait
  case SYS_epoll_wait:
    return with_milliseconds(arguments[3], INTERLOCK_WAIT_EPOLL);
#endif
  case SYS_epoll_pwait:
    return with_milliseconds(arguments[3], INTERLOCK_WAIT_EPOLL);
#ifdef SYS_epoll_pwait2
  case SYS_epoll_pwait2:
    return with_timeout_pointer(arguments[3], INTERLOCK_WAIT_EPOLL);
#endif
  case SYS_rt_sigtimedwait:  // a signal may come from another process
    return with_timeout_pointer(arguments[2], INTERLOCK_WAIT_OUTSIDE);
  case SYS_semtimedop:
    return with_timeout_pointer(arguments[3], INTERLOCK_WAIT_OUTSIDE);
#ifdef SYS_pause
  case SYS_pause:
#endif
  case SYS_rt_sigsuspend:
    return INTERLOCK_WAIT_FOREVER;
  default:
    // A read, an accept, a wait for a child, a file lock, or an unknown call.
    return INTERLOCK_WAIT_OUTSIDE;
  }
#else
  (void)number;
  (void)arguments;
  return INTERLOCK_WAIT_FOREVER;
#endif
}
