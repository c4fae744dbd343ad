#ifndef INTERLOCK_PRIORITY_H
#define INTERLOCK_PRIORITY_H

// Who runs where, and when: what the recipe of the priority inversion needs from C, because glibc
// shows these calls and numbers only to those who ask for its extensions. No part of the API for
// users.

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Has the calling thread run on one processor only: the first of those that it may use now.
/// Returns false where it could not, or where the system has no such call.
bool interlock_run_on_first_processor(void);

/// Has the calling thread run only where no other wants the processor (SCHED_IDLE). Returns false
/// where it could not, or where the system has no such policy.
bool interlock_run_when_idle(void);

#ifdef __cplusplus
}
#endif

#endif
