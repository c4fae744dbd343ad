// `Synchronization.Mutex`. Its fast path is a compare-exchange of its word from 0 to the thread's
// number and back, which is inlined into the user's code. Its slow path is in a library that is not
// instrumented. Both are published as events of an ordinary lock, so its order and the locks
// acquired under it are seen like those of any lock.
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <string.h>

#include "mutex_list.h"

__thread held_mutexes interlock_mutexes;

static void publish(interlock_event_kind kind, uintptr_t word, uint32_t flags, uintptr_t place,
                    uintptr_t frame) {
  interlock_event event = {.kind = kind,
                           .object_kind = INTERLOCK_OBJECT_OWNED_FUTEX,
                           .flags = flags,
                           .object = (const void *)word,
                           .place = place,
                           .frame = frame};
  interlock_events_publish(&event);
}

static void drop(held_mutexes *own, uint32_t index) {
  memmove(&own->held[index], &own->held[index + 1], (--own->count - index) * sizeof own->held[0]);
}

static void unlocks(uintptr_t word, uintptr_t place, uintptr_t frame) {
  if (!__atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED)) return;
  interlock_memory_note_atomic(word);
  held_mutexes *own = &interlock_mutexes;
  bool may_lack_one = own->count == most_mutexes, is_held = false;
  for (uint32_t index = own->count; index-- > 0 && !is_held;) {
    if (own->held[index].object != word) continue;
    drop(own, index);
    interlock_mutex_note_holder(word, false);
    is_held = true;
  }
  if (is_held || may_lack_one) {
    publish(INTERLOCK_EVENT_RELEASE, word, 0, place, frame);
  } else {
    interlock_mutex_was_locked_unseen(word);
  }
}

static void locked(uintptr_t word, uint32_t flags, uintptr_t place, uintptr_t frame) {
  if (!__atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED)) return;
  held_mutexes *own = &interlock_mutexes;
  for (uint32_t index = own->count; index-- > 0;) {
    if (own->held[index].object != word) continue;
    unlocks(word, place, frame);
    interlock_mutex_was_unlocked_unseen();
    break;
  }
  if (own->count < most_mutexes) {
    own->held[own->count++] = (held_mutex){word, place};
    interlock_mutex_note_holder(word, true);
  }
  publish(INTERLOCK_EVENT_ACQUIRE, word, flags, place, frame);
}

bool interlock_mutex_is_locked(uintptr_t word, uint32_t before, uint32_t after, uintptr_t place) {
  if (before != 0 || after != interlock_thread_id()) return false;
  locked(word, 0, place, (uintptr_t)__builtin_frame_address(0));
  return true;
}

bool interlock_mutex_unlocks(uintptr_t word, uint32_t before, uint32_t after, uintptr_t place) {
  if (after != 0 || before == 0 || before != interlock_thread_id()) return false;
  // A waiting thread has set a bit of the word: the slow path will unlock.
  if (__atomic_load_n((uint32_t *)word, __ATOMIC_RELAXED) != before) return false;
  unlocks(word, place, (uintptr_t)__builtin_frame_address(0));
  return true;
}

// The slow path. In Swift's calling convention, the mutex is in the register of `self`.

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))
typedef SWIFT_CALL void lock_call(uint32_t, SWIFT_SELF uint32_t *);
typedef SWIFT_CALL void unlock_call(SWIFT_SELF uint32_t *);
typedef SWIFT_CALL bool try_call(SWIFT_SELF uint32_t *);

// The functions of `Mutex`, which this executable defines as well. Weak: with a static standard
// library the linker takes the library's functions, and the slow path is not seen.

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define REPLACED_BY(own) __attribute__((weak, visibility("default"), alias(#own)))

/// Waits like the library's function. The call site of the wait is its caller's.
static SWIFT_CALL void seen_lock_slow(uint32_t self, SWIFT_SELF uint32_t *word)
    __attribute__((section("interlock_between")));
static SWIFT_CALL void seen_unlock_slow(SWIFT_SELF uint32_t *word);
static SWIFT_CALL bool seen_try_slow(SWIFT_SELF uint32_t *word);
SWIFT_CALL void linked_lock_slow(uint32_t self, SWIFT_SELF uint32_t *word) __asm__(LOCK_SLOW)
    REPLACED_BY(seen_lock_slow);
SWIFT_CALL void linked_unlock_slow(SWIFT_SELF uint32_t *word) __asm__(UNLOCK_SLOW)
    REPLACED_BY(seen_unlock_slow);
SWIFT_CALL bool linked_try_slow(SWIFT_SELF uint32_t *word) __asm__(TRY_SLOW)
    REPLACED_BY(seen_try_slow);

/// Returns the library's function: the next definition of this name, or the linked one.
static void *find(void **known, const char *name, void *linked) {
  // Relaxed: threads that look it up at the same time find the same address.
  void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!found) {
    found = dlsym(RTLD_NEXT, name);
    if (!found) found = linked;
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
  }
  return found;
}

static SWIFT_CALL void seen_lock_slow(uint32_t self, SWIFT_SELF uint32_t *word) {
  static void *known;
  uintptr_t place = PLACE, frame = (uintptr_t)__builtin_frame_address(0);
  ((lock_call *)find(&known, LOCK_SLOW, linked_lock_slow))(self, word);
  locked((uintptr_t)word, 0, place, frame);
}

void interlock_mutex_unlock_with_waiters(uint32_t *word, bool is_new, uintptr_t place) {
  static void *known;
  if (is_new) unlocks((uintptr_t)word, place, (uintptr_t)__builtin_frame_address(0));
  ((unlock_call *)find(&known, UNLOCK_SLOW, linked_unlock_slow))(word);
}

static SWIFT_CALL void seen_unlock_slow(SWIFT_SELF uint32_t *word) {
  interlock_mutex_unlock_with_waiters(word, true, PLACE);
}

static SWIFT_CALL bool seen_try_slow(SWIFT_SELF uint32_t *word) {
  static void *known;
  uintptr_t place = PLACE, frame = (uintptr_t)__builtin_frame_address(0);
  if (!((try_call *)find(&known, TRY_SLOW, linked_try_slow))(word)) return false;
  locked((uintptr_t)word, INTERLOCK_FLAG_TRIED, place, frame);
  return true;
}

#endif
