// The graph of orders. Included by the files of `LockOrder/` that add to it.
#ifndef INTERLOCK_ORDER_GRAPH_H
#define INTERLOCK_ORDER_GRAPH_H

#include "order_reader.h"

/// The most held locks of a thread, with the serial queues that its queues target.
enum { most_held = INTERLOCK_HELD_MOST * 2 };

/// One acquisition.
typedef struct {
  uint64_t owner;
  uint32_t to;
  bool is_shared;
  uintptr_t place, outer;
  uintptr_t gates[most_held];
  /// The numbers of the locks among them; 0 for another gate.
  uint32_t gate_numbers[most_held];
  uint32_t gate_count;
  uint64_t gates_hash;
  const interlock_actor_view *actor;
  /// If the thread waits for a signal that comes under this lock: the signal's index, plus 1;
  /// otherwise 0.
  uint32_t signal;
} acquisition;

/// Adds an owner. Returns false if the owner is in the list already, or if there are enough.
static inline bool interlock_add_owner(uint64_t *owners, uint32_t *count, uint64_t owner) {
  for (uint32_t index = 0; index < *count; index++) {
    if (owners[index] == owner) return false;
  }
  if (*count == INTERLOCK_ORDER_OWNERS) return false;
  owners[(*count)++] = owner;
  return true;
}

// The caller of these functions holds the lock of the tables.

/// Returns a lock's node, and makes one if there is none: its index, plus 1; 0 if there is no room.
uint32_t interlock_order_node(known_lock *lock) HIDDEN;
/// Adds an edge from a node to the node of an acquisition.
void interlock_add_order(uint32_t from, const held_lock *held, const acquisition *taken) HIDDEN;

#endif
