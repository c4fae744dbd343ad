// Calls of the C library that only the explorer needs: the ends of threads, thread-specific data,
// and the initialisation of objects without events. The calls of threads that are not explored pass
// through, except that `pthread_once` publishes an ordering.
#include "../Posix/interpose_posix.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <unistd.h>

#define ONLY_CONTROL 0u

void (*interlock_key_destructors[interlock_most_keys])(void *);
uint32_t interlock_key_end;

INTERPOSED int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  typedef int create(pthread_key_t *, void (*)(void *));
  int result = REAL(create, pthread_key_create)(key, destructor);
  if (result != 0 || *key >= interlock_most_keys) return result;
  // Relaxed: a thread has data for a key only after it was given the key.
  __atomic_store_n(&interlock_key_destructors[*key], destructor, __ATOMIC_RELAXED);
  uint32_t end = __atomic_load_n(&interlock_key_end, __ATOMIC_RELAXED);
  while (end <= *key && !__atomic_compare_exchange_n(&interlock_key_end, &end, *key + 1, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return result;
}

INTERPOSED int pthread_key_delete(pthread_key_t key) {
  typedef int delete(pthread_key_t);
  if (key < interlock_most_keys) {
    __atomic_store_n(&interlock_key_destructors[key], NULL, __ATOMIC_RELAXED);
  }
  return REAL(delete, pthread_key_delete)(key);
}

static bool is_once_done(const void *once) {
  // glibc sets bit 1 when the initialiser has returned. Acquire: the caller sees what the
  // initialiser wrote.
  return __atomic_load_n((const pthread_once_t *)once, __ATOMIC_ACQUIRE) & 2;
}

static void order_at_once(interlock_order_change change, const void *once) {
  interlock_event event = {.kind = INTERLOCK_EVENT_ORDER, .object = once, .value = change};
  interlock_publish(&event);
}

/// The initialiser that the thread is about to run.
typedef struct {
  void (*run)(void);
  pthread_once_t *once;
} first_once;
static __thread first_once own_first __attribute__((tls_model("initial-exec")));

BETWEEN static void run_and_order(void) {
  first_once first = own_first;
  first.run();
  order_at_once(INTERLOCK_ORDER_RELEASE, first.once);
}

SELDOM static int once_in_order(pthread_once_t *once, void (*run)(void)) {
  typedef int call(pthread_once_t *, void (*)(void));
  call *real = REAL(call, pthread_once);
  if (is_once_done(once)) {
    if (interlock_memory_once_done) interlock_memory_once_done(once);
    return real(once, run);
  }
  own_first = (first_once){run, once};
  int result = real(once, run_and_order);
  if (result == 0) order_at_once(INTERLOCK_ORDER_ACQUIRE, once);
  return result;
}

INTERPOSED_FAST(int, pthread_once, INTERLOCK_EVENT_ORDER,
                (pthread_once_t *once, void (*run)(void)), (once, run)) {
  if (!interlock_is_controlled()) {
    if (is_wanted(INTERLOCK_EVENT_ORDER)) return once_in_order(once, run);
    return FOUND(pthread_once)(once, run);
  }
  interlock_once_kind kind = INTERLOCK_ONCE_OF_POSIX;
  if (!interlock_posix->once_begin(once, is_once_done, kind, THIS_SITE)) return 0;
  int result = FOUND(pthread_once)(once, run);
  interlock_posix->once_end(once);
  return result;
}

INTERPOSED_FAST(int, pthread_detach, ONLY_CONTROL, (pthread_t thread), (thread)) {
  if (interlock_is_controlled() && interlock_posix->detach(thread)) return 0;
  return FOUND(pthread_detach)(thread);
}

/// Not defined by `INTERPOSED_FAST`, because the function does not return.
INTERPOSED __attribute__((noreturn)) void pthread_exit(void *result) {
  typedef void exit_call(void *);
  if (is_wanted(INTERLOCK_WANTED_CONTROL) && interlock_is_controlled()) {
    interlock_posix->exit(result);
  } else {
    REAL(exit_call, pthread_exit)(result);
  }
  __builtin_unreachable();
}

INTERPOSED_FAST(int, pthread_cancel, ONLY_CONTROL, (pthread_t thread), (thread)) {
  if (interlock_is_controlled()) interlock_posix->escaped("pthread_cancel");
  return FOUND(pthread_cancel)(thread);
}

INTERPOSED_FAST(int, pthread_kill, ONLY_CONTROL, (pthread_t thread, int signal),
                (thread, signal)) {
  if (interlock_is_controlled()) interlock_posix->escaped("pthread_kill");
  return FOUND(pthread_kill)(thread, signal);
}

INTERPOSED_FAST(pid_t, gettid, ONLY_CONTROL, (void), ()) {
  return interlock_is_controlled() ? (pid_t)interlock_thread_id() : FOUND(gettid)();
}

#define MAKES(name, type, parameters, arguments)                      \
  INTERPOSED_FAST(int, name, ONLY_CONTROL, parameters, arguments) {   \
    int result = FOUND(name) arguments;                               \
    note_made(result, made);                                          \
    return result;                                                    \
  }

MAKES(pthread_barrier_init, pthread_barrier_t,
      (pthread_barrier_t *made, const pthread_barrierattr_t *attributes, unsigned count),
      (made, attributes, count))
MAKES(pthread_spin_init, pthread_spinlock_t, (pthread_spinlock_t *made, int shared),
      (made, shared))

#endif
