#ifndef KNOWN_BUGS_PRIORITY_H
#define KNOWN_BUGS_PRIORITY_H

// Processor affinity and scheduling policy for the recipe of the priority inversion. In C because
// glibc declares them only with its extensions.

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Restricts the calling thread to the first of the processors that it may use. Returns false if
/// that fails, or the system has no such call.
bool known_bugs_run_on_first_processor(void);

/// Makes the calling thread run only when no other wants the processor (SCHED_IDLE). Returns false
/// if that fails, or the system has no such policy.
bool known_bugs_run_when_idle(void);

#ifdef __cplusplus
}
#endif

#endif
