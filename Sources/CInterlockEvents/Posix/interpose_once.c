// One-time initialisation: `swift_once`, behind every global variable and every `static let`, and
// `dispatch_once`, which only C can call. The thread in the initialiser holds the variable like a
// lock; other threads wait for it. An initialiser that needs its own variable never ends.
#include "../Dispatch/interpose_dispatch.h"
#include "../Code/layouts.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef void initialiser(void *);
/// Swift's and Dispatch's functions differ in the order of the last two parameters.
typedef void swift_call(int *, initialiser *, void *);
typedef void dispatch_call(intptr_t *, void *, initialiser *);

enum { lock_kinds = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_RELEASE };


/// True if a call that runs the initialiser or waits for it must be published.
static bool is_followed(void) {
  return !interlock_marks.nested && is_wanted(lock_kinds) &&
         interlock_layout_holds(INTERLOCK_LAYOUT_ONCE);
}

typedef struct {
  void *once;
  initialiser *run;
  void *context;
  uintptr_t place, frame;
  uint32_t nested;
  bool has_run;
} first_call;

static void publish_once(interlock_event_kind kind, const first_call *call) {
  interlock_event event = {.kind = kind,
                           .object_kind = INTERLOCK_OBJECT_ONCE,
                           .object = call->once,
                           .place = call->place,
                           .frame = call->frame};
  interlock_publish(&event);
}

/// Runs the user's code inside the published call; the calls it makes are published again.
BETWEEN static void run_first(void *context) {
  first_call *call = context;
  uint32_t nested = interlock_marks.nested;
  interlock_marks.nested = call->nested;
  call->has_run = true;
  publish_once(INTERLOCK_EVENT_ACQUIRE, call);
  call->run(call->context);
  publish_once(INTERLOCK_EVENT_RELEASE, call);
  interlock_marks.nested = nested;
}

/// Published before the real call, whose own waits are not published.
static void begin(first_call *call) {
  publish_once(INTERLOCK_EVENT_WAIT, call);
  interlock_marks.nested++;
}

static void end(const first_call *call) {
  interlock_marks.nested--;
  if (call->has_run) return;
  // Another thread has run the initialiser.
  publish_once(INTERLOCK_EVENT_ACQUIRE, call);
  publish_once(INTERLOCK_EVENT_RELEASE, call);
}

// In an executable with a static runtime these are the only definitions, because no symbol pulls in
// the archive's. They then implement the same protocol on the same words.

