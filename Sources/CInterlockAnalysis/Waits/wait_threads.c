// Snapshots of all threads.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// The caller is hidden, so that the calls here are not published.

uint64_t interlock_waits_progress(void) {
  uint64_t sum = 0;
  for (thread_record *record = interlock_first_record(); record; record = record->next) {
    // Includes records of ended threads, because a record that is claimed again continues from its
    // number.
    sum += interlock_progress_of(&record->waits);
  }
  return sum;
}

/// Copies the thread's held locks, runs and wait. The thread may change them meanwhile.
static void view_thread(const thread_record *record, interlock_thread_view *view) {
  // Acquire: pairs with the release in `has_changed`.
  uint64_t sequence = __atomic_load_n(&record->waits.view.sequence, __ATOMIC_ACQUIRE);
  wait_view now;
  memcpy(&now, &record->waits.view, sizeof now);
  *view = (interlock_thread_view){
      .number = now.number, .started_by = now.started_by, .handle = now.handle,
      .sequence = sequence, .wait_kind = now.wait_kind, .wait_flags = now.wait_flags,
      .wait_object = now.wait_object, .wait_other = now.wait_other, .wait_place = now.wait_place,
      .wait_outer = now.wait_outer, .wait_task = now.wait_task, .wait_actor = now.wait_actor,
      .pool = now.pool, .run_count = now.run_count, .ended = now.ended, .untracked = now.untracked,
      .polls_since = interlock_polls_since(&record->waits)};
  if (view->run_count > INTERLOCK_RUNS_MOST) view->run_count = INTERLOCK_RUNS_MOST;
  memcpy(view->runs, now.runs, sizeof view->runs);
  uint32_t count = __atomic_load_n(&record->held.count, __ATOMIC_RELAXED);
  for (uint32_t index = 0; index < count && index < 2 * INTERLOCK_HELD_MOST; index++) {
    held_lock lock;
    memcpy(&lock, &record->held.locks[index], sizeof lock);
    if (!lock.counts[HELD_BY_THREAD] || view->held_count == INTERLOCK_HELD_MOST) continue;
    view->held[view->held_count++] = (interlock_held){
        lock.object,         lock.place,  lock.outer, kind_of_held(&lock),
        lock.counts[HELD_BY_THREAD], lock.is_left, lock.is_left ? lock.left_by : 0};
  }
}

size_t interlock_waits_threads(interlock_thread_view *threads, size_t capacity) {
  size_t count = 0;
  for (thread_record *record = interlock_first_record(); record; record = record->next) {
    if (!is_used(record)) continue;
    if (count < capacity) view_thread(record, &threads[count]);
    count++;
  }
  return count;
}

/// True if the view may be incomplete.
static int partial;
void interlock_note_partial(void) { __atomic_store_n(&partial, 1, __ATOMIC_RELAXED); }
bool interlock_waits_is_partial(void) { return __atomic_load_n(&partial, __ATOMIC_RELAXED); }

bool interlock_peek(uintptr_t address, void *bytes, size_t count) {
  // Read by a system call, which returns an error for unmapped memory instead of a fault.
  struct iovec here = {bytes, count}, there = {(void *)address, count};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)count;
}

uint32_t interlock_mutex_owner(uintptr_t mutex) {
  pthread_mutex_t copy;
  if (!interlock_peek(mutex, &copy, sizeof copy)) return 0;
  return copy.__data.__lock ? (uint32_t)copy.__data.__owner : 0;
}

#endif
