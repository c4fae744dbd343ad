// Whether the clocks know all orders, and whether they know those of tasks; and the main thread's
// slot. This file calls no other, and so is in no circle of calls.
#include "../thread_record.h"
#include "interlock_clocks.h"

const char *interlock_clocks_reason;
bool interlock_clock_tasks_are_exact;
uint32_t interlock_main_slot = most_slots;

void interlock_clocks_lose_sight(const char *reason) {
  const char *none = NULL;
  // Relaxed: the text is constant. It may become visible late, because the missed order came
  // before.
  __atomic_compare_exchange_n(&interlock_clocks_reason, &none, reason, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}
