// The wait table's threads: a record of each, and the look at all of them.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static thread_record *all_threads;
static int threads_lock;
__thread thread_record *interlock_own_record;
static pthread_key_t exit_key;
static void thread_exits(void *record) {
  thread_record *mine = record;
  for (uint32_t index = 0; index < mine->view.held_count; index++) {
    interlock_note_left(&mine->view.held[index], mine->view.number);
  }
  mine->view.held_count = 0;
  interlock_own_record = NULL;
  // Release: who takes the record again sees it as this thread left it.
  __atomic_store_n(&mine->used, 0, __ATOMIC_RELEASE);
}

/// Whether a record is nobody's: given back; or its thread, which is gone, has locked something
/// after that, in the last round of its destructors. Only asked of the system when a new block of
/// records would be needed.
static bool is_free(const thread_record *record, bool asks) {
  if (!__atomic_load_n(&record->used, __ATOMIC_ACQUIRE)) return true;
  uint32_t number = record->view.number;
  return number == interlock_thread_id() ||
         (asks && syscall(SYS_tgkill, getpid(), number, 0) == -1 && errno == ESRCH);
}

static thread_record *find_free_record(void) {
  int error = errno;
  for (int asks = 0; asks < 2; asks++) {
    for (thread_record *record = all_threads; record; record = record->next) {
      if (is_free(record, asks)) {
        errno = error;
        return record;
      }
    }
  }
  errno = error;
  return NULL;
}

static thread_record *claim_record(void) {
  take(&threads_lock);
  thread_record *found = find_free_record();
  if (!found) {
    // Many at a time, from the system: malloc may be what is being called.
    enum { together = 64 };
    size_t bytes = together * sizeof(thread_record);
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      give(&threads_lock);
      interlock_note_partial();
      return NULL;
    }
    thread_record *records = memory;
    for (int index = 0; index < together; index++) {
      records[index].next = index + 1 < together ? &records[index + 1] : all_threads;
    }
    // Release: a snapshot walks the list without the lock.
    __atomic_store_n(&all_threads, records, __ATOMIC_RELEASE);
    found = records;
  }
  uint64_t sequence = found->view.sequence;
  memset(&found->view, 0, sizeof found->view);
  // What was no progress of the last thread's stays none.
  __atomic_store_n(&found->idle.frozen, 0, __ATOMIC_RELAXED);
  found->idle.has_timed = false;
  found->view.sequence = sequence + 1;
  found->view.number = interlock_thread_id();
  found->view.started_by = interlock_started_by;
  found->view.handle = (uintptr_t)pthread_self();
  __atomic_store_n(&found->used, 1, __ATOMIC_RELEASE);
  give(&threads_lock);
  interlock_own_record = found;
  pthread_setspecific(exit_key, found);
  return found;
}

/// Hidden: the handler of a signal that comes meanwhile would come here too, and wait for its own
/// thread.
thread_record *interlock_make_record(void) {
  interlock_events_hide_thread(true);
  thread_record *made = claim_record();
  interlock_events_hide_thread(false);
  return made;
}

void interlock_threads_start(void) { pthread_key_create(&exit_key, thread_exits); }

void interlock_threads_forked(void) {
  threads_lock = 0;
  interlock_left_forked();
}

// Snapshots. From a thread that is hidden, so that nothing here is published.

static bool is_used(const thread_record *record) {
  return __atomic_load_n(&record->used, __ATOMIC_ACQUIRE);
}

uint64_t interlock_waits_progress(void) {
  uint64_t sum = 0;
  for (thread_record *record = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); record;
       record = record->next) {
    // Of those that are gone too: a record that is taken again goes on from its number.
    sum += interlock_progress_of(record);
  }
  return sum;
}

size_t interlock_waits_threads(interlock_thread_view *threads, size_t capacity) {
  size_t count = 0;
  for (thread_record *record = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); record;
       record = record->next) {
    if (!is_used(record)) continue;
    if (count < capacity) {
      // Acquire: what the number says was written is there.
      uint64_t sequence = __atomic_load_n(&record->view.sequence, __ATOMIC_ACQUIRE);
      memcpy(&threads[count], &record->view, sizeof record->view);
      threads[count].sequence = sequence;
      threads[count].polls_since = interlock_polls_since(record);
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
