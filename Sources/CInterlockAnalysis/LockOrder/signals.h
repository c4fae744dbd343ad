// The table of signals. Included by `LockOrder/` only.
#ifndef INTERLOCK_SIGNALS_H
#define INTERLOCK_SIGNALS_H

#include "Graph/order_reader.h"

enum { most_gates = 4, most_epochs = 4 };

/// The node of an object that was signalled without a common lock or is not followed; and the node
/// of an object that was signalled under a lock after the clocks had lost the orders.
static const uint32_t open_node = UINT32_MAX, missed_node = UINT32_MAX - 1;

/// The epoch of a thread's first signal.
typedef struct {
  uint32_t slot;
  uint64_t count;
} epoch;

typedef struct {
  interlock_signal_view view;
  uintptr_t object;
  /// The locks that all signallers held, and their numbers.
  held_lock gates[most_gates];
  uint32_t numbers[most_gates];
  epoch epochs[most_epochs];
  uint32_t gate_count, epoch_count;
  /// The index of the next free signal, plus 1.
  uint32_t next_free;
  /// The object has been signalled without a common lock.
  bool is_open;
  /// The end of a block has signalled the object.
  bool at_end;
  /// The graph of orders refers to the signal, which is then kept.
  bool is_noted;
} signal;

extern signal *interlock_signals HIDDEN;

// The caller of these functions holds the lock of the tables.

/// Returns the signal of an object; NULL if it has none.
static inline signal *signal_of(const known_lock *lock) {
  return lock->node && lock->node < missed_node ? &interlock_signals[lock->node - 1] : NULL;
}
/// Makes a signal: its index, plus 1; 0 without room.
uint32_t interlock_signal_make(void) HIDDEN;
/// Marks an object as signalled without a common lock: its waits make no order from now on.
void interlock_signal_open(known_lock *lock, uint32_t node) HIDDEN;

#endif
