// Snapshots of its clock that a thread gives to nodes and to the items of queued blocks. A block's
// clock is in its item, where the thread that runs the block finds it without a search.
#include "clock_tables.h"

/// The number of references that a thread takes or drops at once. Otherwise the thread that queues
/// blocks and the thread that runs them would pass the cache line with the number of users to each
/// other at each block.
enum { uses_together = 256 };

clock_snapshot *interlock_clock_snapshot_now(thread_clock *own) {
  bool is_same = own->snapshot && own->snapshot_number == own->number &&
                 own->snapshot_lessons == own->lessons;
  if (!is_same) {
    interlock_clock_drop(own->snapshot, 1 + own->snapshot_spares);
    own->snapshot = interlock_clock_snapshot(&own->clock, 1 + uses_together);
    own->snapshot_spares = own->snapshot ? uses_together : 0;
    own->snapshot_number = own->number;
    own->snapshot_lessons = own->lessons;
    if (!own->snapshot) return NULL;
  } else if (own->snapshot_spares == 0) {
    // Relaxed: the thread itself is a user.
    __atomic_fetch_add(&own->snapshot->users, uses_together, __ATOMIC_RELAXED);
    own->snapshot_spares = uses_together;
  }
  own->snapshot_spares--;
  return own->snapshot;
}

void interlock_clock_drop_later(thread_clock *own, clock_snapshot *snapshot) {
  if (own->dropped != snapshot || own->dropped_count == uses_together) {
    interlock_clock_drop(own->dropped, own->dropped_count);
    own->dropped = snapshot;
    own->dropped_count = 0;
  }
  own->dropped_count++;
}

void interlock_clock_learn_snapshot(thread_clock *own, const clock_snapshot *snapshot,
                                    uint32_t slot, uint64_t count) {
  uint32_t width = interlock_clock_snapshot_width(snapshot);
  clock_change change = clock_join_counts(own->clock.counts, snapshot->counts, width);
  uint64_t seen_own = own->slot < width ? snapshot->counts[own->slot] : 0;
  if (slot == own->slot) {
    if (count > seen_own) seen_own = count;
  } else if (count > own->clock.counts[slot]) {
    own->clock.counts[slot] = count;
    change.has_grown = true;
  }
  clock_has_learnt(own, seen_own, change);
}

// The upper bits of the item's word have the slot: no address of a process needs them.
enum { slot_at = 48 };

void interlock_clock_pass_item(thread_clock *own, interlock_item *item) {
  clock_snapshot *snapshot =
      interlock_item_has_clock(item) ? interlock_clock_snapshot_now(own) : NULL;
  if (!snapshot) return;
  item->clock = (uint64_t)(uintptr_t)snapshot | (uint64_t)own->slot << slot_at;
  item->clock_count = own->clock.counts[own->slot];
  clock_count_on(own);
}

void interlock_clock_get_item(thread_clock *own, interlock_item *item) {
  if (!interlock_item_has_clock(item)) {
    // Queued before, or just as, the clocks began.
    interlock_clock_know_all(own);
    return;
  }
  if (!item->clock) return;
  uint64_t address = item->clock & (((uint64_t)1 << slot_at) - 1);
  clock_snapshot *snapshot = (clock_snapshot *)(uintptr_t)address;
  uint32_t slot = (uint32_t)(item->clock >> slot_at);
  interlock_clock_learn_snapshot(own, snapshot, slot, item->clock_count);
  item->clock = 0;
  interlock_clock_drop_later(own, snapshot);
}
