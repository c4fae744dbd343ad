// What else brings one thread behind another: spin locks, barriers of threads, pipes and sockets, and the main queue that
// its thread gives away. Nobody is listed as waiting at them.
#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void tell(interlock_order_change change, const volatile void *object) {
  if (!is_wanted(INTERLOCK_EVENT_ORDER)) return;
  interlock_event event = {
      .kind = INTERLOCK_EVENT_ORDER, .object = (const void *)object, .value = change};
  interlock_publish(&event);
}

// Spin locks and barriers.

typedef int spin_call(pthread_spinlock_t *);

INTERPOSED int pthread_spin_lock(pthread_spinlock_t *lock) {
  int result = REAL(spin_call, pthread_spin_lock)(lock);
  if (result == 0) tell(INTERLOCK_ORDER_GETS, lock);
  return result;
}

INTERPOSED int pthread_spin_trylock(pthread_spinlock_t *lock) {
  int result = REAL(spin_call, pthread_spin_trylock)(lock);
  if (result == 0) tell(INTERLOCK_ORDER_GETS, lock);
  return result;
}

INTERPOSED int pthread_spin_unlock(pthread_spinlock_t *lock) {
  spin_call *real = REAL(spin_call, pthread_spin_unlock);
  tell(INTERLOCK_ORDER_GIVES, lock);
  return real(lock);
}

INTERPOSED int pthread_barrier_wait(pthread_barrier_t *barrier) {
  typedef int wait(pthread_barrier_t *);
  wait *real = REAL(wait, pthread_barrier_wait);
  tell(INTERLOCK_ORDER_GIVES, barrier);
  int result = real(barrier);
  tell(INTERLOCK_ORDER_GETS, barrier);
  return result;
}

// Pipes and sockets: who wrote what was read is not asked. A file is no order: whoever reads it cannot know that it was
// written before.

static void note_read(int file, ssize_t result) {
  if (result < 0 || !is_wanted(INTERLOCK_EVENT_ORDER)) return;
  int error = errno;
  struct stat status;
  // 0: an event's or a timer's descriptor.
  bool orders = fstat(file, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ||
                                              (status.st_mode & S_IFMT) == 0);
  errno = error;
  if (orders) tell(INTERLOCK_ORDER_AFTER_SOMEBODY, NULL);
}

#define READS(result_type, name, parameters, arguments)              \
  INTERPOSED result_type name parameters {                           \
    typedef result_type call parameters;                             \
    result_type result = REAL(call, name) arguments;                 \
    note_read(file, result);                                         \
    return result;                                                   \
  }

READS(ssize_t, read, (int file, void *buffer, size_t size), (file, buffer, size))
READS(ssize_t, readv, (int file, const struct iovec *buffers, int count), (file, buffers, count))
READS(ssize_t, recv, (int file, void *buffer, size_t size, int flags), (file, buffer, size, flags))
READS(ssize_t, recvfrom,
      (int file, void *buffer, size_t size, int flags, struct sockaddr *from, socklen_t *length),
      (file, buffer, size, flags, from, length))
READS(ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
READS(int, accept, (int file, struct sockaddr *from, socklen_t *length), (file, from, length))
READS(int, accept4, (int file, struct sockaddr *from, socklen_t *length, int flags),
      (file, from, length, flags))

// The main queue is its thread's, which hands it to the pool and ends.

extern char _dispatch_main_q[] __attribute__((weak));

INTERPOSED __attribute__((noreturn)) void dispatch_main(void) {
  typedef void call(void);
  tell(INTERLOCK_ORDER_GIVES, _dispatch_main_q);
  REAL(call, dispatch_main)();
  __builtin_unreachable();
}

#endif
