// What the files of interposed calls share. Not for users of the target.
#ifndef INTERLOCK_INTERPOSE_H
#define INTERLOCK_INTERPOSE_H

#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>

/// The kinds that some reader wants, and `INTERLOCK_WANTED_CONTROL` while threads are explored; 0
/// while neither is the case.
extern uint32_t interlock_wanted HIDDEN;

/// Whether the call shall be published. Relaxed: a reader that comes meanwhile hears of the next
/// call.
static inline bool is_wanted(uint32_t kinds) {
  // Without a hint that it is unlikely: a compiler that puts unlikely code into a function of its
  // own takes the return address that is asked for there along.
  return (__atomic_load_n(&interlock_wanted, __ATOMIC_RELAXED) & kinds) &&
         interlock_marks.hidden == 0;
}

/// Lets calls ask for the performer, or ends that; false where no call is seen.
bool interlock_want_control(bool wanted) HIDDEN;

/// Tells every reader that wants it.
void interlock_publish(const interlock_event *event) HIDDEN;

/// The only reader, where there is one alone and it is a leaf; NULL elsewhere. And the functions
/// for locks of all readers, up to a NULL, where all are leaves that have one and want every event
/// of a lock; elsewhere the first is NULL.
typedef struct {
  interlock_reader reader;
  uint32_t kinds;
  interlock_lock_reader locks[INTERLOCK_READERS + 1];
} interlock_only_reader;
extern interlock_only_reader interlock_only HIDDEN;

/// The same for the calls that cost least themselves: one reader is told without a look at the
/// others' places.
static inline void interlock_publish_fast(const interlock_event *event) {
  // Acquire: pairs with the release in `update_wanted`; who sees the function sees the rest.
  interlock_reader reader = __atomic_load_n(&interlock_only.reader, __ATOMIC_ACQUIRE);
  if (!reader) {
    interlock_publish(event);
  } else if (__atomic_load_n(&interlock_only.kinds, __ATOMIC_RELAXED) & event->kind) {
    reader(event, NULL);
  }
}

void interlock_publish_lock_to_all(interlock_event_kind kind, interlock_object_kind object_kind,
                                   const void *object, uint32_t flags, uintptr_t place,
                                   uintptr_t frame) HIDDEN;

/// The same for an event of a mutex or of a Dispatch semaphore.
static inline void interlock_publish_lock(interlock_event_kind kind,
                                          interlock_object_kind object_kind, const void *object,
                                          uint32_t flags, uintptr_t place, uintptr_t frame) {
  // Acquire: pairs with the release in `update_wanted`; who sees a function sees the rest.
  interlock_lock_reader reader = __atomic_load_n(&interlock_only.locks[0], __ATOMIC_ACQUIRE);
  if (reader) {
    reader(kind, object_kind, object, flags, place, frame);
    for (int next = 1; (reader = __atomic_load_n(&interlock_only.locks[next], __ATOMIC_ACQUIRE));
         next++) {
      reader(kind, object_kind, object, flags, place, frame);
    }
    return;
  }
  interlock_publish_lock_to_all(kind, object_kind, object, flags, place, frame);
}

/// The user's place of a call: where it returns to, or, if that is one of the system's libraries,
/// the first address further out on the stack that lies behind a call in somebody else's code.
/// `frame` is that of the call; where the way up is known, it becomes that of the place.
uintptr_t interlock_find_user_place(uintptr_t returns_to, uintptr_t *frame) HIDDEN;
static inline uintptr_t interlock_user_place(uintptr_t returns_to, uintptr_t frame) {
  if (returns_to - interlock_own_code < interlock_own_code_size) return returns_to;
  return interlock_find_user_place(returns_to, &frame);
}

/// Code from its first byte on.
typedef struct {
  uintptr_t low, size;
} interlock_code_range;
extern interlock_code_range interlock_foundation_code, interlock_dispatch_code HIDDEN;

/// Returns true if an address is in libdispatch, Foundation, or Swift Concurrency.
static inline bool interlock_is_dispatch(uintptr_t address) {
  return address - interlock_dispatch_code.low < interlock_dispatch_code.size;
}
static inline bool interlock_is_foundation(uintptr_t address) {
  // Relaxed: Foundation may be opened late. The start is stored before the size; with the size
  // alone, only addresses that no code has would lie within.
  uintptr_t low = __atomic_load_n(&interlock_foundation_code.low, __ATOMIC_RELAXED);
  return address - low < __atomic_load_n(&interlock_foundation_code.size, __ATOMIC_RELAXED);
}
bool interlock_is_concurrency(uintptr_t address) HIDDEN;
/// Whether it is in Swift Testing, or in XCTest.
bool interlock_is_testing(uintptr_t address) HIDDEN;
bool interlock_is_xctest(uintptr_t address) HIDDEN;
/// Whether a call comes from a run loop that the calling thread polls.
bool interlock_is_of_poll(uintptr_t returns_to) HIDDEN;

