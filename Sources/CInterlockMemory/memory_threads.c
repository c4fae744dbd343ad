// The threads whose accesses are checked.
#include "interlock_performer.h"
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "Mutexes/mutex_list.h"

/// True if the thread's record has been released: accesses of its last destructors are not checked.
static __thread bool has_ended __attribute__((tls_model("initial-exec")));
__thread uint32_t interlock_memory_ignores;
/// The data of threads, by the slot of the thread's own clock, and the histories of slots. A page
/// of either is used from the slot's first thread on.
static memory_thread *threads;
static slot_history *histories;

static void *reserve(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

bool interlock_memory_threads_prepare(void) {
  threads = reserve(most_slots * sizeof *threads);
  histories = reserve(most_slots * sizeof *histories);
  return threads && histories;
}

uint64_t interlock_memory_compared(void) {
  uint64_t sum = 0;
  // Relaxed, both: running threads may add to the counts meanwhile.
  uint32_t slots = __atomic_load_n(&interlock_clock_slots_used, __ATOMIC_RELAXED);
  for (uint32_t slot = 0; slot < slots && threads; slot++) {
    sum += __atomic_load_n(&threads[slot].compared, __ATOMIC_RELAXED);
  }
  return sum;
}

memory_thread *interlock_memory_thread_of_slot(uint32_t slot) {
  // Relaxed: a thread of a newer slot has not synchronised with the calling thread.
  bool is_used = slot < __atomic_load_n(&interlock_clock_slots_used, __ATOMIC_RELAXED);
  return threads && is_used ? &threads[slot] : NULL;
}

slot_history *interlock_memory_of_slot(uint32_t slot) { return &histories[slot % most_slots]; }

void interlock_memory_follow_clock(memory_thread *own) {
  thread_record *record = own->record;
  thread_clock *clock = record->clock;
  if (record->stack_mark) {
    // Accesses below the mark are of other code, which nothing orders before this code.
    enum { usual_size = 8 << 20 };
    uintptr_t low = own->stack_low ? own->stack_low : record->stack_mark - usual_size;
    interlock_forget_memory(low, record->stack_mark - low);
    record->stack_mark = 0;
  }
  own->clock_changes = record->clock_changes;
  own->last_count = own->settled = own->unchanged = UINT64_MAX;
  own->clock = clock;
  own->count = &clock->clock.counts[clock->slot];
  own->slot = (shadow_cell)clock->slot << slot_shift;
  own->history = &histories[clock->slot];
  // Release: pairs with the acquire in references.c. The clock is whole.
  __atomic_store_n(&own->history->clock, clock, __ATOMIC_RELEASE);
}

/// Forgets the accesses of the new thread's stack, which may have been another thread's. Not at the
/// first access, which a signal handler may make: this function allocates.
void interlock_memory_thread_begins(void) {
  if (!__atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED)) return;
  pthread_attr_t attributes;
  void *low = NULL;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    interlock_forget_memory((uintptr_t)low, size);
  }
  pthread_attr_destroy(&attributes);
  memory_thread *own = own_memory();
  if (own) own->stack_low = (uintptr_t)low;
}

static memory_thread *begin(void) {
  thread_record *record = own_record();
  if (!record || !interlock_clock_own(record, NULL)) return NULL;
  memory_thread *own = &threads[record->base->slot];
  own->record = record;
  own->is_busy = own->is_in_plain_code = false;
  own->task = 0;
  own->depth = own->linked = 0;
  own->stack_low = 0;
  interlock_memory_choose_path(own, interlock_marks.controlled);
  // No epoch has this count, so the first access writes a situation: the slot's last thread had
  // another one.
  own->last_count = own->settled = own->unchanged = UINT64_MAX;
  own->last_held = own->last_runs = own->queue_runs = 0;
  own->queue[0] = 0;
  memset(own->recent, 0, sizeof own->recent);
  // `known` stays: the call sites that the slot's last thread had looked up are valid for this
  // thread too.
  interlock_memory_follow_clock(own);
  return own;
}

