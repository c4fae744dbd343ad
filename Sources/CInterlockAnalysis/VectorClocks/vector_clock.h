// A vector clock, and how one is joined into another. Not for users of the target.
#ifndef INTERLOCK_VECTOR_CLOCK_H
#define INTERLOCK_VECTOR_CLOCK_H

#include "interlock_internals.h"

enum { most_slots = 256 };

/// 64 bits: a slot's count goes on when another thread has the slot, and one that wraps would make
/// false races of what is in order. A hot lock takes minutes to count to 2^32.
typedef struct {
  uint64_t counts[most_slots];
} vector_clock;

/// The number of slots that threads have used. Relaxed where it is read without the slots' lock: a
/// thread that does not count a new slot yet has synchronised with no thread that used it.
extern uint32_t interlock_clock_slots_used HIDDEN;

/// Makes a clock know all that another knows.
static inline void clock_join(vector_clock *into, const vector_clock *from) {
  // Relaxed: another thread may just count on, and whichever count is found is one that it had.
  uint32_t used = __atomic_load_n(&interlock_clock_slots_used, __ATOMIC_RELAXED);
  for (uint32_t index = 0; index < used; index++) {
    if (from->counts[index] > into->counts[index]) into->counts[index] = from->counts[index];
  }
}

#endif
