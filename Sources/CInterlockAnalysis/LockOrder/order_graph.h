// The graph of orders, for the files that note them. Not for users of the target.
#ifndef INTERLOCK_ORDER_GRAPH_H
#define INTERLOCK_ORDER_GRAPH_H

#include "order_reader.h"

/// A thread's held locks, and the serial queues that its queues run on.
enum { most_held = INTERLOCK_HELD_MOST * 2 };

/// What is known of one acquisition.
typedef struct {
  uint64_t owner;
  uint32_t to;
  bool is_shared;
  uintptr_t place, outer;
  uintptr_t gates[most_held];
  uint32_t gate_count;
  uint64_t gates_hash;
  const interlock_actor_view *actor;
  /// What is waited for instead, under this lock signalled: its index, plus 1; 0 for none.
  uint32_t signal;
} acquisition;

/// Adds an owner that is not among them; false where it is, or where there are enough.
static inline bool interlock_add_owner(uint64_t *owners, uint32_t *count, uint64_t owner) {
  for (uint32_t index = 0; index < *count; index++) {
    if (owners[index] == owner) return false;
  }
  if (*count == INTERLOCK_ORDER_OWNERS) return false;
  owners[(*count)++] = owner;
  return true;
}

// All of these under the lock of the tables.

/// The node of a lock, made where it has none: its index, plus 1; 0 where there is no room.
uint32_t interlock_order_node(known_lock *lock) HIDDEN;
/// Notes an edge from a node to that of an acquisition.
void interlock_add_order(uint32_t from, const held_lock *held, const acquisition *taken) HIDDEN;

#endif
