#ifndef INTERLOCK_SYSTEM_CALLS_H
#define INTERLOCK_SYSTEM_CALLS_H

// The waits of a thread in a system call. Not part of the users' API.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of wait of a thread in a system call. It waits:
typedef enum {
  /// For another thread to wake it; otherwise for ever.
  INTERLOCK_WAIT_FOREVER = 0,
  /// In a futex with a timeout, as an idle pool worker does too.
  INTERLOCK_WAIT_TIMED_FUTEX = 1,
  /// For time to pass, or for an event with a timeout.
  INTERLOCK_WAIT_TIME = 2,
  /// For an event from outside the process: bytes, a connection, the end of a child.
  INTERLOCK_WAIT_OUTSIDE = 3,
  /// For one of several descriptors, without a timeout.
  INTERLOCK_WAIT_POLL = 4,
  /// For one of the descriptors that an epoll listens to, without a timeout.
  INTERLOCK_WAIT_EPOLL = 5,
} interlock_wait;

/// Classifies a system call by its number and its six arguments, as `/proc/<pid>/syscall` has them.
interlock_wait interlock_classify_wait(long number, const uint64_t arguments[6]);

/// True if the system call with this number is `futex`.
bool interlock_is_futex(long number);

/// True if no other process can wake a thread in `futex` with these arguments. The C library waits
/// so for all its objects, unless processes may share them.
bool interlock_is_private_futex(const uint64_t arguments[6]);

#ifdef __cplusplus
}
#endif

#endif
