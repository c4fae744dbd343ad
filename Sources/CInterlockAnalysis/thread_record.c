// The record of each thread: claimed at the thread's first event, released when the thread ends.
#include "thread_record.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static thread_record *all_records;
static int records_lock;
__thread thread_record *interlock_own_record;
static pthread_key_t exit_key;
static void (*thread_ends)(thread_record *);

/// Called by the thread itself to release its record.
static void release(thread_record *own) {
  begin_change();
  thread_ends(own);
  interlock_own_record = NULL;
  // Release: pairs with the acquire in `is_used`, so that the next thread sees the record as it is
  // now.
  __atomic_store_n(&own->used, 0, __ATOMIC_RELEASE);
  end_change();
}

static void thread_exits(void *record) {
  enum { most_farewells = 3 };
  thread_record *own = record;
  if (++own->farewells < most_farewells && pthread_setspecific(exit_key, own) == 0) return;
  release(own);
}

void interlock_record_cut(void) {
  thread_record *own = interlock_own_record;
  if (!own) return;
  clear_held(&own->held);
  release(own);
}

/// Returns true if a record is free: it was released, or its thread has ended without releasing it.
/// The latter happens if a thread locks in the last round of its destructors, and claims a record
/// again. Makes the system call for the latter only with `asks`, before a new block of records is
/// allocated.
static bool is_free(const thread_record *record, bool asks) {
  if (!is_used(record)) return true;
  uint32_t number = record->waits.view.number;
  return number == interlock_thread_id() ||
         (asks && syscall(SYS_tgkill, getpid(), number, 0) == -1 && errno == ESRCH);
}

static thread_record *find_free(void) {
  int error = errno;
  thread_record *found = NULL;
  for (int asks = 0; asks < 2 && !found; asks++) {
    for (thread_record *record = all_records; record && !found; record = record->next) {
      if (is_free(record, asks)) found = record;
    }
  }
  errno = error;
  if (!found || !is_used(found)) return found;
  // The record's thread has ended, and the locks that it took in its destructors do not matter.
  clear_held(&found->held);
  thread_ends(found);
  return found;
}

/// Allocates many records at a time from the system: the calling thread may be inside malloc.
static thread_record *make_records(void) {
  enum { together = 32 };
  thread_record *made = mmap(NULL, together * sizeof *made, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return NULL;
  for (int index = 0; index < together; index++) {
    made[index].next = index + 1 < together ? &made[index + 1] : all_records;
  }
  // Release: a snapshot walks the list without the lock.
  __atomic_store_n(&all_records, made, __ATOMIC_RELEASE);
  return made;
}

static void clear(thread_record *record) {
  wait_view *view = &record->waits.view;
  // Progress is a sum over all records, so the counts of the record's last thread must stay.
  uint64_t sequence = view->sequence, steps = record->waits.idle.steps;
  clear_held(&record->held);
  memset(&record->waits, 0, sizeof record->waits);
  memset(&record->order, 0, sizeof record->order);
  record->clock = record->base = record->caller = NULL;
  record->task_word = NULL;
  record->farewells = 0;
  record->waits.idle.steps = steps;
  view->sequence = sequence + 1;
  view->number = interlock_thread_id();
  view->started_by = interlock_started_by;
  view->handle = (uintptr_t)pthread_self();
  static uint64_t numbers;
  record->order.number = ++numbers;
  record->order.is_main = interlock_is_main_thread();
}

static thread_record *claim(void) {
  take(&records_lock);
  thread_record *found = find_free();
  if (!found) found = make_records();
  if (found) {
    clear(found);
    __atomic_store_n(&found->used, 1, __ATOMIC_RELEASE);
  }
  give(&records_lock);
  if (!found) return NULL;
  interlock_own_record = found;
  pthread_setspecific(exit_key, found);
  return found;
}

/// Hides the thread meanwhile, because these system calls are not the user's.
thread_record *interlock_claim_record(void) {
  begin_change();
  interlock_events_hide_thread(true);
  thread_record *claimed = claim();
  interlock_events_hide_thread(false);
  end_change();
  return claimed;
}

thread_record *interlock_first_record(void) {
  return __atomic_load_n(&all_records, __ATOMIC_ACQUIRE);
}

bool interlock_records_prepare(void (*ends)(thread_record *)) {
  thread_ends = ends;
  return pthread_key_create(&exit_key, thread_exits) == 0;
}

void interlock_records_forked(void) { records_lock = 0; }

#endif
