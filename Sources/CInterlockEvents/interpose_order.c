// Other orderings of threads: spin locks, thread barriers, pipes, sockets and signals, and the main
// queue when the main thread leaves it to the pool. No thread is listed as waiting for them.
#include "interlock_dispatch_performer.h"
#include "interpose.h"
#include "interpose_outside.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <threads.h>
#include <unistd.h>

static inline void publish_order_of(interlock_order_change change, interlock_object_kind kind,
                                    const volatile void *object) {
  if (!is_wanted(INTERLOCK_EVENT_ORDER)) return;
  interlock_event event = {.kind = INTERLOCK_EVENT_ORDER,
                           .object_kind = kind,
                           .object = (const void *)object,
                           .value = change};
  interlock_publish(&event);
}

static void publish_order(interlock_order_change change, const volatile void *object) {
  publish_order_of(change, 0, object);
}

/// The thread has acquired a lock, or is about to release it.
static void publish_acquired(const volatile void *lock) {
  publish_order_of(INTERLOCK_ORDER_ACQUIRE, INTERLOCK_OBJECT_SPIN_LOCK, lock);
}
static void publish_release(const volatile void *lock) {
  publish_order_of(INTERLOCK_ORDER_RELEASE, INTERLOCK_OBJECT_SPIN_LOCK, lock);
}

// Spin locks and barriers.

typedef int spin_call(pthread_spinlock_t *);

INTERPOSED_FAST(int, pthread_spin_lock, INTERLOCK_EVENT_ORDER, (pthread_spinlock_t *lock), (lock)) {
  int result = interlock_is_controlled() ? interlock_posix->spin_lock(lock, THIS_SITE)
                                         : FOUND(pthread_spin_lock)(lock);
  if (result == 0) publish_acquired(lock);
  return result;
}

INTERPOSED_FAST(int, pthread_spin_trylock, INTERLOCK_EVENT_ORDER, (pthread_spinlock_t *lock),
                (lock)) {
  int result = interlock_is_controlled() ? interlock_posix->spin_try(lock, THIS_SITE)
                                         : FOUND(pthread_spin_trylock)(lock);
  if (result == 0) publish_acquired(lock);
  return result;
}

INTERPOSED_FAST(int, pthread_spin_unlock, INTERLOCK_EVENT_ORDER, (pthread_spinlock_t *lock),
                (lock)) {
  publish_release(lock);
  if (interlock_is_controlled()) return interlock_posix->spin_unlock(lock, THIS_SITE);
  return FOUND(pthread_spin_unlock)(lock);
}

INTERPOSED int pthread_barrier_wait(pthread_barrier_t *barrier) {
  typedef int wait(pthread_barrier_t *);
  wait *real = REAL(wait, pthread_barrier_wait);
  publish_order(INTERLOCK_ORDER_RELEASE, barrier);
  int result = is_wanted(INTERLOCK_WANTED_CONTROL) && interlock_marks.controlled
                   ? interlock_posix->barrier_wait(barrier, THIS_SITE)
                   : real(barrier);
  publish_order(INTERLOCK_ORDER_ACQUIRE, barrier);
  return result;
}

static void publish_end(const volatile void *object) {
  if (!is_wanted(INTERLOCK_EVENT_DESTROY)) return;
  interlock_event event = {.kind = INTERLOCK_EVENT_DESTROY, .object = (const void *)object};
  interlock_publish(&event);
}

INTERPOSED int pthread_spin_destroy(pthread_spinlock_t *lock) {
  spin_call *real = REAL(spin_call, pthread_spin_destroy);
  publish_end(lock);
  return real(lock);
}

INTERPOSED int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  typedef int destroy(pthread_barrier_t *);
  destroy *real = REAL(destroy, pthread_barrier_destroy);
  publish_end(barrier);
  return real(barrier);
}

// Pipes, sockets and signals: it is not known which thread wrote the data, or made room for it. A
// regular file orders nothing: a reader cannot know that the data was written before.

