// The C library's locks and the end of a thread, under their own names.
#include "interpose_posix.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>

__attribute__((noinline)) void interlock_note_made(const volatile void *object) {
  if (interlock_is_controlled()) interlock_posix->made(object);
}

static inline void publish_mutex(interlock_event_kind kind, const void *mutex, uint32_t flags,
                                 uintptr_t place, uintptr_t frame) {
  interlock_publish_lock(kind, INTERLOCK_OBJECT_MUTEX, mutex, flags, place, frame);
}

// Mutexes.

typedef int mutex_call(pthread_mutex_t *);
typedef int timed_mutex_call(pthread_mutex_t *, const struct timespec *);
typedef int clock_mutex_call(pthread_mutex_t *, clockid_t, const struct timespec *);

/// The bit by which glibc marks a robust mutex.
enum { robust_kind = 16 };

/// True if the thread now holds the mutex, including when the last holder died.
static inline bool has_mutex(int result) { return result == 0 || result == EOWNERDEAD; }

typedef struct {
  uintptr_t place, frame;
} call_site;

SELDOM static int wait_for_mutex(pthread_mutex_t *mutex, mutex_call *real, call_site site) {
  publish_mutex(INTERLOCK_EVENT_WAIT, mutex, 0, site.place, site.frame);
  int result = real(mutex);
  publish_mutex(has_mutex(result) ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP, mutex,
                flag_of_refusal(result), site.place, site.frame);
  return result;
}

/// The lock call of an explored thread. Always publishes a wait, because the thread may have to
/// wait until the explorer chooses it.
SELDOM static int lock_controlled(pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *end, uintptr_t returns_to,
                                  call_site site) {
  uint32_t limit = end ? limit_flag(end) : 0;
  publish_mutex(INTERLOCK_EVENT_WAIT, mutex, limit, site.place, site.frame);
  int result =
      interlock_posix->mutex_lock(mutex, clock, end, (interlock_site){returns_to, site.place});
  bool has = has_mutex(result);
  publish_mutex(has ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP, mutex,
                has ? limit : flag_of_refusal(result), site.place, site.frame);
  return result;
}

/// Tries first, because most mutexes are free, and then makes the real call. Does not try a robust
/// mutex: if its state is lost, glibc leaves it locked for good after a try.
static inline int lock_mutex(pthread_mutex_t *mutex, mutex_call *real, uintptr_t place,
                             uintptr_t frame) {
  if (__builtin_expect((mutex->__data.__kind & robust_kind) ||
                           REAL(mutex_call, pthread_mutex_trylock)(mutex) != 0,
                       0)) {
    return wait_for_mutex(mutex, real, (call_site){place, frame});
  }
  publish_mutex(INTERLOCK_EVENT_ACQUIRE, mutex, 0, place, frame);
  return 0;
}

/// The lock call of a hidden or explored thread, or of a library that acquires a lock for its
/// caller.
SELDOM static int lock_specially(pthread_mutex_t *mutex, mutex_call *real, uintptr_t returns_to,
                                 uintptr_t frame) {
  if (interlock_marks.hidden) return real(mutex);
  uintptr_t place = lock_place(returns_to, frame);
  if (!interlock_marks.controlled) return lock_mutex(mutex, real, place, frame);
  return lock_controlled(mutex, CLOCK_REALTIME, NULL, interlock_caller(returns_to, frame),
                         (call_site){place, frame});
}

INTERPOSED_FAST(int, pthread_mutex_lock, lock_kinds, (pthread_mutex_t *mutex), (mutex)) {
  if (__builtin_expect(interlock_is_special() || interlock_is_foundation(RETURNS_TO), 0)) {
    return lock_specially(mutex, FOUND(pthread_mutex_lock), RETURNS_TO, THIS_FRAME);
  }
  return lock_mutex(mutex, FOUND(pthread_mutex_lock), RETURNS_TO, THIS_FRAME);
}

