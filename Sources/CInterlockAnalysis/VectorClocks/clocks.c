// Vector clocks, as in Djit+ and FastTrack (PLDI 2009). Each thread counts its releases, and its
// clock has, for each other thread, the count up to which that thread's code happens before its
// own. An object at which threads synchronise (a lock, a queue, a block) carries such a clock from
// the thread that releases it to the thread that acquires it.
//
// An order too many hides a race; an order too few would be a false alarm. So if it is not known
// which thread an acquisition is ordered after, it is ordered after all threads. Once something may
// order threads unseen, no order is known from then on.
#include "../thread_record.h"
#include "interlock_clocks.h"
#include "interlock_runtime.h"

const char *interlock_clocks_reason;
/// Whether an epoch was requested after the orders were lost.
static bool is_missed;
static int state;

void interlock_clocks_lose_sight(const char *reason) {
  const char *none = NULL;
  // Relaxed: a constant text. It does not matter when other threads see it, because the missed
  // order came before.
  __atomic_compare_exchange_n(&interlock_clocks_reason, &none, reason, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}

const char *interlock_clocks_blindness(void) {
  if (__atomic_load_n(&state, __ATOMIC_RELAXED) == 3) {
    const char *lost = interlock_layouts_lost(INTERLOCK_LAYOUTS_OF_LOCKS);
    return lost ? lost : "there was no memory for it, or no room for a reader";
  }
  return __atomic_load_n(&interlock_clocks_reason, __ATOMIC_RELAXED);
}

// Questions.

/// The clock of what the thread does now. If that is a task which began unseen, its clock is made.
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
  // Relaxed, the second: as in `interlock_clocks_blindness`. The third: read at the end.
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2 || interlock_clocks_are_blind()) {
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
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2) return;
  thread_clock *own = interlock_clock_own(own_record(), NULL);
  if (own) interlock_clock_know_all(own);
}

bool interlock_clocks_has_seen(uint32_t slot, uint64_t count) {
  const thread_clock *own = interlock_own_record ? interlock_own_record->clock : NULL;
  return !own || interlock_clock_has_seen(own, slot, count);
}

/// The process is a child, in which the reader was removed.
static bool was_forked;

static void forked(void) {
  // The child does not follow orders unless it starts to, and does not have the threads that held
  // the locks.
  was_forked = true;
  interlock_set_order_source(NULL);
  interlock_clock_events_forked();
  interlock_clock_edges_forked();
  interlock_clock_tasks_forked();
  interlock_clock_nodes_forked();
  interlock_clock_snapshots_forked();
  interlock_clock_threads_forked();
}

static bool prepare(void) {
  if (interlock_events_available() != INTERLOCK_EVENTS_ALL) return false;
  if (interlock_layouts_lost(INTERLOCK_LAYOUTS_OF_LOCKS)) return false;
  if (!interlock_clock_nodes_prepare() || !interlock_clock_threads_prepare() ||
      !interlock_clock_tasks_prepare()) {
    return false;
  }
  pthread_atfork(NULL, NULL, forked);
  interlock_queues_prepare();
  // First: the events of tasks are read in another way then.
  interlock_clock_follow_edges();
#ifdef INTERLOCK_INTERPOSES
  // Relaxed: see `interlock_make_item`.
  __atomic_store_n(&interlock_items_have_clocks, true, __ATOMIC_RELAXED);
#endif
  return interlock_follow(INTERLOCK_PART_CLOCKS);
}

static const interlock_order_source source = {interlock_clocks_epoch, interlock_clocks_has_seen,
                                              interlock_copy_held};

bool interlock_clocks_start(void) {
  int none = 0;
  if (was_forked) {
    was_forked = false;
    interlock_clock_follow_edges();
    if (!interlock_follow(INTERLOCK_PART_CLOCKS)) return false;
    interlock_set_order_source(&source);
    return true;
  }
  // Acquire and release: a thread that reads 2 sees the tables.
  if (__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    interlock_events_hide_thread(true);
    bool is_on = prepare();
    interlock_events_hide_thread(false);
    __atomic_store_n(&state, is_on ? 2 : 3, __ATOMIC_RELEASE);
    if (is_on) {
      interlock_hear_locks();
      interlock_set_order_source(&source);
    }
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 1) interlock_give_way();
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2;
}