/// Called after a call that found something.
static void order_after_unknown(void) {
  int error = errno;
  publish_order(INTERLOCK_ORDER_AFTER_UNKNOWN, NULL);
  errno = error;
}

static void note_transfer(int file, ssize_t result) {
  if (result < 0 || !is_wanted(INTERLOCK_EVENT_ORDER)) return;
  int error = errno;
  struct stat status;
  bool orders = fstat(file, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  errno = error;
  if (orders) order_after_unknown();
}

/// An explored thread calls the performer before it uses an open file.
#define ASK(name, changes) \
  if (interlock_is_controlled()) interlock_posix->use_file(#name, file, changes, THIS_SITE)

/// Calls that a signal handler may make. The real function is looked up at process start, when no
/// thread holds the loader's lock.
#define MEETS(result_type, name, parameters, arguments, before, after)     \
  typedef result_type name##_call parameters;                              \
  static name##_call *real_##name(void) { return REAL(name##_call, name); } \
  INTERPOSED result_type name parameters {                                 \
    before;                                                                \
    result_type result = real_##name() arguments;                          \
    after;                                                                 \
    return result;                                                         \
  }
#define TRANSFERS(type, name, parameters, arguments) \
  MEETS(type, name, parameters, arguments, ASK(name, false), note_transfer(file, result))
/// A call that waits for room is ordered after the thread that made the room. Standard output and
/// error imply no intended order.
#define SENDS(name, parameters, arguments)                      \
  MEETS(ssize_t, name, parameters, arguments, ASK(name, true), \
        if (file > STDERR_FILENO) note_transfer(file, result))
#define FINDS(name, parameters, arguments) \
  MEETS(int, name, parameters, arguments, , if (result > 0) order_after_unknown())

TRANSFERS(ssize_t, read, (int file, void *buffer, size_t size), (file, buffer, size))
TRANSFERS(ssize_t, readv, (int file, const struct iovec *buffers, int count),
          (file, buffers, count))
TRANSFERS(ssize_t, recv, (int file, void *buffer, size_t size, int flags),
          (file, buffer, size, flags))
TRANSFERS(ssize_t, recvfrom,
          (int file, void *buffer, size_t size, int flags, struct sockaddr *from,
           socklen_t *length),
          (file, buffer, size, flags, from, length))
TRANSFERS(ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
SENDS(write, (int file, const void *buffer, size_t size), (file, buffer, size))
SENDS(writev, (int file, const struct iovec *buffers, int count), (file, buffers, count))
SENDS(send, (int file, const void *buffer, size_t size, int flags), (file, buffer, size, flags))
SENDS(sendto,
          (int file, const void *buffer, size_t size, int flags, const struct sockaddr *to,
           socklen_t length),
          (file, buffer, size, flags, to, length))
SENDS(sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags))
TRANSFERS(int, accept, (int file, struct sockaddr *from, socklen_t *length), (file, from, length))
TRANSFERS(int, accept4, (int file, struct sockaddr *from, socklen_t *length, int flags),
          (file, from, length, flags))
TRANSFERS(int, connect, (int file, const struct sockaddr *to, socklen_t length),
          (file, to, length))
#define POLLS(name, parameters, arguments, limit)                                            \
  MEETS(int, name, parameters, arguments, interlock_before_poll(files, count, limit, RETURNS_TO), \
        if (result > 0) order_after_unknown())
#define SELECTS(name, parameters, arguments, fraction)                                       \
  MEETS(int, name, parameters, arguments,                                                    \
        interlock_before_select(count, reads, writes, others,                                \
                                !limit || limit->tv_sec || limit->fraction, RETURNS_TO),     \
        if (result > 0) order_after_unknown())
POLLS(poll, (struct pollfd *files, nfds_t count, int limit), (files, count, limit), limit)
POLLS(ppoll,
      (struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *signals),
      (files, count, limit, signals), limit && !limit->tv_sec && !limit->tv_nsec ? 0 : -1)
SELECTS(select, (int count, fd_set *reads, fd_set *writes, fd_set *others, struct timeval *limit),
        (count, reads, writes, others, limit), tv_usec)
SELECTS(pselect,
        (int count, fd_set *reads, fd_set *writes, fd_set *others, const struct timespec *limit,
         const sigset_t *signals),
        (count, reads, writes, others, limit, signals), tv_nsec)
INTERPOSED int epoll_wait(int set, struct epoll_event *found, int most, int limit) {
  typedef int epoll_call(int, struct epoll_event *, int, int);
  epoll_call *real = REAL(epoll_call, epoll_wait);
  // A jump: a snapshot recognises the threads of libraries by the caller of the real function.
  if (!is_wanted(INTERLOCK_EVENT_ORDER | INTERLOCK_WANTED_CONTROL) ||
      !interlock_events_is_users(RETURNS_TO)) {
    __attribute__((musttail)) return real(set, found, most, limit);
  }
  int result = interlock_look_at_epoll(set, found, most, limit, RETURNS_TO);
  if (result == 0) result = real(set, found, most, limit);
  if (result > 0) order_after_unknown();
  return result;
}

// Locks and threads of C11. The thread that begins comes after the calls that it makes itself only.

#define OF_C11(name, parameters, arguments, before, after) \
  MEETS(int, name, parameters, arguments, interlock_leave_to_c11(#name); before, after)
#define ACQUIRES if (result == thrd_success) publish_acquired(mutex)
OF_C11(mtx_lock, (mtx_t *mutex), (mutex), , ACQUIRES)
OF_C11(mtx_trylock, (mtx_t *mutex), (mutex), , ACQUIRES)
OF_C11(mtx_timedlock, (mtx_t *mutex, const struct timespec *end), (mutex, end), , ACQUIRES)
OF_C11(mtx_unlock, (mtx_t *mutex), (mutex), publish_release(mutex), )
OF_C11(cnd_wait, (cnd_t *condition, mtx_t *mutex), (condition, mutex), publish_release(mutex),
       publish_acquired(mutex))
OF_C11(cnd_timedwait, (cnd_t *condition, mtx_t *mutex, const struct timespec *end),
       (condition, mutex, end), publish_release(mutex), publish_acquired(mutex))
OF_C11(thrd_create, (thrd_t *thread, thrd_start_t function, void *argument),
       (thread, function, argument), , )
OF_C11(thrd_join, (thrd_t thread, int *ended), (thread, ended), ,
       if (result == thrd_success) order_after_unknown())

MEETS(int, sigwait, (const sigset_t *signals, int *signal), (signals, signal), ,
      if (result == 0) order_after_unknown())
FINDS(sigwaitinfo, (const sigset_t *signals, siginfo_t *signal), (signals, signal))
FINDS(sigtimedwait,
      (const sigset_t *signals, siginfo_t *signal, const struct timespec *limit),
      (signals, signal, limit))

__attribute__((constructor(101))) static void find_calls(void) {
  real_read(), real_readv(), real_recv(), real_recvfrom(), real_recvmsg();
  real_write(), real_writev(), real_send(), real_sendto(), real_sendmsg();
  real_accept(), real_accept4(), real_connect();
  real_poll(), real_ppoll(), real_select(), real_pselect();
  real_sigwait(), real_sigwaitinfo(), real_sigtimedwait();
}

// `dispatch_main`: the main thread leaves the main queue to the pool, and ends.

extern char _dispatch_main_q[] __attribute__((weak));

INTERPOSED __attribute__((noreturn)) void dispatch_main(void) {
  typedef void call(void);
  if (interlock_is_controlled()) interlock_dispatch->leave_main(THIS_SITE);
  publish_order(INTERLOCK_ORDER_RELEASE, _dispatch_main_q);
  REAL(call, dispatch_main)();
  __builtin_unreachable();
}

#endif
