// The look at all threads' waits.
#include "../thread_record.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// Snapshots. From a thread that is hidden, so that nothing here is published.

uint64_t interlock_waits_progress(void) {
  uint64_t sum = 0;
  for (thread_record *record = interlock_first_record(); record; record = record->next) {
    // Of those that are gone too: a record that is taken again goes on from its number.
    sum += interlock_progress_of(&record->waits);
  }
  return sum;
}

size_t interlock_waits_threads(interlock_thread_view *threads, size_t capacity) {
  size_t count = 0;
  for (thread_record *record = interlock_first_record(); record; record = record->next) {
    if (!is_used(record)) continue;
    if (count < capacity) {
      // Acquire: what the number says was written is there.
      uint64_t sequence = __atomic_load_n(&record->waits.view.sequence, __ATOMIC_ACQUIRE);
      memcpy(&threads[count], &record->waits.view, sizeof record->waits.view);
      threads[count].sequence = sequence;
      threads[count].polls_since = interlock_polls_since(&record->waits);
      if (threads[count].run_count > INTERLOCK_RUNS_MOST) {
        threads[count].run_count = INTERLOCK_RUNS_MOST;
      }
      if (threads[count].held_count > INTERLOCK_HELD_MOST) {
        threads[count].held_count = INTERLOCK_HELD_MOST;
      }
    }
    count++;
  }
  return count;
}

bool interlock_peek(uintptr_t address, void *bytes, size_t count) {
  // By the system: what is not mapped is an error, and no fault.
  struct iovec here = {bytes, count}, there = {(void *)address, count};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)count;
}

uint32_t interlock_mutex_owner(uintptr_t mutex) {
  pthread_mutex_t copy;
  if (!interlock_peek(mutex, &copy, sizeof copy)) return 0;
  return copy.__data.__lock ? (uint32_t)copy.__data.__owner : 0;
}

#endif