/// The token has two words: whether the initialiser is done, and the kernel's number of the thread
/// that runs it.
static void run_swift_once(int *once, initialiser *run, void *context) {
  enum { done = -1 };
  int error = errno;
  uint32_t *holder = (uint32_t *)once + 1;
  uint32_t own = interlock_thread_id(), no_holder = 0;
  // Acquire: this thread sees what the last holder's initialiser wrote.
  while (!__atomic_compare_exchange_n(holder, &no_holder, own, false, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED)) {
    no_holder = 0;
    if (syscall(SYS_futex, holder, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0) break;
  }
  if (__atomic_load_n(once, __ATOMIC_RELAXED) == 0) {
    run(context);
    // Release: a thread that finds the token done sees what the initialiser wrote.
    __atomic_store_n(once, done, __ATOMIC_RELEASE);
  }
  // The exchange fails if a thread waits; then the kernel hands the lock over.
  while (!__atomic_compare_exchange_n(holder, &own, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    own = interlock_thread_id();
    if (syscall(SYS_futex, holder, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0) break;
  }
  errno = error;
}

/// The token has one word: the thread in the initialiser, in the low half, with a bit that is set
/// if threads wait; ~0 when done.
static void run_dispatch_once(intptr_t *once, void *context, initialiser *run) {
  enum { has_waiters = 0x80000000u, thread_mask = 0x3fffffff };
  int error = errno;
  // Every processor that Swift runs on is little-endian: the low half comes first.
  uint32_t *holder = (uint32_t *)once;
  intptr_t not_begun = 0;
  uint32_t own = interlock_thread_id();
  // Acquire: a thread that finds the token done sees what the initialiser wrote.
  if (__atomic_compare_exchange_n(once, &not_begun, (intptr_t)own, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    run(context);
    // Release: pairs with the acquires of the threads that find the token done.
    __atomic_store_n(once, ~(intptr_t)0, __ATOMIC_RELEASE);
    syscall(SYS_futex, holder, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  } else {
    while (__atomic_load_n(once, __ATOMIC_ACQUIRE) != ~(intptr_t)0) {
      uint32_t word = __atomic_load_n(holder, __ATOMIC_RELAXED);
      if (word == UINT32_MAX) continue;
      // Trap, as libdispatch does: the initialiser can never end.
      if ((word & thread_mask) == own) __builtin_trap();
      uint32_t marked = word | has_waiters;
      if (word != marked && !__atomic_compare_exchange_n(holder, &word, marked, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        continue;
      }
      syscall(SYS_futex, holder, FUTEX_WAIT_PRIVATE, marked, NULL, NULL, 0);
    }
  }
  errno = error;
}

static bool is_swift_done(const void *once) {
  // Acquire: sees what the initialiser wrote.
  return __atomic_load_n((const int *)once, __ATOMIC_ACQUIRE) == interlock_once_done;
}

static bool is_dispatch_done(const void *once) {
  return __atomic_load_n((const intptr_t *)once, __ATOMIC_ACQUIRE) == ~(intptr_t)0;
}

/// For an explored thread: waits while another thread runs the initialiser. Returns true if this
/// thread must run it. Otherwise the other thread has run it, and the events are published.
SELDOM static bool is_first_controlled(void *once, interlock_once_kind kind, interlock_site site,
                                       uintptr_t frame) {
  first_call call = {.once = once, .place = site.place, .frame = frame};
  bool followed = is_followed();
  if (followed) publish_once(INTERLOCK_EVENT_WAIT, &call);
  bool (*is_done)(const void *) =
      kind == INTERLOCK_ONCE_OF_SWIFT ? is_swift_done : is_dispatch_done;
  if (interlock_posix->once_begin(once, is_done, kind, site)) return true;
  if (followed) {
    publish_once(INTERLOCK_EVENT_ACQUIRE, &call);
    publish_once(INTERLOCK_EVENT_RELEASE, &call);
  }
  return false;
}

INTERPOSED void swift_once(int *once, initialiser *run, void *context) {
  // Done: the runtime would return at once. Acquire: sees what the initialiser wrote.
  if (__atomic_load_n(once, __ATOMIC_ACQUIRE) == interlock_once_done) {
    // In another order, this thread may be the first.
    if (is_wanted(INTERLOCK_WANTED_CONTROL) && interlock_marks.controlled) {
      interlock_posix->once_begin(once, is_swift_done, INTERLOCK_ONCE_OF_SWIFT, THIS_SITE);
    }
    if (interlock_memory_once_done) interlock_memory_once_done(once);
    return;
  }
  swift_call *real = REAL(swift_call, swift_once);
  if (!real) real = run_swift_once;
  bool controlled = is_wanted(INTERLOCK_WANTED_CONTROL) && interlock_marks.controlled;
  if (controlled && !is_first_controlled(once, INTERLOCK_ONCE_OF_SWIFT, THIS_SITE, THIS_FRAME)) {
    return;
  }
  if (!is_followed()) {
    real(once, run, context);
  } else {
    first_call call = {once, run, context, USER_PLACE, THIS_FRAME, interlock_marks.nested, false};
    begin(&call);
    real(once, run_first, &call);
    end(&call);
  }
  if (controlled) interlock_posix->once_end(once);
}

static void call_dispatch_once(intptr_t *once, void *context, initialiser *run,
                               uintptr_t returns_to, uintptr_t frame) {
  if (__atomic_load_n(once, __ATOMIC_ACQUIRE) == ~(intptr_t)0) {
    if (interlock_memory_once_done) interlock_memory_once_done(once);
    return;
  }
  dispatch_call *real = REAL(dispatch_call, dispatch_once_f);
  if (!real) real = run_dispatch_once;
  bool controlled = is_wanted(INTERLOCK_WANTED_CONTROL) && interlock_marks.controlled;
  if (controlled) {
    interlock_site site = {returns_to, interlock_user_place(returns_to, frame)};
    if (!is_first_controlled(once, INTERLOCK_ONCE_OF_DISPATCH, site, frame)) return;
  }
  if (!is_followed() || interlock_is_dispatch(returns_to)) {
    real(once, context, run);
  } else {
    uintptr_t place = interlock_user_place(returns_to, frame);
    first_call call = {once, run, context, place, frame, interlock_marks.nested, false};
    begin(&call);
    real(once, &call, run_first);
    end(&call);
  }
  if (controlled) interlock_posix->once_end(once);
}

INTERPOSED void dispatch_once_f(intptr_t *once, void *context, initialiser *run) {
  call_dispatch_once(once, context, run, RETURNS_TO, THIS_FRAME);
}

INTERPOSED void dispatch_once(intptr_t *once, void *block) {
  call_dispatch_once(once, block, ((struct block_layout *)block)->invoke, RETURNS_TO, THIS_FRAME);
}

#endif
