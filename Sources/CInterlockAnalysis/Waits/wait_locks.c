// The wait table's data about mutexes and read-write locks other than their holders: the call site
// that created each, and the locks that ended threads have left locked.
#include "../hash_table.h"
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

// The call sites that created locks, by the lock's address. If a lock has lost its entry to another
// lock, a report shows the address instead.

typedef struct {
  table_entry entry;
  /// 0 once the lock is destroyed: another lock often reuses the address and the entry. `removed`
  /// before the entry leaves the table. `changing` while a thread writes the callers.
  uintptr_t place;
  /// The callers of the function that contains the place, innermost first; then 0.
  uintptr_t callers[INTERLOCK_CALLERS_MOST];
} made_lock;

enum { made_capacity = 1 << 16, made_lists = 1 << 15, removed = 1, changing = 2 };
static made_lock records[made_capacity];
static uintptr_t lists[made_lists];
static hash_table made_locks = {.lists = lists,
                                .list_count = made_lists,
                                .entries = (char *)records,
                                .size = sizeof *records,
                                .most = made_capacity};

/// Sets the place of an entry that a search has found. Returns false if the entry has left the
/// table.
static bool set_place(made_lock *known, uintptr_t place) {
  // Relaxed: the program itself orders the creation of the lock before its first use elsewhere. Not
  // a plain store: another thread may be about to give the entry to another lock.
  uintptr_t old = __atomic_load_n(&known->place, __ATOMIC_RELAXED);
  return old != removed && __atomic_compare_exchange_n(&known->place, &old, place, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/// Writes the place of an event and its callers to an entry that no other thread changes, because
/// it is marked as changing or the table's lock is held.
static inline void write_callers(made_lock *made, const interlock_event *event) {
  uintptr_t *callers = made->callers;
  size_t count =
      interlock_events_callers(event->frame, event->place, callers, INTERLOCK_CALLERS_MOST);
  if (count < INTERLOCK_CALLERS_MOST) callers[count] = 0;
  // Release: pairs with the acquire in `interlock_waits_made_by`.
  __atomic_store_n(&made->place, event->place, __ATOMIC_RELEASE);
}

/// Removes an entry; with `only_destroyed`, only that of a destroyed lock. Returns false if the
/// entry stays, for example because another thread is changing it. The caller holds the table's
/// lock.
static bool remove_made(made_lock *lock, bool only_destroyed) {
  uintptr_t place = __atomic_load_n(&lock->place, __ATOMIC_RELAXED);
  if (!lock->entry.key || place == changing || (only_destroyed && place)) return false;
  if (!__atomic_compare_exchange_n(&lock->place, &place, removed, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED)) {
    return false;
  }
  table_remove(&made_locks, &lock->entry);
  return true;
}

/// Takes a free entry. If the table is full, takes the entry of a destroyed lock, if one of the
/// next few entries is one, and otherwise an old entry: many programs free locks without destroying
/// them. The caller holds the table's lock.
static made_lock *take_free(void) {
  table_entry *found = table_take(&made_locks);
  if (found) return (made_lock *)found;
  enum { looked_at = 16 };
  static uint32_t next;
  made_lock *oldest = &records[next % made_capacity];
  for (uint32_t step = 0; step < looked_at; step++) {
    made_lock *lock = &records[next++ % made_capacity];
    if (remove_made(lock, true)) return lock;
  }
  return remove_made(oldest, false) ? oldest : NULL;
}

/// Outlined, because most locks are created at an address that the table has.
__attribute__((noinline)) static void add_made(uintptr_t object, const interlock_event *event) {
  // The table's lock suffices: no two threads create a lock at the same address at once.
  take(&made_locks.lock);
  made_lock *made = (made_lock *)table_find(&made_locks, object);
  bool is_new = !made && (made = take_free());
  if (made) write_callers(made, event);
  if (is_new) {
    table_add(&made_locks, &made->entry, object);
  }
  give(&made_locks.lock);
}

static inline void note_made(uintptr_t object, const interlock_event *event) {
  made_lock *known = (made_lock *)table_find(&made_locks, object);
  if (!known || !set_place(known, changing)) {
    add_made(object, event);
  } else {
    write_callers(known, event);
  }
}

static void forget_made(uintptr_t object) {
  made_lock *made = (made_lock *)table_find(&made_locks, object);
  if (made) set_place(made, 0);
}

uintptr_t interlock_waits_made(uintptr_t lock) {
  uintptr_t callers[INTERLOCK_CALLERS_MOST];
  return interlock_waits_made_by(lock, callers);
}

uintptr_t interlock_waits_made_by(uintptr_t lock, uintptr_t callers[INTERLOCK_CALLERS_MOST]) {
  const made_lock *known = (made_lock *)table_find(&made_locks, lock);
  // Acquire: the callers and the key are read after the place.
  uintptr_t place = known ? __atomic_load_n(&known->place, __ATOMIC_ACQUIRE) : 0;
  if (place == removed || place == changing || place == 0) return 0;
  memcpy(callers, known->callers, sizeof known->callers);
  // Acquire, as a fence: the callers are read before the place and the key are read again, in case
  // the entry has got another lock meanwhile.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  bool is_same = __atomic_load_n(&known->place, __ATOMIC_RELAXED) == place &&
                 __atomic_load_n(&known->entry.key, __ATOMIC_RELAXED) == lock;
  return is_same ? place : 0;
}

// The last locks that ended threads have left locked. The entry of a lock that is freed without
// being destroyed stays, so a reader must also check the lock's own word.

enum { left_most = 64 };
static interlock_left_lock left_locks[left_most];
static uint32_t left_next;
static int left_lock;
/// The number of entries. Written under the lock; threads that only test for zero read it without.
static uint32_t left_count;

/// Outlined, because usually there is no entry, and the caller then saves no registers for the
/// search.
__attribute__((noinline)) static void search_left(uintptr_t object) {
  take(&left_lock);
  for (uint32_t index = 0; index < left_most; index++) {
    if (left_locks[index].object != object) continue;
    left_locks[index].object = 0;
    __atomic_store_n(&left_count, left_count - 1, __ATOMIC_RELAXED);
  }
  give(&left_lock);
}

static inline void remove_left(uintptr_t object) {
  // Relaxed: a thread that unlocks for another is already ordered after that thread's end.
  if (__atomic_load_n(&left_count, __ATOMIC_RELAXED) != 0) search_left(object);
}

void interlock_note_left(const held_lock *held, uint32_t thread) {
  remove_left(held->object);
  interlock_left_lock left = {.object = held->object,
                              .place = held->place,
                              .outer = held->outer,
                              .kind = kind_of_held(held),
                              .thread = thread,
                              .left_by = held->is_left ? held->left_by : 0};
  prctl(PR_GET_NAME, left.name);
  take(&left_lock);
  interlock_left_lock *entry = &left_locks[left_next++ % left_most];
  if (!entry->object) __atomic_store_n(&left_count, left_count + 1, __ATOMIC_RELAXED);
  *entry = left;
  give(&left_lock);
}

void interlock_lock_unlocked_for_another(uintptr_t object) { remove_left(object); }

void interlock_left_forked(void) { left_lock = 0; }

size_t interlock_waits_left_locks(interlock_left_lock *locks, size_t capacity) {
  size_t count = 0;
  take(&left_lock);
  for (uint32_t index = 0; index < left_most; index++) {
    if (!left_locks[index].object) continue;
    if (count < capacity) locks[count] = left_locks[index];
    count++;
  }
  give(&left_lock);
  return count;
}

void interlock_lock_made_at(const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  remove_left(object);
  note_made(object, event);
}

void interlock_lock_gone(uintptr_t object) {
  remove_left(object);
  forget_made(object);
}

// The locks' own words.

/// The bits by which glibc marks a robust mutex (the system releases it when its holder ends) and
/// one that processes share.
enum { robust_mutex = 16, shared_mutex = 128, readers_shift = 3 };

uint32_t interlock_lock_writer(uintptr_t lock) {
  pthread_rwlock_t copy;
  if (!interlock_peek(lock, &copy, sizeof copy)) return 0;
  return (uint32_t)copy.__data.__cur_writer;
}

bool interlock_lock_is_made_at(uintptr_t lock, uint32_t kind, uintptr_t place) {
  union {
    pthread_mutex_t mutex;
    pthread_rwlock_t lock;
  } copy;
  bool is_mutex = kind == INTERLOCK_OBJECT_MUTEX;
  if (!is_mutex && kind != INTERLOCK_OBJECT_WRITE_LOCK) return true;
  if (!interlock_peek(lock, &copy, is_mutex ? sizeof copy.mutex : sizeof copy.lock)) return true;
  const uintptr_t *mark = interlock_creation_mark(kind, &copy);
  return !mark || *mark == place;
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
      // The word counts the readers but does not name them.
      pthread_rwlock_t copy;
      return interlock_peek(lock, &copy, sizeof copy) &&
             copy.__data.__readers >> readers_shift > 0;
    }
    case INTERLOCK_OBJECT_OWNED_FUTEX: {
      uint32_t word;
      // The number is below the kernel's two bits, for waiters and for a holder that died.
      return interlock_peek(lock, &word, sizeof word) && (word & 0x3fffffff) == thread;
    }
    default: return false;
  }
}

#endif
