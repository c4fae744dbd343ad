// What the wait table knows of mutexes and read-write locks apart from their holders: where each
// was made, and which were left locked by threads that have ended.
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

// Where locks were made: by address, near its hash. An entry that finds no room is left out: the
// lock is then called by its address.

typedef struct {
  /// 0 where nothing has been yet, and `gone` where a lock was.
  uintptr_t object;
  uintptr_t place;
} made_lock;

enum { made_capacity = 1 << 16, made_probes = 16, gone = 1 };
static made_lock made_locks[made_capacity];

static made_lock *find_made(uintptr_t object) {
  size_t first = hash_of(object);
  for (size_t probe = 0; probe < made_probes; probe++) {
    made_lock *entry = &made_locks[(first + probe) & (made_capacity - 1)];
    // Acquire: pairs with the release in `interlock_lock_made_at`; the place belongs to the object.
    uintptr_t found = __atomic_load_n(&entry->object, __ATOMIC_ACQUIRE);
    if (found == object) return entry;
    if (!found) return NULL;
  }
  return NULL;
}

static void note_made(uintptr_t object, uintptr_t place) {
  made_lock *entry = find_made(object);
  if (entry) {
    // Relaxed: a thread that is handed the new lock has an order of its own with its maker.
    __atomic_store_n(&entry->place, place, __ATOMIC_RELAXED);
    return;
  }
  size_t first = hash_of(object);
  for (size_t probe = 0; probe < made_probes; probe++) {
    entry = &made_locks[(first + probe) & (made_capacity - 1)];
    uintptr_t found = __atomic_load_n(&entry->object, __ATOMIC_RELAXED);
    if (found > gone) continue;
    // No two threads make a lock at one address at once, so the object is in no other entry.
    // Acquire and release: the entry is this thread's from here on. `busy` is an odd address, which
    // no lock has.
    enum { busy = 3 };
    if (!__atomic_compare_exchange_n(&entry->object, &found, busy, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED)) {
      continue;
    }
    __atomic_store_n(&entry->place, place, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->object, object, __ATOMIC_RELEASE);
    return;
  }
}

uintptr_t interlock_waits_made(uintptr_t lock) {
  made_lock *entry = find_made(lock);
  return entry ? __atomic_load_n(&entry->place, __ATOMIC_RELAXED) : 0;
}

// Locks that ended threads have left locked: the last of them. What is freed without being
// destroyed looks as it was, so that the lock's own word is asked as well before anything is said
// of it.

enum { left_most = 64 };
static interlock_left_lock left_locks[left_most];
static uint32_t left_next;
static int left_lock;
/// How many there are. Written under the lock; read without it by threads that only ask whether
/// there is one.
static uint32_t left_count;

static void remove_left(uintptr_t object) {
  // Relaxed: a thread that unlocks for another has an order of its own with that thread's end.
  if (__atomic_load_n(&left_count, __ATOMIC_RELAXED) == 0) return;
  // Hidden: a signal's handler that locks would wait for its own thread.
  interlock_events_hide_thread(true);
  take(&left_lock);
  for (uint32_t index = 0; index < left_most; index++) {
    if (left_locks[index].object != object) continue;
    left_locks[index].object = 0;
    __atomic_store_n(&left_count, left_count - 1, __ATOMIC_RELAXED);
  }
  give(&left_lock);
  interlock_events_hide_thread(false);
}

void interlock_note_left(const held_lock *held, uint32_t thread) {
  remove_left(held->object);
  interlock_left_lock left = {.object = held->object,
                              .place = held->place,
                              .outer = held->outer,
                              .kind = kind_of_held(held),
                              .thread = thread};
  prctl(PR_GET_NAME, left.name);
  interlock_events_hide_thread(true);
  take(&left_lock);
  interlock_left_lock *entry = &left_locks[left_next++ % left_most];
  if (!entry->object) __atomic_store_n(&left_count, left_count + 1, __ATOMIC_RELAXED);
  *entry = left;
  give(&left_lock);
  interlock_events_hide_thread(false);
}

void interlock_lock_unlocked_for_another(uintptr_t object) { remove_left(object); }

void interlock_left_forked(void) { left_lock = 0; }

size_t interlock_waits_left_locks(interlock_left_lock *locks, size_t capacity) {
  size_t count = 0;
  interlock_events_hide_thread(true);
  take(&left_lock);
  for (uint32_t index = 0; index < left_most; index++) {
    if (!left_locks[index].object) continue;
    if (count < capacity) locks[count] = left_locks[index];
    count++;
  }
  give(&left_lock);
  interlock_events_hide_thread(false);
  return count;
}

void interlock_lock_made_at(const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  remove_left(object);
  note_made(object, event->place);
}

void interlock_lock_gone(uintptr_t object) {
  remove_left(object);
  made_lock *entry = find_made(object);
  if (entry) __atomic_store_n(&entry->object, gone, __ATOMIC_RELEASE);
}

// The locks' own words.

/// How glibc marks a robust mutex, whose next owner is told that the last one has ended, and one
/// that other processes use.
enum { robust_mutex = 16, shared_mutex = 128, readers_shift = 3 };

uint32_t interlock_lock_writer(uintptr_t lock) {
  pthread_rwlock_t copy;
  if (!interlock_peek(lock, &copy, sizeof copy)) return 0;
  return (uint32_t)copy.__data.__cur_writer;
}

bool interlock_lock_is_held_by(uintptr_t lock, uint32_t kind, uint32_t thread) {
  switch (kind) {
    case INTERLOCK_OBJECT_MUTEX: {
      pthread_mutex_t copy;
      if (!interlock_peek(lock, &copy, sizeof copy)) return false;
      return copy.__data.__lock && (uint32_t)copy.__data.__owner == thread &&
             !(copy.__data.__kind & (robust_mutex | shared_mutex));
    }
    case INTERLOCK_OBJECT_WRITE_LOCK: return interlock_lock_writer(lock) == thread;
    case INTERLOCK_OBJECT_READ_LOCK: {
      // It counts its readers, and does not know them.
      pthread_rwlock_t copy;
      return interlock_peek(lock, &copy, sizeof copy) &&
             copy.__data.__readers >> readers_shift > 0;
    }
    case INTERLOCK_OBJECT_OWNED_FUTEX: {
      uint32_t word;
      // Below the kernel's two bits for waiters and for a holder that died.
      return interlock_peek(lock, &word, sizeof word) && (word & 0x3fffffff) == thread;
    }
    default: return false;
  }
}

#endif
