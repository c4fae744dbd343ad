// `swift_once`: what stands behind every global variable and every `static let`. Whoever is in the initialiser has the
// variable, as a lock; who comes meanwhile waits for it. An initialiser that comes back to its own variable never ends.
#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef void initialiser(void *);
typedef void once_call(int *, initialiser *, void *);

enum { lock_kinds = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_RELEASE };

typedef struct {
  int *once;
  initialiser *run;
  void *context;
  uintptr_t place, frame;
  uint32_t nested;
  bool has_run;
} first_call;

static void publish(interlock_event_kind kind, const first_call *call) {
  interlock_event event = {.kind = kind,
                           .object_kind = INTERLOCK_OBJECT_ONCE,
                           .object = call->once,
                           .place = call->place,
                           .frame = call->frame};
  interlock_publish(&event);
}

/// Runs the user's code inside the published call: what it calls is published again.
static void run_first(void *context) {
  first_call *call = context;
  uint32_t nested = interlock_marks.nested;
  interlock_marks.nested = call->nested;
  call->has_run = true;
  publish(INTERLOCK_EVENT_ACQUIRE, call);
  call->run(call->context);
  publish(INTERLOCK_EVENT_RELEASE, call);
  interlock_marks.nested = nested;
}

/// For an executable that has the runtime linked in: there this file's is the only `swift_once`, since nothing asks for the
/// runtime's. The same in the same two words: whether it is done, and the thread that is in it, as the kernel knows it.
static void run_once(int *once, initialiser *run, void *context) {
  enum { done = -1 };
  int error = errno;
  uint32_t *holder = (uint32_t *)once + 1;
  uint32_t own = interlock_thread_id(), nobody = 0;
  // Acquire: what the last holder's initialiser wrote is there.
  while (!__atomic_compare_exchange_n(holder, &nobody, own, false, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED)) {
    nobody = 0;
    if (syscall(SYS_futex, holder, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0) break;
  }
  if (__atomic_load_n(once, __ATOMIC_RELAXED) == 0) {
    run(context);
    // Release: who finds it done finds what the initialiser wrote.
    __atomic_store_n(once, done, __ATOMIC_RELEASE);
  }
  // Somebody waits where this fails, and the kernel hands it over.
  while (!__atomic_compare_exchange_n(holder, &own, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    own = interlock_thread_id();
    if (syscall(SYS_futex, holder, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0) break;
  }
  errno = error;
}

static once_call *find_real(void) {
  once_call *real = REAL(once_call, swift_once);
  return real ? real : run_once;
}

INTERPOSED void swift_once(int *once, initialiser *run, void *context) {
  // The runtime stores -1 when it is done, and does nothing then. Acquire: what the initialiser wrote is there.
  if (__atomic_load_n(once, __ATOMIC_ACQUIRE) < 0) return;
  once_call *real = find_real();
  if (interlock_marks.nested || !is_wanted(lock_kinds)) {
    real(once, run, context);
    return;
  }
  first_call call = {once, run, context, USER_PLACE, THIS_FRAME, interlock_marks.nested, false};
  publish(INTERLOCK_EVENT_WAIT, &call);
  // What the runtime waits at is its own affair.
  interlock_marks.nested++;
  real(once, run_first, &call);
  interlock_marks.nested--;
  if (call.has_run) return;
  // It was another's turn, and that has ended.
  publish(INTERLOCK_EVENT_ACQUIRE, &call);
  publish(INTERLOCK_EVENT_RELEASE, &call);
}

#endif
