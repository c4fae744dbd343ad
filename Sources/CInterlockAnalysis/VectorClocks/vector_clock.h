// A vector clock, and the join of two. Included by `CInterlockAnalysis/` and `CInterlockMemory/`
// only.
#ifndef INTERLOCK_VECTOR_CLOCK_H
#define INTERLOCK_VECTOR_CLOCK_H

#include <string.h>

#include "interlock_internals.h"

/// Each thread has a slot, and so have some of the tasks that have begun and not ended.
enum { most_threads = 256, most_task_slots = 128, most_slots = most_threads + most_task_slots };

/// The counts have 64 bits: a slot's count continues when another thread takes the slot, and if it
/// wrapped, ordered accesses would be reported as races. With a hot lock, 2^32 releases take
/// minutes.
typedef struct {
  uint64_t counts[most_slots];
} vector_clock;

/// The count of each slot, on a cache line of its own: only the thread that runs as the slot writes
/// it, and it never decreases.
typedef struct {
  _Alignas(64) uint64_t count;
} slot_count;
extern slot_count interlock_clock_counts[most_slots] HIDDEN;

/// The number of slots that threads and tasks have used. Relaxed if it is read without the slots'
/// lock: a thread that reads an old number has not synchronised with any thread of a newer slot.
extern uint32_t interlock_clock_slots_used HIDDEN;

/// The number of slots that a function must read in a clock: the used ones, rounded up to a
/// multiple of 4, because a join reads four at a time. The counts of slots above are 0, or were
/// never written.
static inline uint32_t clock_width(void) {
  // Relaxed: see `interlock_clock_slots_used`.
  return (__atomic_load_n(&interlock_clock_slots_used, __ATOMIC_RELAXED) + 3) / 4 * 4;
}

static inline void clock_copy(vector_clock *into, const vector_clock *from) {
  memcpy(into->counts, from->counts, clock_width() * sizeof *into->counts);
}

static inline void clock_clear(vector_clock *clock) {
  memset(clock->counts, 0, clock_width() * sizeof *clock->counts);
}

/// The result of a join for the changed clock: whether one of its counts was larger, so that it is
/// not equal to the other clock now; and whether one of its counts has grown.
typedef struct {
  bool had_more, has_grown;
} clock_change;

/// Joins a clock into another: takes the larger of each two counts. The width is a multiple of 4.
clock_change clock_join_counts(uint64_t *into, const uint64_t *from, uint32_t width) HIDDEN;

static inline clock_change clock_join(vector_clock *into, const vector_clock *from) {
  return clock_join_counts(into->counts, from->counts, clock_width());
}

#endif
