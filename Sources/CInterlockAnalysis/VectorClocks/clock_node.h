// A node, and the events of a mutex that the reader handles in place. Included by
// `CInterlockAnalysis/` only.
#ifndef INTERLOCK_CLOCK_NODE_H
#define INTERLOCK_CLOCK_NODE_H

#include "../hash_table.h"
#include "clock_tables.h"

/// The clocks of one object. Its memory is never freed: a thread may still refer to a node that
/// another object has by now.
struct clock_node {
  /// The key is an address and a purpose. It only changes while `lock` is held, or while the node
  /// is in no table.
  table_entry entry;
  /// Guards the fields below; held for some tens of nanoseconds.
  int lock;
  /// The slot and the count of the last thread that released the object after exclusive use:
  /// `alone` is the snapshot with this count.
  uint32_t slot;
  uint64_t count;
  /// The number of the thread whose clock equals `alone`, and that thread's `lessons` at the
  /// release; 0 if `alone` is joined from several threads.
  uint64_t passed_by, lessons;
  /// The clocks of threads that released the object after exclusive use, and after shared use; NULL
  /// if there is no such thread.
  clock_snapshot *alone, *shared;
};
_Static_assert(sizeof(struct clock_node) == 64, "a node is one cache line");

/// Never 0. A table ignores the lowest three bits.
static inline uintptr_t key_of(uintptr_t address, purpose purpose) {
  return address << 7 | ((uintptr_t)purpose + 1) << 3;
}

static inline uintptr_t key_now(const struct clock_node *node) {
  // Relaxed: the node's lock orders a removal; one that is in no table has 0, or gets another key.
  return __atomic_load_n(&node->entry.key, __ATOMIC_RELAXED);
}

/// True if the calling thread was also the last to release the mutex that it holds, so that it has
/// nothing to learn. Reads the node without its lock: only a holder of the mutex changes the node,
/// and the mutex itself orders these changes. Another object may have the node by now, or this
/// address may have a new node. That happened before the thread acquired the mutex, so the thread
/// sees it.
static inline bool is_left_by(const thread_clock *own, uintptr_t address) {
  if (own->lock != address) return false;
  const struct clock_node *node = own->lock_node;
  // Relaxed: see above. If another object has the node, another thread may be writing it.
  return key_now(node) == key_of(address, AS_LOCK) &&
         __atomic_load_n(&node->passed_by, __ATOMIC_RELAXED) == own->number &&
         !__atomic_load_n(&node->shared, __ATOMIC_RELAXED);
}

/// True if the thread releases the mutex that it released last, and its clock has learnt of no
/// other thread since: the node already has everything but the thread's own count.
__attribute__((always_inline)) static inline bool can_pass_again(const thread_clock *own,
                                                                 uintptr_t address) {
  return is_left_by(own, address) && own->lock_node->lessons == own->lessons &&
         is_plain_mutex(address);
}

static inline void pass_again(thread_clock *own) {
  // The same as in `pass_alone`. Relaxed: the mutex itself orders this before the next holder's
  // reads.
  __atomic_store_n(&own->lock_node->count, own->clock.counts[own->slot], __ATOMIC_RELAXED);
  clock_count_on(own);
}

/// Reads an event of the mutex that the thread released last: most loops use one mutex. Returns
/// false for any other event.
__attribute__((always_inline)) static inline bool interlock_clocks_read_again(
    thread_clock *own, interlock_event_kind kind, uintptr_t mutex) {
  // As in `interlock_clocks_read_lock`.
  if (!own || own->jobs > 0 || interlock_tracker_locks > 0 ||
      interlock_clocks_are_blind()) {
    return false;
  }
  if (kind == INTERLOCK_EVENT_ACQUIRE) return is_left_by(own, mutex);
  if (kind != INTERLOCK_EVENT_RELEASE || !can_pass_again(own, mutex)) return false;
  begin_change();
  pass_again(own);
  end_change();
  return true;
}

#endif
