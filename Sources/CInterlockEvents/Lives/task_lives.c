// The creation and the end of tasks.
//
// A task may run, and even end, before the call that makes it returns, and only then is its address
// known. So while any thread makes a task, the ends of unknown tasks are listed, and the thread
// looks for its own task there.
#include "task_lives.h"

#ifdef INTERLOCK_INTERPOSES

enum { most_ends = 1 << 12 };

/// The number of threads that are making a task; the number of ends of unknown tasks so far.
static uint32_t making, unknown_ends;
static uintptr_t ended[most_ends];

/// The innermost followed task that the thread is making.
static __thread interlock_life_start *own_start __attribute__((tls_model("initial-exec")));

void interlock_life_starts(interlock_life_start *start, uintptr_t maker) {
  *start = interlock_life_scope(maker);
  if (!start->is_followed) return;
  start->outer = own_start;
  own_start = start;
  // Counted before the task can run: its end comes after this, and finds either the count or the
  // entry.
  __atomic_fetch_add(&making, 1, __ATOMIC_SEQ_CST);
  start->ends = __atomic_load_n(&unknown_ends, __ATOMIC_RELAXED);
}

void interlock_life_enqueued(uintptr_t job) {
  interlock_life_start *start = own_start;
  if (!start || start->enqueued) return;
  interlock_task_maker maker = interlock_marks.maker;
  uintptr_t place = interlock_user_place(maker.returns_to, maker.frame);
  uintptr_t outer = place == maker.returns_to
                        ? interlock_events_outer(maker.frame, maker.returns_to)
                        : 0;
  if (interlock_life_add(*start, job, (interlock_task_place){place, outer})) start->enqueued = job;
}

void interlock_life_begins(interlock_life_start *begun, uintptr_t task,
                           interlock_task_place place) {
  if (!begun->is_followed) return;
  interlock_life_start start = *begun;
  own_start = start.outer;
  if (start.enqueued == task) {
    // The task was added before it could run. Release: see the end of this function.
    __atomic_fetch_sub(&making, 1, __ATOMIC_RELEASE);
    return;
  }
  // The enqueued job was the actor's, not the task's.
  if (start.enqueued) interlock_life_remove(start.enqueued);
  bool is_added = interlock_life_add(start, task, place);
  // Sequentially consistent: an end that does not see the entry has listed the task before.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  uint32_t now = __atomic_load_n(&unknown_ends, __ATOMIC_RELAXED);
  bool is_lost = !is_added;
  if (is_added && now - start.ends > most_ends) {
    // Some ends were overwritten, so it is not known whether the task has ended.
    is_lost = interlock_life_remove(task);
  }
  for (uint32_t index = start.ends; is_added && !is_lost && index != now; index++) {
    if (__atomic_load_n(&ended[index % most_ends], __ATOMIC_RELAXED) != task) continue;
    interlock_life_remove(task);
    break;
  }
  if (is_lost) interlock_life_lost();
  // Release: an end that sees the count without this thread sees the entry too.
  __atomic_fetch_sub(&making, 1, __ATOMIC_RELEASE);
}

void interlock_life_ends(uintptr_t task) {
  // Acquire: pairs with the release in `interlock_life_begins`.
  bool is_any_made = __atomic_load_n(&making, __ATOMIC_ACQUIRE) > 0;
  if (interlock_life_remove(task) || !is_any_made) return;
  uint32_t index = __atomic_fetch_add(&unknown_ends, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&ended[index % most_ends], task, __ATOMIC_RELAXED);
  // Sequentially consistent: a thread that does not find the task in the list has added it.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  interlock_life_remove(task);
}

#endif
