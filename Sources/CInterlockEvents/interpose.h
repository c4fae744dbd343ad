// Declarations shared by the files of interposed calls. Included by the C targets only.
#ifndef INTERLOCK_INTERPOSE_H
#define INTERLOCK_INTERPOSE_H

#include "interlock_performer.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>

/// The kinds that readers want, and `INTERLOCK_WANTED_CONTROL` while threads are explored; 0
/// without either.
extern uint32_t interlock_wanted HIDDEN;

/// True if the call must be published. Relaxed: a reader added meanwhile gets the next call.
static inline bool is_wanted(uint32_t kinds) {
  // No branch hint: a compiler that moves unlikely code into a separate function would move the
  // read of the return address there too.
  return (__atomic_load_n(&interlock_wanted, __ATOMIC_RELAXED) & kinds) &&
         interlock_marks.hidden == 0;
}

#ifdef DEBUG
// In this build, each interposed call that may wait also checks the order of Interlock's own locks.
#define is_wanted(kinds) (interlock_foreign_call(__func__), is_wanted(kinds))
#endif

/// Lets interposed calls use the performer, or stops that. Returns false if no call is interposed.
bool interlock_want_control(bool wanted) HIDDEN;

/// Redirects the calls of a function, which all images make through a slot, to another function,
/// for the rest of the process's life. Writes the function that they called to `real`. `own` is its
/// address in this image. Images loaded later are not redirected. Returns false if no call is
/// redirected.
bool interlock_lead_calls(const char *name, void *own, void **real, void *function) HIDDEN;

/// Calls every reader that wants the event.
void interlock_publish(const interlock_event *event) HIDDEN;

/// `reader`: the only reader if it is a leaf; otherwise NULL. `locks`: the lock reader of the only
/// reader that wants events of locks, if that is a leaf, has a lock reader, and wants all of these
/// events; otherwise NULL.
typedef struct {
  interlock_reader reader;
  uint32_t kinds;
  interlock_lock_reader locks;
} interlock_only_reader;
extern interlock_only_reader interlock_only HIDDEN;

