/// Happens-before between threads, by vector clocks that are updated at each synchronisation event.
#ifndef INTERLOCK_CLOCKS_H
#define INTERLOCK_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Begins to follow the events, for the rest of the process's life. Returns false if no call is
/// interposed, or if there is no memory. Callable from any thread; later calls return the first
/// call's result.
bool interlock_clocks_start(void);

/// Why orders are not known from some event on, as text for a report; NULL while they are.
const char *interlock_clocks_blindness(void);

/// Writes the calling thread's epoch: its slot, and how many releases it has made. Returns false if
/// its order is not known: in a one-time initialiser, in a task whose start was not seen, or after
/// an order may have been missed. `is_task` says whether a task runs on the thread.
bool interlock_clocks_epoch(bool is_task, uint32_t *slot, uint64_t *count);

/// Whether an epoch was requested after the clocks lost the orders.
bool interlock_clocks_are_missed(void);

/// Orders the calling thread after everything that any thread has done so far: for a caller that
/// has waited in a way that no event shows.
void interlock_clocks_come_after_all(void);

/// Whether everything that a slot's thread did up to a count happens before the calling thread's
/// next step. Also checked for the thread's own slot: a task is not ordered after an earlier one
/// because both ran on the same thread.
bool interlock_clocks_has_seen(uint32_t slot, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
