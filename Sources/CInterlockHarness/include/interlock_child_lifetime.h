#ifndef INTERLOCK_CHILD_LIFETIME_H
#define INTERLOCK_CHILD_LIFETIME_H

// How long a child process lives. Not part of the users' API.

// Includes no header of the system that declares `timespec`, which Swift would take for this
// module's. `pid_t` is an `int`.
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Asks the system to kill this process when its parent ends. Returns false if it cannot.
bool interlock_die_with_parent(void);

/// Returns a descriptor of a process, which stays valid if the system reuses the process's number;
/// closed on exec, and readable once the process has ended. -1 if none is available (Linux before
/// 5.3).
int interlock_open_process(int process);

/// Sends SIGKILL to the process of such a descriptor.
void interlock_kill_opened_process(int descriptor);

#ifdef __cplusplus
}
#endif

#endif