INTERPOSED_FAST(int, pthread_mutex_trylock, INTERLOCK_EVENT_ACQUIRE, (pthread_mutex_t *mutex),
                (mutex)) {
  int result = interlock_is_controlled()
                   ? interlock_posix->mutex_try(mutex, (interlock_site){CALLER, RETURNS_TO})
                   : FOUND(pthread_mutex_trylock)(mutex);
  if (has_mutex(result) && is_wanted(INTERLOCK_EVENT_ACQUIRE)) {
    uintptr_t frame = THIS_FRAME, place = lock_place(RETURNS_TO, frame);
    publish_mutex(INTERLOCK_EVENT_ACQUIRE, mutex, INTERLOCK_FLAG_TRIED, place, frame);
  }
  return result;
}

#define MUTEX_TIMED(name, type, clock, parameters, arguments)                              \
  INTERPOSED int name parameters {                                                        \
    type *real = REAL(type, name);                                                        \
    if (!is_wanted(lock_kinds | INTERLOCK_WANTED_CONTROL)) return real arguments;         \
    uintptr_t frame = THIS_FRAME, place = lock_place(RETURNS_TO, frame);                 \
    if (interlock_marks.controlled) {                                                     \
      return lock_controlled(mutex, clock, end, CALLER, (call_site){place, frame});   \
    }                                                                                     \
    uint32_t limit = limit_flag(end);                                                     \
    publish_mutex(INTERLOCK_EVENT_WAIT, mutex, limit, place, frame);                      \
    int result = real arguments;                                                          \
    bool has = has_mutex(result);                                                         \
    publish_mutex(has ? INTERLOCK_EVENT_ACQUIRE : INTERLOCK_EVENT_GIVE_UP, mutex,         \
                  has ? limit : flag_of_refusal(result), place, frame);                   \
    return result;                                                                        \
  }

MUTEX_TIMED(pthread_mutex_timedlock, timed_mutex_call, CLOCK_REALTIME,
            (pthread_mutex_t *mutex, const struct timespec *end), (mutex, end))
MUTEX_TIMED(pthread_mutex_clocklock, clock_mutex_call, clock,
            (pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end),
            (mutex, clock, end))

/// The unlock call of a hidden or explored thread.
SELDOM static int unlock_specially(pthread_mutex_t *mutex, mutex_call *real, uintptr_t returns_to,
                                   uintptr_t frame) {
  if (interlock_marks.hidden) return real(mutex);
  publish_mutex(INTERLOCK_EVENT_RELEASE, mutex, 0, returns_to, frame);
  return interlock_posix->mutex_unlock(
      mutex, (interlock_site){interlock_caller(returns_to, frame), returns_to});
}

INTERPOSED_FAST(int, pthread_mutex_unlock, INTERLOCK_EVENT_RELEASE, (pthread_mutex_t *mutex),
                (mutex)) {
  if (__builtin_expect(interlock_is_special(), 0)) {
    return unlock_specially(mutex, FOUND(pthread_mutex_unlock), RETURNS_TO, THIS_FRAME);
  }
  // Publish first: once the mutex is unlocked, its memory may be reused.
  publish_mutex(INTERLOCK_EVENT_RELEASE, mutex, 0, RETURNS_TO, THIS_FRAME);
  return FOUND(pthread_mutex_unlock)(mutex);
}

INTERPOSED int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  typedef int init_call(pthread_mutex_t *, const pthread_mutexattr_t *);
  int result = REAL(init_call, pthread_mutex_init)(mutex, attributes);
  note_made(result, mutex);
  if (result == 0 && is_wanted(INTERLOCK_EVENT_CREATE)) {
    uintptr_t frame = THIS_FRAME, place = lock_place(RETURNS_TO, frame);
    interlock_mark_creation(INTERLOCK_OBJECT_MUTEX, mutex, place);
    publish_creation(INTERLOCK_OBJECT_MUTEX, mutex, place, frame);
  }
  return result;
}

