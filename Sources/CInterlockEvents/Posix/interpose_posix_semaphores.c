// The C library's semaphores and the kernel's futex, under their own names.
#include "interpose_posix.h"

#ifdef INTERLOCK_INTERPOSES

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>

// Semaphores: the user's, and those that libdispatch's idle workers wait for.

typedef int semaphore_call(sem_t *);
typedef int timed_semaphore_call(sem_t *, const struct timespec *);
typedef int clock_semaphore_call(sem_t *, clockid_t, const struct timespec *);

/// Returns the kind of a semaphore by its caller. Inside a published call of Dispatch, Dispatch's
/// own semaphores are not published.
static interlock_object_kind kind_of_semaphore(uintptr_t returns_to) {
  return interlock_is_dispatch(returns_to) ? INTERLOCK_OBJECT_IDLE : INTERLOCK_OBJECT_SEMAPHORE;
}

#define SEMAPHORE_WAIT(name, type, flag, clock, end, parameters, arguments)                \
  INTERPOSED int name parameters {                                                        \
    type *real = REAL(type, name);                                                        \
    if (!is_wanted(lock_kinds | INTERLOCK_WANTED_CONTROL)) return real arguments;         \
    if (interlock_marks.nested && !interlock_marks.controlled) return real arguments;     \
    interlock_object_kind kind = kind_of_semaphore(RETURNS_TO);                           \
    uintptr_t place = USER_PLACE;                                                         \
    uint32_t limit = flag;                                                                \
    publish(INTERLOCK_EVENT_WAIT, kind, semaphore, limit, place);                         \
    int result = interlock_marks.controlled                                               \
                     ? interlock_posix->semaphore_wait(semaphore, clock, end,             \
                                                       (interlock_site){CALLER, place}) \
                     : real arguments;                                                    \
    int error = errno;                                                                    \
    publish_result(result, kind, semaphore, limit, place);                                 \
    errno = error;                                                                        \
    return result;                                                                        \
  }

SEMAPHORE_WAIT(sem_wait, semaphore_call, 0, CLOCK_REALTIME, NULL, (sem_t *semaphore), (semaphore))
SEMAPHORE_WAIT(sem_timedwait, timed_semaphore_call, limit_flag(end), CLOCK_REALTIME, end,
               (sem_t *semaphore, const struct timespec *end), (semaphore, end))
SEMAPHORE_WAIT(sem_clockwait, clock_semaphore_call, limit_flag(end), clock, end,
               (sem_t *semaphore, clockid_t clock, const struct timespec *end),
               (semaphore, clock, end))

INTERPOSED_FAST(int, sem_trywait, INTERLOCK_EVENT_ACQUIRE, (sem_t *semaphore), (semaphore)) {
  int result = interlock_is_controlled() ? interlock_posix->semaphore_try(semaphore, THIS_SITE)
                                         : FOUND(sem_trywait)(semaphore);
  if (result == 0 && !interlock_marks.nested && is_wanted(INTERLOCK_EVENT_ACQUIRE)) {
    publish(INTERLOCK_EVENT_ACQUIRE, INTERLOCK_OBJECT_SEMAPHORE, semaphore, INTERLOCK_FLAG_TRIED,
            USER_PLACE);
  }
  return result;
}

INTERPOSED_FAST(int, sem_getvalue, 0, (sem_t *semaphore, int *value), (semaphore, value)) {
  if (interlock_is_controlled()) interlock_posix->semaphore_look(semaphore, THIS_SITE);
  return FOUND(sem_getvalue)(semaphore, value);
}

INTERPOSED_FAST(int, sem_post, INTERLOCK_EVENT_RELEASE, (sem_t *semaphore), (semaphore)) {
  if (!interlock_marks.nested && is_wanted(INTERLOCK_EVENT_RELEASE)) {
    uintptr_t returns_to = RETURNS_TO;
    if (!interlock_is_dispatch(returns_to)) {
      publish(INTERLOCK_EVENT_RELEASE, INTERLOCK_OBJECT_SEMAPHORE, semaphore, 0, USER_PLACE);
    }
  }
  if (interlock_is_controlled()) return interlock_posix->semaphore_post(semaphore, THIS_SITE);
  return FOUND(sem_post)(semaphore);
}

