// The clocks of threads. Their memory is from the system, because the calling thread may be inside
// malloc.
#include "../thread_record.h"

#include <stddef.h>
#include <sys/mman.h>

static thread_clock *threads;
static uint32_t threads_used;
static int slots_lock;

slot_count interlock_clock_counts[most_slots];

void interlock_clock_thread_ends(thread_clock *clock) {
  // Release: pairs with the acquire in `find_clock`. The slot's next thread sees this clock.
  __atomic_store_n(&clock->is_alive, false, __ATOMIC_RELEASE);
}

void interlock_clock_renew_number(thread_clock *own) {
  static uint64_t numbers;
  // Relaxed: the numbers must only differ.
  own->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
}

/// The initial count of a slot. Defined by tests only.
extern uint64_t interlock_test_first_count(void) __attribute__((weak));

/// The caller holds the lock, and there are unused slots.
static uint32_t new_slot(void) {
  uint32_t slot = interlock_clock_slots_used;
  if (interlock_test_first_count) interlock_clock_counts[slot].count = interlock_test_first_count();
  // Relaxed: a thread that reads the old number has not synchronised with a thread of the slot.
  __atomic_store_n(&interlock_clock_slots_used, slot + 1, __ATOMIC_RELAXED);
  return slot;
}

/// The caller holds the lock.
static thread_clock *find_clock(void) {
  if (threads_used < most_threads) {
    threads[threads_used].slot = new_slot();
    return &threads[threads_used++];
  }
  // Reuse the slot of an ended thread. A clock that has learnt of the new thread then seems to have
  // learnt of the ended one too.
  for (uint32_t index = 0; index < most_threads; index++) {
    if (!__atomic_load_n(&threads[index].is_alive, __ATOMIC_ACQUIRE)) return &threads[index];
  }
  return NULL;
}

static thread_clock *claim_clock(void) {
  take(&slots_lock);
  thread_clock *found = find_clock();
  if (found) {
    uint32_t slot = found->slot;
    // The slot's own count continues, so that other clocks' counts of the ended thread stay valid.
    for (uint32_t index = 0; index < most_slots; index++) {
      if (index != slot) found->clock.counts[index] = 0;
    }
    clock_count_on(found);
    found->began = found->clock.counts[slot];
    interlock_clock_renew_number(found);
    found->lessons = 0;
    interlock_clock_forget_snapshots(found);
    found->lock = found->queue = found->task = 0;
    found->first_count = found->seen_own = 0;
    found->runs = found->jobs = found->initialisers = found->shared_count = found->calls = 0;
    found->called_queue = 0;
    found->uses_locals = false;
    found->handle = pthread_self();
    __atomic_store_n(&found->is_alive, true, __ATOMIC_RELEASE);
  }
  give(&slots_lock);
  if (!found) interlock_clocks_lose_sight("there were more than 256 threads at a time");
  return found;
}

/// The free slots of tasks, in the order in which they became free, each with the count at which
/// its last task ended.
static struct {
  uint32_t slot;
  uint64_t end;
} free_slots[most_task_slots];
static uint32_t free_count, task_slots_made;

/// Returns the index of the free slot to reuse; `free_count` for none. The caller holds the lock.
static uint32_t find_free(const vector_clock *clock) {
  for (uint32_t index = 0; index < free_count; index++) {
    if (clock->counts[free_slots[index].slot] >= free_slots[index].end) return index;
  }
  // The oldest, once every slot exists: nothing orders its task before the new one.
  return task_slots_made < most_task_slots ? free_count : 0;
}

uint32_t interlock_clock_take_slot(const vector_clock *clock) {
  uint32_t slot = most_slots;
  take(&slots_lock);
  uint32_t index = find_free(clock);
  if (index < free_count) {
    slot = free_slots[index].slot;
    memmove(&free_slots[index], &free_slots[index + 1],
            (--free_count - index) * sizeof free_slots[0]);
  } else if (task_slots_made < most_task_slots) {
    task_slots_made++;
    slot = new_slot();
  }
  give(&slots_lock);
  return slot;
}

void interlock_clock_give_slot(uint32_t slot, uint64_t end) {
  take(&slots_lock);
  free_slots[free_count].slot = slot;
  free_slots[free_count++].end = end;
  give(&slots_lock);
}

void interlock_clock_forget_others(thread_clock *own) {
  uint64_t *counts = own->clock.counts;
  // Other threads read the thread's own count, which must never decrease.
  memset(counts, 0, own->slot * sizeof *counts);
  uint32_t next = own->slot + 1, width = clock_width();
  if (width > next) memset(counts + next, 0, (width - next) * sizeof *counts);
  clock_count_on(own);
  own->seen_own = 0;
  interlock_clock_renew_number(own);
}

void interlock_clock_forget_all(thread_clock *own) {
  clock_copy(&own->outside, &own->clock);
  interlock_clock_forget_others(own);
  own->first_count = own->clock.counts[own->slot];
}

void interlock_clock_remember(thread_clock *own) {
  if (own->first_count == 0) return;
  clock_learn(own, &own->outside);
  own->first_count = 0;
  interlock_clock_renew_number(own);
}

void interlock_clock_know_all(thread_clock *own) {
  uint32_t used = __atomic_load_n(&interlock_clock_slots_used, __ATOMIC_RELAXED);
  own->seen_own = own->clock.counts[own->slot];
  for (uint32_t index = 0; index < used; index++) {
    if (index == own->slot) continue;
    // Relaxed: the caller has synchronised with the thread in a way that no event shows.
    const uint64_t *count = &interlock_clock_counts[index].count;
    own->clock.counts[index] = __atomic_load_n(count, __ATOMIC_RELAXED);
  }
  own->lessons++;
}

thread_clock *interlock_clock_own(thread_record *record, const interlock_event *event) {
  if (__builtin_expect(record && record->clock, 1)) return record->clock;
  if (!record) return NULL;
  thread_clock *own;
  begin_change();
  own = record->clock = record->base = claim_clock();
  end_change();
  if (own && !(event && event->kind == INTERLOCK_EVENT_START)) interlock_clock_know_all(own);
  return own;
}

void interlock_clock_join_thread(thread_clock *own, pthread_t handle) {
  take(&slots_lock);
  bool is_lent = threads_used == most_threads;
  for (uint32_t index = 0; index < threads_used; index++) {
    if (pthread_equal(threads[index].handle, handle)) clock_learn(own, &threads[index].clock);
  }
  give(&slots_lock);
  // Another thread may have reused the joined thread's slot.
  if (is_lent) interlock_clock_know_all(own);
}

bool interlock_clock_threads_prepare(void) {
  void *memory = mmap(NULL, most_threads * sizeof *threads, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  threads = memory;
  return true;
}

void interlock_clock_threads_forked(void) { slots_lock = 0; }
