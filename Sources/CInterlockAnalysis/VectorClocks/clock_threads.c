// Clocks of threads. In memory from the system: malloc may be what is being called.
#include "../thread_record.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static thread_clock *slots;
static int slots_lock;

uint32_t interlock_clock_slots_used;

void interlock_clock_thread_ends(thread_clock *clock) {
  // Release: the thread that takes the slot finds the clock as this thread left it.
  __atomic_store_n(&clock->is_alive, false, __ATOMIC_RELEASE);
}

/// A number that no thread has had: what it gave up until now is not what it knows by itself.
static void renew_number(thread_clock *own) {
  static uint64_t numbers;
  // Relaxed: only that no two are equal is asked for.
  own->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
}

/// For tests, which define it: the count that a slot begins with.
extern uint64_t interlock_test_first_count(void) __attribute__((weak));

static thread_clock *claim_slot(void) {
  take(&slots_lock);
  thread_clock *found = NULL;
  if (interlock_clock_slots_used < most_slots) {
    found = &slots[interlock_clock_slots_used];
    found->slot = interlock_clock_slots_used;
    if (interlock_test_first_count) found->clock.counts[found->slot] = interlock_test_first_count();
    // Relaxed: a thread that does not count the new slot yet has met no thread that was in it.
    __atomic_store_n(&interlock_clock_slots_used, interlock_clock_slots_used + 1, __ATOMIC_RELAXED);
  } else {
    // A thread that has ended lends its slot: what has learnt of the later one seems to have learnt
    // of the earlier too.
    for (uint32_t index = 0; index < most_slots && !found; index++) {
      if (!__atomic_load_n(&slots[index].is_alive, __ATOMIC_ACQUIRE)) found = &slots[index];
    }
  }
  if (found) {
    uint32_t slot = found->slot;
    // Its own count goes on: what is known of the slot's last thread stays true.
    for (uint32_t index = 0; index < most_slots; index++) {
      if (index != slot) found->clock.counts[index] = 0;
    }
    clock_count_on(found);
    renew_number(found);
    found->lessons = 0;
    found->mutex = found->task = 0;
    found->first_count = found->seen_own = 0;
    found->runs = found->jobs = found->initialisers = found->shared_count = 0;
    found->called_queue = 0;
    found->is_busy = false;
    found->handle = pthread_self();
    __atomic_store_n(&found->is_alive, true, __ATOMIC_RELEASE);
  }
  give(&slots_lock);
  if (!found) {
    interlock_clocks_lose_sight("there were more than 256 threads at a time");
    return NULL;
  }
  return found;
}

bool interlock_clock_has_seen(const thread_clock *own, uint32_t slot, uint64_t count) {
  slot %= most_slots;
  if (slot == own->slot) return count >= own->first_count || count <= own->seen_own;
  return own->clock.counts[slot] >= count;
}

void interlock_clock_forget_all(thread_clock *own) {
  uint32_t used = __atomic_load_n(&interlock_clock_slots_used, __ATOMIC_RELAXED);
  // What lies above is 0, here and there.
  memcpy(own->outside.counts, own->clock.counts, used * sizeof *own->clock.counts);
  for (uint32_t index = 0; index < used; index++) {
    // Its own is looked at by others, and never less than it was.
    if (index != own->slot) own->clock.counts[index] = 0;
  }
  clock_count_on(own);
  own->first_count = own->clock.counts[own->slot];
  own->seen_own = 0;
  renew_number(own);
}

void interlock_clock_remember(thread_clock *own) {
  if (own->first_count == 0) return;
  clock_learn(own, &own->outside);
  own->first_count = 0;
  renew_number(own);
}

/// A thread whose beginning was not seen comes after all that has happened.
void interlock_clock_know_all(thread_clock *own) {
  uint32_t used = __atomic_load_n(&interlock_clock_slots_used, __ATOMIC_RELAXED);
  own->seen_own = own->clock.counts[own->slot];
  for (uint32_t index = 0; index < used; index++) {
    if (index == own->slot) continue;
    own->clock.counts[index] = __atomic_load_n(&slots[index].clock.counts[index], __ATOMIC_RELAXED);
  }
  own->lessons++;
}

thread_clock *interlock_clock_own(thread_record *record, const interlock_event *event) {
  if (__builtin_expect(record && record->clock, 1)) return record->clock;
  if (!record) return NULL;
  thread_clock *own;
  // Hidden: the handler of a signal that comes meanwhile would come here too.
  interlock_events_hide_thread(true);
  own = record->clock = claim_slot();
  interlock_events_hide_thread(false);
  if (own && !(event && event->kind == INTERLOCK_EVENT_START)) interlock_clock_know_all(own);
  return own;
}

/// A thread has been joined: all that had its handle, since another may have it by now.
void interlock_clock_join_thread(thread_clock *own, pthread_t handle) {
  take(&slots_lock);
  bool is_lent = interlock_clock_slots_used == most_slots;
  for (uint32_t index = 0; index < interlock_clock_slots_used; index++) {
    if (pthread_equal(slots[index].handle, handle)) clock_learn(own, &slots[index].clock);
  }
  give(&slots_lock);
  // Its slot may be another's.
  if (is_lent) interlock_clock_know_all(own);
}

bool interlock_clock_threads_prepare(void) {
  void *memory = mmap(NULL, most_slots * sizeof *slots, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  slots = memory;
  return true;
}

void interlock_clock_threads_forked(void) { slots_lock = 0; }