/// Whether an address lies in code.
bool interlock_is_code(uintptr_t address) HIDDEN;

/// A job of Swift Concurrency was handed to a queue: it may be a task whose checked continuation
/// was resumed.
void interlock_job_enqueued(const void *job) HIDDEN;
/// In the child of a fork: gives up the lock of the work items.
void interlock_work_items_forked(void) HIDDEN;
/// How many blocks, jobs too, this thread has begun.
extern __thread uint32_t interlock_blocks_begun __attribute__((tls_model("initial-exec"))) HIDDEN;

#define RETURNS_TO ((uintptr_t)__builtin_return_address(0))
#define THIS_FRAME ((uintptr_t)__builtin_frame_address(0))
#define USER_PLACE interlock_user_place(RETURNS_TO, THIS_FRAME)

/// The address to which a call returns; of one that Foundation makes for its direct caller, such as
/// `withLock` through the protocol, the caller's.
uintptr_t interlock_find_caller(uintptr_t returns_to, uintptr_t frame) HIDDEN;
static inline uintptr_t interlock_caller(uintptr_t returns_to, uintptr_t frame) {
  if (!interlock_is_foundation(returns_to)) return returns_to;
  return interlock_find_caller(returns_to, frame);
}
#define CALLER interlock_caller(RETURNS_TO, THIS_FRAME)
#define THIS_SITE ((interlock_site){CALLER, USER_PLACE})

/// The next definition of a symbol after ours. Looked up at each first use: a call may come before
/// our constructor. Relaxed: threads that look at once find the same, and code needs no
/// publication.
#define REAL(type, name)                                                   \
  ({                                                                       \
    static type *known_##name;                                             \
    type *found = __atomic_load_n(&known_##name, __ATOMIC_RELAXED);        \
    if (__builtin_expect(!found, 0)) {                                     \
      found = (type *)interlock_find_real(#name);                          \
      __atomic_store_n(&known_##name, found, __ATOMIC_RELAXED);            \
    }                                                                      \
    found;                                                                 \
  })

/// For functions that run somebody else's code, and so lie between a system library and a user on
/// the stack: a place in them is nobody's. They are told by the section that they are in.
#define BETWEEN __attribute__((section("interlock_between")))

/// Weak: where libdispatch is linked in statically, its own definitions are taken, and there are no
/// two of them.
#define INTERPOSED __attribute__((weak, visibility("default"))) BETWEEN

/// The real function of a call that `INTERPOSED_FAST` defines, inside its body. Relaxed: the entry
/// has found it.
#define FOUND(name) __atomic_load_n(&real_##name, __ATOMIC_RELAXED)

/// Defines a call that a lock's speed depends on; its body follows. While no reader wants any of
/// `kinds`, and no thread is explored, the call jumps to the real function without a frame of its own, so that a lock costs
/// what it costs without the harness. Else it jumps to the body, where the return address and the
/// frame are those of the call, and `FOUND` is the real function. The body still has to ask
/// whether the thread is hidden. Relaxed: see `REAL` and `is_wanted`.
#define INTERPOSED_FAST(result_type, name, kinds, parameters, arguments)                   \
  typedef result_type name##_call parameters;                                             \
  static name##_call *real_##name;                                                        \
  __attribute__((noinline)) BETWEEN static result_type seen_##name parameters;            \
  INTERPOSED result_type name parameters {                                                \
    name##_call *real = FOUND(name);                                                      \
    if (__builtin_expect(!real, 0)) {                                                     \
      real = (name##_call *)interlock_find_real(#name);                                   \
      __atomic_store_n(&real_##name, real, __ATOMIC_RELAXED);                             \
    }                                                                                     \
    if (__builtin_expect(!(__atomic_load_n(&interlock_wanted, __ATOMIC_RELAXED) &          \
                           ((kinds) | INTERLOCK_WANTED_CONTROL)), 1)) {                   \
      __attribute__((musttail)) return real arguments;                                    \
    }                                                                                     \
    __attribute__((musttail)) return seen_##name arguments;                               \
  }                                                                                       \
  static result_type seen_##name parameters

/// For the part of such a call's body that few calls reach: in a function of its own, it costs the
/// others no saved registers. Not by a tail call: the readers look at the body's frame.
#define SELDOM __attribute__((noinline, not_tail_called)) BETWEEN

#endif
#endif