/// Like `interlock_publish`, for the cheapest calls: if there is one reader, calls it without a
/// walk over the slots.
static inline void interlock_publish_fast(const interlock_event *event) {
  // Acquire: pairs with the release in `update_wanted`; the kinds are stored before it.
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

/// Like `interlock_publish`, for an event of a mutex or a Dispatch semaphore.
static inline void interlock_publish_lock(interlock_event_kind kind,
                                          interlock_object_kind object_kind, const void *object,
                                          uint32_t flags, uintptr_t place, uintptr_t frame) {
  // Acquire: pairs with the release in `update_wanted`.
  interlock_lock_reader reader = __atomic_load_n(&interlock_only.locks, __ATOMIC_ACQUIRE);
  if (__builtin_expect(reader != NULL, 1)) {
    reader(kind, object_kind, object, flags, place, frame);
    return;
  }
  interlock_publish_lock_to_all(kind, object_kind, object, flags, place, frame);
}

/// Returns the user's call site: the return address or, if that is in a system library, the first
/// address further up the stack that follows a call in the user's code. `frame` is the call's.
uintptr_t interlock_find_user_place(uintptr_t returns_to, uintptr_t frame) HIDDEN;
static inline uintptr_t interlock_user_place(uintptr_t returns_to, uintptr_t frame) {
  if (returns_to - interlock_own_code < interlock_own_code_size) return returns_to;
  return interlock_find_user_place(returns_to, frame);
}

/// A range of code.
typedef struct {
  uintptr_t low, size;
} interlock_code_range;
extern interlock_code_range interlock_foundation_code, interlock_dispatch_code HIDDEN;

/// The code of Dispatch's Swift functions.
extern interlock_code_range interlock_dispatch_overlay_code HIDDEN;
/// Returns true if the user's code made a call, directly or through a Swift function of Dispatch;
/// false if another library made it for itself. Takes microseconds for a place that is not known.
bool interlock_is_users_call(uintptr_t returns_to, uintptr_t frame) HIDDEN;

/// Returns true if an address is in libdispatch, Foundation, or Swift Concurrency.
static inline bool interlock_is_dispatch(uintptr_t address) {
  return address - interlock_dispatch_code.low < interlock_dispatch_code.size;
}
static inline bool interlock_is_foundation(uintptr_t address) {
  // Relaxed: Foundation may be loaded late. `low` is stored before `size`. A thread that sees only
  // the size tests a range from address 0, which contains no code.
  uintptr_t low = __atomic_load_n(&interlock_foundation_code.low, __ATOMIC_RELAXED);
  return address - low < __atomic_load_n(&interlock_foundation_code.size, __ATOMIC_RELAXED);
}
bool interlock_is_concurrency(uintptr_t address) HIDDEN;
/// Return true if an address is in Swift Testing, or in XCTest.
bool interlock_is_testing(uintptr_t address) HIDDEN;
bool interlock_is_xctest(uintptr_t address) HIDDEN;
/// Returns true if a call comes from a run loop that the calling thread polls.
static inline bool interlock_is_of_poll(uintptr_t returns_to) {
  return interlock_marks.polls && interlock_is_foundation(returns_to);
}

/// Called when a job of Swift Concurrency is handed to a queue, because the checked continuation of
/// its task may have been resumed.
void interlock_job_enqueued(const void *job) HIDDEN;
/// Called in the child of a fork: release the locks of the work items, of the signal handlers and
/// of the readers, and look up the thread's number again.
void interlock_work_items_forked(void) HIDDEN;
void interlock_signals_forked(void) HIDDEN;
void interlock_events_forked(void) HIDDEN;
void interlock_thread_forked(void) HIDDEN;
/// Checks the layouts for a reader that was added before the constructors ran.
void interlock_events_begin(void) HIDDEN;
/// Notes a queue that the runtime has made for the pool of tasks.
void interlock_note_task_pool(uintptr_t queue) HIDDEN;
/// The number of blocks, jobs included, that this thread has begun.
extern __thread uint32_t interlock_blocks_begun __attribute__((tls_model("initial-exec"))) HIDDEN;

#define RETURNS_TO ((uintptr_t)__builtin_return_address(0))
#define THIS_FRAME ((uintptr_t)__builtin_frame_address(0))
#define USER_PLACE interlock_user_place(RETURNS_TO, THIS_FRAME)

/// Called for a one-time initialisation that is done and so publishes no event. NULL if races in
/// memory are not checked.
void interlock_memory_once_done(const void *once) __attribute__((weak));
/// Called when a lock was initialised. NULL if races in memory are not checked.
void interlock_memory_lock_made(const void *lock) __attribute__((weak));
/// Called on a new thread before its function. NULL if races in memory are not checked.
void interlock_memory_thread_begins(void) __attribute__((weak));

/// Returns the address to which a call returns. If Foundation makes the call for its direct caller,
/// as in `withLock` through the protocol, returns the return address into that caller.
uintptr_t interlock_find_caller(uintptr_t returns_to, uintptr_t frame) HIDDEN;
static inline uintptr_t interlock_caller(uintptr_t returns_to, uintptr_t frame) {
  if (!interlock_is_foundation(returns_to)) return returns_to;
  return interlock_find_caller(returns_to, frame);
}
#define CALLER interlock_caller(RETURNS_TO, THIS_FRAME)
#define THIS_SITE ((interlock_site){CALLER, USER_PLACE})

/// The definition of a symbol after the interposed one, looked up at first use, because a call may
/// come before the constructor. Relaxed: threads that look it up at the same time find the same
/// address, and code needs no publication.
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

/// Marks functions that run the user's code, and so are between a system library and the user's
/// code on the stack: an address in them is no call site. The section identifies them.
#define BETWEEN __attribute__((section("interlock_between")))

/// Weak: if libdispatch is linked statically, its own definitions replace these without a duplicate
/// symbol.
#define INTERPOSED __attribute__((weak, visibility("default"))) BETWEEN

/// The real function of a call that `INTERPOSED_FAST` defines, inside its body. Relaxed: the entry
/// has looked it up.
#define FOUND(name) __atomic_load_n(&real_##name, __ATOMIC_RELAXED)

/// Defines a call on which a lock's speed depends; its body follows. While no reader wants any of
/// `kinds`, and no thread is explored, the entry jumps to the real function without a frame of its
/// own, so a lock costs as much as without the harness. Otherwise it jumps to the body, which sees
/// the return address and the frame of the call, and has the real function in `FOUND`. The body
/// must still check whether the thread is hidden. Relaxed: see `REAL` and `is_wanted`.
#define INTERPOSED_FAST(result_type, name, kinds, parameters, arguments)                   \
  typedef result_type name##_call parameters;                                             \
  static name##_call *real_##name;                                                        \
  __attribute__((noinline)) BETWEEN static result_type seen_##name parameters;            \
  INTERPOSED result_type name parameters {                                                \
    interlock_foreign_call(#name);                                                        \
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

/// Marks the rarely executed part of such a body: in a separate function it does not make the rest
/// save registers. Not a tail call, because the readers walk the stack from the body's frame.
#define SELDOM __attribute__((noinline, not_tail_called)) BETWEEN

#endif
#endif
