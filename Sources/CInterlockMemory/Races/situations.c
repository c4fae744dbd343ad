// The situations of each thread in its last epochs: the held locks, the task, the scope and the
// queue.
#include "interlock_performer.h"
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#include "../Mutexes/mutex_list.h"

static interlock_memory_scope scope_of_caller;

// NULL in a program that does not explore.
uint32_t interlock_explored_thread_number(void) __attribute__((weak));

static uint32_t explored_thread(void) {
  bool may_be = interlock_marks.controlled && interlock_explored_thread_number;
  return may_be ? interlock_explored_thread_number() : 0;
}

void interlock_memory_scope_from(interlock_memory_scope scope) {
  __atomic_store_n(&scope_of_caller, scope, __ATOMIC_RELEASE);
}
void interlock_memory_scope_changes(void) {
  memory_thread *own = interlock_memory_own;
  if (!own) return;
  own->scope_changes++;
  own->unchanged = UINT64_MAX;
}

/// Hidden, because the scope's function is the harness's, and its calls are no events.
static uint64_t own_scope(void) {
  interlock_memory_scope scope = __atomic_load_n(&scope_of_caller, __ATOMIC_ACQUIRE);
  if (!scope) return 0;
  interlock_events_hide_thread(true);
  uint64_t number = scope();
  interlock_events_hide_thread(false);
  return number;
}

static void hold(situation *now, interlock_memory_held lock) {
  if (now->held_count < INTERLOCK_MEMORY_HELD) now->held[now->held_count++] = lock;
}

static void write_situation(const thread_record *record, const memory_thread *own) {
  slot_history *history = own->history;
  situation *now = &history->ring[history->situations % kept_situations];
  // Release: a report that reads the fields written below sees that the number is being used again.
  __atomic_store_n(&history->situations, history->situations + 1, __ATOMIC_RELEASE);
  now->thread = record->waits.view.number;
  now->explored_thread = explored_thread();
  now->task = interlock_current_task();
  now->scope = own_scope();
  now->held_count = 0;
  for (uint32_t index = 0; index < record->held.count; index++) {
    const held_lock *lock = &record->held.locks[index];
    bool is_listed = lock->kind == INTERLOCK_OBJECT_OWNED_FUTEX ||
                     lock->kind == INTERLOCK_OBJECT_QUEUE;
    if (is_listed) continue;
    hold(now, (interlock_memory_held){lock->object, lock->place, lock->outer, kind_of_held(lock),
                                      lock->is_shared});
  }
  for (uint32_t index = 0; index < interlock_mutexes.count; index++) {
    const held_mutex *mutex = &interlock_mutexes.held[index];
    hold(now, (interlock_memory_held){mutex->object, mutex->place, 0,
                                      INTERLOCK_OBJECT_OWNED_FUTEX, false});
  }
  memcpy(now->queue, own->queue, sizeof now->queue);
}

static void write_moment(slot_history *history, uint64_t moment, uint64_t situation) {
  history->moment[history->moments % kept_moments] = (situation_moment){moment, situation};
  // Release: a report of another thread sees the entry, and the situation, complete.
  __atomic_store_n(&history->moments, history->moments + 1, __ATOMIC_RELEASE);
}

static void read_queue(memory_thread *own, const thread_record *record) {
  own->queue[0] = 0;
  if (record->waits.view.run_count == 0 || !dispatch_queue_get_label) return;
  const char *label = dispatch_queue_get_label(NULL);
  if (label) strncpy(own->queue, label, sizeof own->queue - 1);
}

static inline uint64_t mixed(uint64_t key, uint64_t with) {
  return ((key ^ with) * 0x9e3779b97f4a7c15ull) ^ key >> 29;
}

/// Hashes everything that a situation contains, in 64 bits: a collision is negligible.
static uint64_t key_of_situation(const thread_record *record, uint64_t runs) {
  // Include the explored thread: one pthread runs several of them in turn.
  uint64_t key = mixed(1 + explored_thread(), runs);
  for (uint32_t index = 0; index < record->held.count; index++) {
    const held_lock *lock = &record->held.locks[index];
    key = mixed(mixed(mixed(key, lock->object), lock->place), lock->outer);
  }
  for (uint32_t index = 0; index < interlock_mutexes.count; index++) {
    const held_mutex *mutex = &interlock_mutexes.held[index];
    key = mixed(mixed(key, mutex->object), mutex->place);
  }
  return key;
}

/// Returns the number of the thread's situation: one that is still kept, or a new one.
static uint64_t number_of_situation(memory_thread *own, const thread_record *record,
                                    uint64_t runs) {
  slot_history *history = own->history;
  uint64_t key = key_of_situation(record, runs);
  for (int index = 0; index < recent_situations; index++) {
    const recent_situation *recent = &own->recent[index];
    if (recent->key == key && recent->history == history &&
        recent->number + kept_situations > history->situations) {
      return recent->number;
    }
  }
  if (own->queue_runs != runs) read_queue(own, record);
  own->queue_runs = runs;
  uint64_t number = history->situations;
  write_situation(record, own);
  own->recent[own->oldest_recent++ % recent_situations] = (recent_situation){key, number, history};
  return number;
}

/// Called when the situation or the epoch has changed.
__attribute__((noinline)) static void change_situation(memory_thread *own, uint64_t held,
                                                       uint64_t runs) {
  const slot_history *history = own->history;
  const situation_moment *last =
      &history->moment[(history->moments + kept_moments - 1) % kept_moments];
  if (*own->count != own->last_count) {
    // The thread has returned to a clock whose epoch has situations already: begin a new epoch.
    if (history->moments > 0 && last->moment >> situation_bits == *own->count) {
      clock_count_on(own->clock);
    }
    own->situation = 0;
  } else if ((own->situation & CELL_SITUATION) != CELL_SITUATION) {
    own->situation += (shadow_cell)1 << situation_shift;
  } else {
    clock_count_on(own->clock);
    own->situation = 0;
  }
  own->last_count = *own->count;
  own->last_held = held;
  own->last_runs = runs;
  // The same bound as in `interlock_clock_has_seen`; both values change only with the epoch.
  const thread_clock *clock = own->clock;
  uint64_t oldest = clock->first_count > clock->began ? clock->first_count : clock->began;
  own->oldest = oldest << count_shift;
  uint64_t moment = cell_moment(own->last_count << count_shift | own->situation);
  write_moment(own->history, moment, number_of_situation(own, own->record, runs));
}

shadow_cell interlock_memory_keep_situation(memory_thread *own) {
  const thread_record *record = own->record;
  uint32_t count = record->held.count, mutexes = interlock_mutexes.count;
  // Within an epoch no lock is released, so the counts and the last locks show every change.
  uint64_t held = (uint64_t)count << 48 ^ (count ? record->held.locks[count - 1].object : 0) ^
                  (uint64_t)mutexes << 56 ^
                  (mutexes ? interlock_mutexes.held[mutexes - 1].object << 1 : 0);
  uint64_t runs = (uint64_t)record->waits.view.run_count << 32 ^ record->waits.view.ended ^
                  (uint64_t)own->clock->task << 16 ^ own->scope_changes << 40;
  if (*own->count != own->last_count || held != own->last_held || runs != own->last_runs) {
    change_situation(own, held, runs);
  }
  own->last_events = record->waits.view.sequence;
  own->unchanged = own->task ? *own->count : own->settled;
  return epoch_of(own) | own->situation;
}

#endif
