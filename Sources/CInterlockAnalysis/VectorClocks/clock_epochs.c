// Queries of the clocks: the epoch of the current code, and the code that happens before it.
#include "../thread_record.h"
#include "interlock_clocks.h"
#include "interlock_runtime.h"

int interlock_clocks_state;
/// True if an epoch was requested after the orders were lost.
static bool is_missed;

const char *interlock_clocks_blindness(void) {
  if (__atomic_load_n(&interlock_clocks_state, __ATOMIC_RELAXED) == 3) {
    const char *lost = interlock_layouts_lost(INTERLOCK_LAYOUTS_OF_LOCKS);
    return lost ? lost : "there was no memory for it, or no room for a reader";
  }
  return __atomic_load_n(&interlock_clocks_reason, __ATOMIC_RELAXED);
}

/// Returns the clock of the running code. If a task runs that began unseen, makes its clock.
static thread_clock *clock_of_task(thread_record *record, thread_clock *own, bool is_task) {
  if (!is_task && !own->of_task) return own;
  begin_change();
  own = is_task ? interlock_clock_now(record, false) : interlock_clock_without_task(record);
  if (is_task && !own->of_task && own->calls == 0) {
    interlock_clock_task_begins(record, (uintptr_t)swift_task_getCurrent(), false);
    own = record->clock;
  }
  end_change();
  return own;
}

bool interlock_clocks_epoch(bool is_task, uint32_t *slot, uint64_t *count) {
  // Acquire, the state: the tables are complete. Relaxed, the rest: `is_missed` is read at the end.
  if (__atomic_load_n(&interlock_clocks_state, __ATOMIC_ACQUIRE) != 2 ||
      interlock_clocks_are_blind()) {
    __atomic_store_n(&is_missed, true, __ATOMIC_RELAXED);
    return false;
  }
  thread_record *record = own_record();
  thread_clock *own = interlock_clock_own(record, NULL);
  if (own && interlock_clock_tasks_are_exact) own = clock_of_task(record, own, is_task);
  if (!own || own->initialisers > 0 || is_task != (own->jobs > 0)) return false;
  if (is_task) {
    begin_change();
    if (!own->of_task) interlock_clock_come_to_task(own);
    // A new epoch, so that a thread which is ordered after everything now is ordered after the
    // task's code so far.
    clock_count_on(own);
    end_change();
  }
  *slot = own->slot;
  *count = own->clock.counts[own->slot];
  return true;
}

bool interlock_clocks_are_missed(void) { return __atomic_load_n(&is_missed, __ATOMIC_RELAXED); }

void interlock_clocks_come_after_all(void) {
  if (__atomic_load_n(&interlock_clocks_state, __ATOMIC_ACQUIRE) != 2) return;
  thread_clock *own = interlock_clock_own(own_record(), NULL);
  if (own) interlock_clock_know_all(own);
}

bool interlock_clocks_has_seen(uint32_t slot, uint64_t count) {
  const thread_clock *own = interlock_own_record ? interlock_own_record->clock : NULL;
  return !own || interlock_clock_has_seen(own, slot, count);
}