INTERPOSED int sem_init(sem_t *semaphore, int shared, unsigned value) {
  typedef int init_call(sem_t *, int, unsigned);
  int result = REAL(init_call, sem_init)(semaphore, shared, value);
  note_made(result, semaphore);
  if (result == 0 && !interlock_marks.nested && is_wanted(INTERLOCK_EVENT_CREATE)) {
    uintptr_t frame = THIS_FRAME;
    interlock_event event = {.kind = INTERLOCK_EVENT_CREATE,
                             .object_kind = INTERLOCK_OBJECT_SEMAPHORE,
                             .object = semaphore,
                             .place = interlock_user_place(RETURNS_TO, frame),
                             .frame = frame,
                             .value = value};
    interlock_publish(&event);
  }
  return result;
}

// The kernel's own wait, which `Synchronization.Mutex`, libdispatch and the Swift runtime call.
// Declared without the C library's `...`: the function always forwards six arguments.

typedef long system_call(long, long, long, long, long, long, long);
static system_call *real_syscall(void) { return REAL(system_call, syscall); }

/// The system call of an explored thread, with the same events.
SELDOM static long call_controlled(long number, long a, long b, long c, long d, long e, long f,
                                   interlock_site site) {
  int operation = (int)b & FUTEX_CMD_MASK;
  bool waits = number == SYS_futex && !interlock_marks.nested &&
               (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET ||
                operation == FUTEX_LOCK_PI || operation == 13);
  if (!waits) return interlock_posix->system_call(number, a, b, c, d, e, f, site);
  bool owned = operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET;
  interlock_object_kind kind = owned ? INTERLOCK_OBJECT_OWNED_FUTEX : INTERLOCK_OBJECT_FUTEX;
  uint32_t limit = d ? limit_flag((const struct timespec *)d) : 0;
  publish(INTERLOCK_EVENT_WAIT, kind, (const void *)a, limit, site.place);
  long result = interlock_posix->system_call(number, a, b, c, d, e, f, site);
  int error = errno;
  publish(INTERLOCK_EVENT_GIVE_UP, kind, (const void *)a, 0, site.place);
  errno = error;
  return result;
}

INTERPOSED long syscall(long number, long a, long b, long c, long d, long e, long f) {
  system_call *real = real_syscall();
  // In parentheses, to bypass the checking macro: most system calls take no lock, and some are made
  // while one of Interlock's locks is held.
  if (!(is_wanted)(lock_kinds | INTERLOCK_WANTED_CONTROL)) return real(number, a, b, c, d, e, f);
  if (interlock_marks.controlled) return call_controlled(number, a, b, c, d, e, f, THIS_SITE);
  if (number != SYS_futex || interlock_marks.nested) return real(number, a, b, c, d, e, f);
  int operation = (int)b & FUTEX_CMD_MASK;
  bool owned = operation == FUTEX_LOCK_PI || operation == 13;  // 13: FUTEX_LOCK_PI2, Linux 5.14
  if (!owned && operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) {
    return real(number, a, b, c, d, e, f);
  }
  interlock_foreign_call("futex");
  interlock_object_kind kind = owned ? INTERLOCK_OBJECT_OWNED_FUTEX : INTERLOCK_OBJECT_FUTEX;
  uintptr_t place = USER_PLACE;
  uint32_t limit = d ? limit_flag((const struct timespec *)d) : 0;
  publish(INTERLOCK_EVENT_WAIT, kind, (const void *)a, limit, place);
  long result = real(number, a, b, c, d, e, f);
  int error = errno;
  // Only the caller knows what the word means now; it may wait again at once.
  publish(INTERLOCK_EVENT_GIVE_UP, kind, (const void *)a, 0, place);
  errno = error;
  return result;
}

/// A signal handler may make both calls while another thread holds the loader's lock, so look up
/// their real functions at process start.
__attribute__((constructor(101))) static void find_calls(void) {
  // Relaxed: see `INTERPOSED_FAST`.
  __atomic_store_n(&real_sem_post, (sem_post_call *)interlock_find_real("sem_post"),
                   __ATOMIC_RELAXED);
  real_syscall();
}

#endif
