#ifndef INTERLOCK_REAL_TIME_LIMIT_H
#define INTERLOCK_REAL_TIME_LIMIT_H

// The limit of the processor time of real-time threads. Not part of the users' API.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns a process's hard limit of the time that a real-time thread may run without blocking, in
/// microseconds; all ones for no limit, 0 if it cannot be read or the system has no such limit.
uint64_t interlock_real_time_limit(int process);

/// Sets that hard limit of this process, and lowers the soft limit to it. Returns false if that
/// fails.
bool interlock_set_real_time_limit(uint64_t microseconds);

#ifdef __cplusplus
}
#endif

#endif