INTERPOSED int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  // Publish first: the memory may be reused at once.
  if (is_wanted(INTERLOCK_EVENT_DESTROY)) {
    publish(INTERLOCK_EVENT_DESTROY, INTERLOCK_OBJECT_MUTEX, mutex, 0, RETURNS_TO);
  }
  return REAL(mutex_call, pthread_mutex_destroy)(mutex);
}

// Read-write locks.

typedef int rwlock_call(pthread_rwlock_t *);
typedef int timed_rwlock_call(pthread_rwlock_t *, const struct timespec *);
typedef int clock_rwlock_call(pthread_rwlock_t *, clockid_t, const struct timespec *);

#define RWLOCK_WAIT(name, type, kind, flag, perform, clock, end, parameters, arguments) \
  INTERPOSED_FAST(int, name, lock_kinds, parameters, arguments) {           \
    type *real = FOUND(name);                                               \
    if (interlock_marks.hidden) return real arguments;                      \
    uintptr_t place = USER_PLACE;                                           \
    uint32_t limit = flag;                                                  \
    publish(INTERLOCK_EVENT_WAIT, kind, lock, limit, place);                \
    int result = interlock_marks.controlled                                 \
                     ? interlock_posix->perform(lock, clock, end,           \
                                                (interlock_site){CALLER, place}) \
                     : real arguments;                                      \
    publish_result(result, kind, lock, limit, place);                       \
    return result;                                                          \
  }

#define RWLOCK_TRY(name, object_kind, perform)                              \
  INTERPOSED_FAST(int, name, INTERLOCK_EVENT_ACQUIRE, (pthread_rwlock_t *lock), (lock)) { \
    int result = interlock_is_controlled()                                  \
                     ? interlock_posix->perform(lock, THIS_SITE)            \
                     : FOUND(name)(lock);                                   \
    if (result == 0 && is_wanted(INTERLOCK_EVENT_ACQUIRE)) {                \
      publish(INTERLOCK_EVENT_ACQUIRE, object_kind, lock,                   \
              INTERLOCK_FLAG_TRIED, USER_PLACE);                            \
    }                                                                       \
    return result;                                                          \
  }

RWLOCK_WAIT(pthread_rwlock_rdlock, rwlock_call, INTERLOCK_OBJECT_READ_LOCK, 0,
            lock_shared, CLOCK_REALTIME, NULL, (pthread_rwlock_t *lock), (lock))
RWLOCK_WAIT(pthread_rwlock_wrlock, rwlock_call, INTERLOCK_OBJECT_WRITE_LOCK, 0,
            lock_exclusive, CLOCK_REALTIME, NULL, (pthread_rwlock_t *lock), (lock))
RWLOCK_WAIT(pthread_rwlock_timedrdlock, timed_rwlock_call, INTERLOCK_OBJECT_READ_LOCK,
            limit_flag(end), lock_shared, CLOCK_REALTIME, end,
            (pthread_rwlock_t *lock, const struct timespec *end),
            (lock, end))
RWLOCK_WAIT(pthread_rwlock_timedwrlock, timed_rwlock_call, INTERLOCK_OBJECT_WRITE_LOCK,
            limit_flag(end), lock_exclusive, CLOCK_REALTIME, end,
            (pthread_rwlock_t *lock, const struct timespec *end),
            (lock, end))
RWLOCK_WAIT(pthread_rwlock_clockrdlock, clock_rwlock_call, INTERLOCK_OBJECT_READ_LOCK,
            limit_flag(end), lock_shared, clock, end,
            (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *end),
            (lock, clock, end))
RWLOCK_WAIT(pthread_rwlock_clockwrlock, clock_rwlock_call, INTERLOCK_OBJECT_WRITE_LOCK,
            limit_flag(end), lock_exclusive, clock, end,
            (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *end),
            (lock, clock, end))
