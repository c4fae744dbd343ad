// The orders of tasks, from the calls that the Swift runtime makes for ThreadSanitizer, without
// ThreadSanitizer: a task is made and begins, ends and is awaited, is resumed; an actor is left and
// entered.
//
// Called inside the runtime, possibly with its locks held: nothing here allocates, waits, or makes
// an interposed call.
#include "../thread_record.h"

#ifdef INTERLOCK_INTERPOSES

#include "interlock_performer.h"

static interlock_task_edges edges;

/// Begins to change the calling thread's clock; NULL if the call is not followed. Calls from
/// libswiftCore are about initialisers that run once, which have events.
static thread_record *begin(uintptr_t place) {
  if (interlock_marks.hidden > 0 || interlock_clocks_are_blind()) return NULL;
  if (!interlock_events_is_concurrency(place)) return NULL;
  thread_record *record = own_record();
  thread_clock *own = interlock_clock_own(record, NULL);
  if (!own) return NULL;
  if (is_in_change()) {
    interlock_clocks_lose_sight("a signal's handler met the reader at work");
    return NULL;
  }
  begin_change();
  return record;
}

static bool is_task(const void *object) { return *(const uintptr_t *)object == edges.metadata; }

purpose interlock_clock_purpose_of(const void *object) {
  return is_task(object) ? AS_TASK : AS_ACTOR;
}

/// Called when the thread begins to run a job, which may be a task.
static void run_job(thread_record *record, const void *job) {
  thread_clock *own = record->clock;
  // A task that runs another one within its own code is still current.
  if (own->of_task && own->calls == 0 && current_task(record) != own->task) {
    interlock_clock_task_leaves(record);
  }
  if (is_task(job)) {
    interlock_clock_task_begins(record, (uintptr_t)job, true);
  } else {
    interlock_clock_get(record->clock, (uintptr_t)job, AS_ACTOR, false, true);
  }
}

static void acquire(const void *object) {
  uintptr_t place = (uintptr_t)__builtin_return_address(0);
  thread_record *record = begin(place);
  if (!record) return;
  if (place == edges.run_place) {
    run_job(record, object);
  } else {
    thread_clock *own = interlock_clock_now(record, false);
    purpose purpose = interlock_clock_purpose_of(object);
    bool is_known = interlock_clock_get(own, (uintptr_t)object, purpose, false, false);
    if (purpose == AS_ACTOR) {
      interlock_clock_task_comes(own, (uintptr_t)object);
    } else if (!is_known) {
      // The clock of the ended task was forgotten.
      interlock_clock_know_all(own);
    }
  }
  end_change();
}

static void release(const void *object) {
  uintptr_t place = (uintptr_t)__builtin_return_address(0), address = (uintptr_t)object;
  thread_record *record = begin(place);
  if (!record) return;
  thread_clock *own = interlock_clock_now(record, false);
  if (!interlock_clock_task_goes(own, address)) {
    interlock_clock_task_leaves(record);
    own = record->clock;
  }
  // A new task may have the address of an ended one.
  if (interlock_events_makes_task() && address != current_task(record) &&
      !interlock_clock_task_has_begun(address)) {
    interlock_clock_forget(address, interlock_clock_purpose_of(object));
  }
  interlock_clock_pass(own, address, interlock_clock_purpose_of(object), false);
  if (place == edges.end_place && own->task == address) interlock_clock_task_ends(own);
  end_change();
}

void interlock_clock_follow_edges(void) {
  if (!interlock_learn_task_edges(&edges)) return;
  interlock_clock_tasks_are_exact = true;
  // Release: pairs with the dependency of the runtime's call on the pointer.
  __atomic_store_n(edges.release, release, __ATOMIC_RELEASE);
  __atomic_store_n(edges.acquire, acquire, __ATOMIC_RELEASE);
}

void interlock_clock_edges_forked(void) {
  if (!interlock_clock_tasks_are_exact) return;
  *edges.acquire = *edges.release = NULL;
}

#else
purpose interlock_clock_purpose_of(const void *object) {
  (void)object;
  return AS_TASK;
}
void interlock_clock_follow_edges(void) {}
void interlock_clock_edges_forked(void) {}
#endif