__attribute__((noinline)) memory_thread *interlock_memory_begin_thread(void) {
  // Relaxed: a thread that reads the old value begins with its next access.
  if (!__atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED)) return NULL;
  // A hidden thread is the harness's own, or is in a reader of the events.
  if (has_ended || interlock_memory_ignores > 0 || interlock_marks.hidden) return NULL;
  if (interlock_clocks_are_blind()) return NULL;
  int error = errno;
  interlock_events_hide_thread(true);
  memory_thread *own = begin();
  interlock_events_hide_thread(false);
  errno = error;
  interlock_memory_own = interlock_memory_thread = own;
  return own;
}

void interlock_memory_end_thread(void) {
  interlock_memory_stop_thread();
  has_ended = true;
}

/// Called by the explorer when a pthread begins to run another explored thread, each of which ends
/// like a real thread. The new thread's frames lie below `top`, where an earlier thread had frames
/// that nothing orders before this thread.
void interlock_memory_explored_thread_begins(uintptr_t low, uintptr_t top) {
  has_ended = false;
  // Relaxed: set before the exploration began.
  if (__atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED) && low < top) {
    interlock_forget_memory(low, top - low);
  }
  if (interlock_memory_thread) interlock_memory_choose_path(interlock_memory_thread, true);
}

/// Brings the thread's clock to that of its current task. Returns false if the order of the running
/// code is not known.
static bool come_to_clock(memory_thread *own) {
  thread_record *record = own->record;
  // Within an epoch a thread does not begin another task, because making a task or taking it over
  // begins a new epoch.
  bool is_same_clock = record->clock_changes == own->clock_changes;
  if (is_same_clock && own->settled == *own->count) return true;
  uintptr_t task = current_task(record);
  thread_clock *clock = record->clock;
  own->task = 0;
  if (!task && !clock->of_task && clock->jobs == 0) {
    own->settled = *own->count;
    return true;
  }
  bool has_clock = task && clock->of_task && clock->task == task && clock->calls == 0;
  if (has_clock) own->task = task;
  if (has_clock && is_same_clock) return true;
  begin_change();
  bool is_known = true;
  if (interlock_clock_tasks_are_exact) {
    clock = task ? interlock_clock_now(record, false) : interlock_clock_without_task(record);
    if (task && !clock->of_task && clock->calls == 0) {
      interlock_clock_task_begins(record, task, false);
    }
  } else if (clock->jobs > 0) {
    interlock_clock_come_to_task(clock);
  } else {
    is_known = !task;
  }
  end_change();
  if (record->clock_changes != own->clock_changes) interlock_memory_follow_clock(own);
  return is_known;
}

bool interlock_memory_settle(memory_thread *own) {
  // Relaxed: a thread that reads the old value stops at its next access.
  if (!__atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED)) {
    interlock_memory_stop_thread();
    return false;
  }
  const char *blind = __atomic_load_n(&interlock_clocks_reason, __ATOMIC_RELAXED);
  if (blind) {
    interlock_memory_lose_sight(blind);
    return false;
  }
  if (*own->count >= MOST_COUNT) {
    interlock_memory_lose_sight("a thread has made more than 2^42 releases");
    return false;
  }
  // A lock of the section tracker is ignored by the clocks: it guards the tracker's own data, and
  // the tracker's module may be instrumented as well.
  if (interlock_marks.hidden || interlock_tracker_locks > 0) return false;
  return come_to_clock(own);
}

static void order(bool gives, uintptr_t object, purpose purpose) {
  memory_thread *own = own_memory();
  if (!own || is_interrupted(own) || !interlock_memory_settle(own)) return;
  begin_change();
  if (gives) {
    if (purpose == AS_ATOMIC) interlock_memory_note_atomic(object);
    interlock_clock_pass(own->clock, object, purpose, false);
  } else {
    interlock_clock_get(own->clock, object, purpose, false, false);
  }
  end_change();
}

void interlock_memory_order(bool gives, uintptr_t atomic) { order(gives, atomic, AS_ATOMIC); }

void interlock_memory_order_mutex(bool gives, uintptr_t mutex) { order(gives, mutex, AS_LOCK); }

#endif
