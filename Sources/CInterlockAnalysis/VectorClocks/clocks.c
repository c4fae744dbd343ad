// Vector clocks, as in Djit+ and FastTrack (PLDI 2009). Each thread counts its releases, and its
// clock has, for each other thread, the count up to which that thread's code happens before its
// own. An object at which threads synchronise (a lock, a queue, a block) carries such a clock from
// the thread that releases it to the thread that acquires it.
//
// A superfluous order hides a race; a missing order would be a false alarm. So if it is not known
// after which thread an acquisition comes, it is ordered after all threads. Once threads may be
// ordered unseen, no order is known from then on.
#include "../thread_record.h"
#include "interlock_clocks.h"
#include "interlock_runtime.h"

/// True in a child process, in which the reader was removed.
static bool was_forked;

static void forked(void) {
  // The child has no clocks unless it starts them, and it does not have the threads that held the
  // locks.
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
  // Called first, because the events of tasks are then read in another way.
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
  if (__atomic_compare_exchange_n(&interlock_clocks_state, &none, 1, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    interlock_events_hide_thread(true);
    bool is_on = prepare();
    interlock_events_hide_thread(false);
    __atomic_store_n(&interlock_clocks_state, is_on ? 2 : 3, __ATOMIC_RELEASE);
    if (is_on) {
      interlock_hear_locks();
      interlock_set_order_source(&source);
    }
  }
  while (__atomic_load_n(&interlock_clocks_state, __ATOMIC_ACQUIRE) == 1) interlock_give_way();
  return __atomic_load_n(&interlock_clocks_state, __ATOMIC_ACQUIRE) == 2;
}
