/// Happens-before between threads, by vector clocks that a reader of the synchronisation events
/// keeps.
#ifndef INTERLOCK_CLOCKS_H
#define INTERLOCK_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Begins to follow the events, for the rest of the process's life. Returns false where no call is
/// seen, or where there is no memory. May be called from any thread; calls after the first only
/// give their result.
bool interlock_clocks_start(void);

/// Why no order is known any more, as text for a report; NULL while it is.
const char *interlock_clocks_blindness(void);

/// The moment at which the calling thread is: its slot, and how often it has given something up to
/// others. False where its order cannot be determined: in an initialiser that runs once, in a task
/// that nothing was seen to run, or when an order may have been missed. `is_task` is whether a task
/// runs on it.
bool interlock_clocks_moment(bool is_task, uint32_t *slot, uint64_t *count);

/// Whether an epoch was asked for since no order is known any more.
bool interlock_clocks_are_missed(void);

/// What the calling thread does from now on comes after all that any thread has done: for a caller
/// that has waited by means that no event shows.
void interlock_clocks_come_after_all(void);

/// Whether what a slot's thread did up to a moment has happened before what the calling thread does
/// now. Of its own slot too: a task does not come after another for having its thread.
bool interlock_clocks_has_seen(uint32_t slot, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