RWLOCK_TRY(pthread_rwlock_tryrdlock, INTERLOCK_OBJECT_READ_LOCK, try_shared)
RWLOCK_TRY(pthread_rwlock_trywrlock, INTERLOCK_OBJECT_WRITE_LOCK, try_exclusive)

INTERPOSED_FAST(int, pthread_rwlock_unlock, INTERLOCK_EVENT_RELEASE, (pthread_rwlock_t *lock),
                (lock)) {
  if (!interlock_marks.hidden) {
    publish(INTERLOCK_EVENT_RELEASE, INTERLOCK_OBJECT_WRITE_LOCK, lock, 0, RETURNS_TO);
    if (interlock_marks.controlled) {
      return interlock_posix->rwlock_unlock(lock, (interlock_site){CALLER, RETURNS_TO});
    }
  }
  return FOUND(pthread_rwlock_unlock)(lock);
}

INTERPOSED int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
  typedef int init_call(pthread_rwlock_t *, const pthread_rwlockattr_t *);
  int result = REAL(init_call, pthread_rwlock_init)(lock, attributes);
  note_made(result, lock);
  if (result == 0 && is_wanted(INTERLOCK_EVENT_CREATE)) {
    uintptr_t frame = THIS_FRAME, place = interlock_user_place(RETURNS_TO, frame);
    interlock_mark_creation(INTERLOCK_OBJECT_WRITE_LOCK, lock, place);
    publish_creation(INTERLOCK_OBJECT_WRITE_LOCK, lock, place, frame);
  }
  return result;
}

INTERPOSED int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  // Publish first, as for a mutex.
  if (is_wanted(INTERLOCK_EVENT_DESTROY)) {
    publish(INTERLOCK_EVENT_DESTROY, INTERLOCK_OBJECT_WRITE_LOCK, lock, 0, RETURNS_TO);
  }
  return REAL(rwlock_call, pthread_rwlock_destroy)(lock);
}

// The end of a thread.

static uint32_t flag_of_join(bool tries, const struct timespec *end) {
  if (tries) return INTERLOCK_FLAG_TRIED;
  return end ? limit_flag(end) : 0;
}

/// A join until `end`; NULL for no limit. `tries`: the call does not wait.
#define JOINS(name, clock, end, tries, parameters, arguments)                             \
  INTERPOSED int name parameters {                                                        \
    typedef int join_call parameters;                                                     \
    join_call *real = REAL(join_call, name);                                              \
    if (!is_wanted(lock_kinds | INTERLOCK_WANTED_CONTROL)) return real arguments;         \
    uintptr_t place = USER_PLACE;                                                         \
    const void *joined = (const void *)thread;                                            \
    const uint32_t limit = flag_of_join(tries, end);                                      \
    publish(INTERLOCK_EVENT_WAIT, INTERLOCK_OBJECT_THREAD, joined, limit, place);         \
    int code = interlock_marks.controlled                                                 \
                   ? interlock_posix->join(thread, result, clock, end, tries,             \
                                           (interlock_site){CALLER, place})               \
                   : real arguments;                                                      \
    publish_result(code, INTERLOCK_OBJECT_THREAD, joined, limit, place);                  \
    return code;                                                                          \
  }
JOINS(pthread_join, CLOCK_REALTIME, NULL, false, (pthread_t thread, void **result),
      (thread, result))
JOINS(pthread_tryjoin_np, CLOCK_REALTIME, NULL, true, (pthread_t thread, void **result),
      (thread, result))
JOINS(pthread_timedjoin_np, CLOCK_REALTIME, end, false,
      (pthread_t thread, void **result, const struct timespec *end), (thread, result, end))
JOINS(pthread_clockjoin_np, clock, end, false,
      (pthread_t thread, void **result, clockid_t clock, const struct timespec *end),
      (thread, result, clock, end))

#endif
