#ifndef INTERLOCK_INTERRUPTS_H
#define INTERLOCK_INTERRUPTS_H

// The signals that ask the runner to end. Not part of the users' API.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Records SIGINT, SIGTERM, SIGHUP and SIGQUIT instead of ending the process, until the matching
/// `end`. Calls may overlap on several threads, but not nest on one thread. An ignored signal stays
/// ignored, and a signal from a trial's process is refused. Until `end`, this process can also wait
/// for its children if its parent ignores SIGCHLD.
void interlock_interrupts_begin(void);

/// Restores the handlers from before the first `begin`; called on the same thread.
void interlock_interrupts_end(void);

/// True if one of those signals has arrived since the first `begin`.
bool interlock_interrupted(void);

/// Returns the last signal that was refused since the last call, with its sender's limit for
/// real-time threads; 0 for none.
int interlock_refused_interrupt(uint64_t *limit);

#ifdef __cplusplus
}
#endif

#endif
