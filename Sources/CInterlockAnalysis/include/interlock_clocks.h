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

/// Returns the reason why orders are not known from some event on, as text for a report; NULL while
/// they are known.
const char *interlock_clocks_blindness(void);

/// Writes the calling thread's epoch: its slot, and the number of its releases. Returns false if
/// its order is not known: in a one-time initialiser, in a task whose start was not seen, or after
/// an order may have been missed. `is_task`: a task runs on the thread.
bool interlock_clocks_epoch(bool is_task, uint32_t *slot, uint64_t *count);

/// True if an epoch was requested after the clocks lost the orders.
bool interlock_clocks_are_missed(void);

/// Orders the calling thread after everything that any thread has done so far, for a caller that
/// has waited without an event.
void interlock_clocks_come_after_all(void);

/// True if everything that a slot's thread did up to a count happens before the calling thread's
/// next step. Also checked for the thread's own slot: a task does not come after an earlier task
/// just because both ran on the same thread.
bool interlock_clocks_has_seen(uint32_t slot, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
