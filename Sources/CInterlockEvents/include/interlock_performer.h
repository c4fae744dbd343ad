/// The performer of explored threads' calls. An interposed call calls the performer in place of the
/// system. The performer decides when the thread may continue, and then makes the real call; the
/// interposed call publishes its events as usual. Not part of the module; included by the C targets
/// only.
#ifndef INTERLOCK_PERFORMER_H
#define INTERLOCK_PERFORMER_H

// Included first, because it makes the C library's headers declare their extensions.
#include "interlock_internals.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

/// A call that makes a task: its return address, and its frame.
typedef struct {
  uintptr_t returns_to, frame;
} interlock_task_maker;

/// The marks of each thread, in the executable's own thread-local block, so that one instruction
/// reaches them.
typedef struct {
  /// Above 0 while the thread is in a reader or in the explorer, or is hidden.
  uint32_t hidden;
  /// 1 on an explored thread, whose calls the performer makes.
  uint32_t controlled;
  /// Above 0 while the thread is in a published call: nested calls are not published.
  uint32_t nested;
  /// Above 0 while the thread makes a task; the call that makes it; and the first job of the last
  /// task that the thread made.
  uint32_t makes_task;
  interlock_task_maker maker;
  uintptr_t made_job;
  /// Above 0 while the thread polls a run loop.
  uint32_t polls;
} interlock_thread_marks;
extern __thread interlock_thread_marks interlock_marks
    __attribute__((tls_model("initial-exec"))) HIDDEN;

/// The bit in `interlock_wanted` that is set while threads are explored. It is beside the kinds of
/// events, so that one test shows whether a call may pass through.
#define INTERLOCK_WANTED_CONTROL (1u << 31)

/// True if the calling thread is hidden or explored, by one test.
static inline bool interlock_is_special(void) {
  uint64_t both;
  __builtin_memcpy(&both, &interlock_marks, sizeof both);
  return both != 0;
}

/// True if the performer makes the calling thread's calls.
static inline bool interlock_is_controlled(void) {
  return interlock_marks.controlled && !interlock_marks.hidden;
}

/// A call site: the address to which the call returns, and the address in the user's code, which
/// may lie further up the stack.
typedef struct {
  uintptr_t returns_to, place;
} interlock_site;

/// The functions that run an initialiser once. Those of Swift and Dispatch initialise global
/// variables, in only one execution of the process.
typedef enum {
  INTERLOCK_ONCE_OF_POSIX,
  INTERLOCK_ONCE_OF_SWIFT,
  INTERLOCK_ONCE_OF_DISPATCH,
} interlock_once_kind;

/// The C library's calls. Each returns what the real call would. `clock` is the clock of `end`;
/// `end` is NULL if a wait has no limit.
typedef struct {
  int (*mutex_lock)(pthread_mutex_t *, clockid_t clock, const struct timespec *end, interlock_site);
  int (*mutex_try)(pthread_mutex_t *, interlock_site);
  int (*mutex_unlock)(pthread_mutex_t *, interlock_site);
  /// Records that a lock, read-write lock, condition, semaphore or barrier was just initialised.
  void (*made)(const volatile void *object);
  /// Records that a block of memory is about to be freed.
  void (*freed)(void *block);
  int (*lock_shared)(pthread_rwlock_t *, clockid_t clock, const struct timespec *end,
                     interlock_site);
  int (*lock_exclusive)(pthread_rwlock_t *, clockid_t clock, const struct timespec *end,
                        interlock_site);
  int (*try_shared)(pthread_rwlock_t *, interlock_site);
  int (*try_exclusive)(pthread_rwlock_t *, interlock_site);
  int (*rwlock_unlock)(pthread_rwlock_t *, interlock_site);
  int (*condition_wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t clock,
                        const struct timespec *end, interlock_site);
  int (*condition_wake)(pthread_cond_t *, bool all, interlock_site);
  int (*semaphore_wait)(sem_t *, clockid_t clock, const struct timespec *end, interlock_site);
  int (*semaphore_try)(sem_t *, interlock_site);
  /// Called before the thread reads the semaphore's value.
  void (*semaphore_look)(sem_t *, interlock_site);
  int (*semaphore_post)(sem_t *, interlock_site);
  int (*spin_lock)(pthread_spinlock_t *, interlock_site);
  int (*spin_try)(pthread_spinlock_t *, interlock_site);
  int (*spin_unlock)(pthread_spinlock_t *, interlock_site);
  int (*barrier_wait)(pthread_barrier_t *, interlock_site);
  int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *, interlock_site);
  int (*join)(pthread_t, void **, clockid_t clock, const struct timespec *end, bool tries,
              interlock_site);
  /// Returns false if the thread is not explored.
  bool (*detach)(pthread_t);
  void (*exit)(void *);
  long (*system_call)(long number, long a, long b, long c, long d, long e, long f, interlock_site);
  /// Waits until no explored thread runs the initialiser of `token`. Returns true if the caller
  /// must run it by the real call, and then call `once_end`. Also called for a global variable that
  /// is initialised already.
  bool (*once_begin)(const void *token, bool (*is_done)(const void *), interlock_once_kind,
                     interlock_site);
  void (*once_end)(const void *token);
  void (*yield)(interlock_site);
  /// Sleeps until `due` if `is_absolute`, otherwise for the duration `due`.
  void (*sleep)(clockid_t clock, const struct timespec *due, bool is_absolute, interlock_site);
  /// Writes the clock's virtual time; returns false for a clock without one.
  bool (*read_clock)(clockid_t, struct timespec *, interlock_site);
  /// Called before a call that reads or changes an open file, or uses a socket or a pipe.
  void (*use_file)(const char *call, int descriptor, bool changes, interlock_site);
  /// Records an operation that the model does not have: it is performed and escapes control.
  void (*escaped)(const char *operation);
  /// Called before a call that starts, or waits for, something that no exploration controls. May
  /// end the execution.
  void (*leave)(const char *call);
} interlock_posix_performer;

extern const interlock_posix_performer *interlock_posix HIDDEN;

typedef struct {
  const interlock_posix_performer *posix;
  /// See interlock_dispatch_performer.h.
  const struct interlock_dispatch_performer *dispatch;
  /// See interlock_task_performer.h.
  const struct interlock_task_performer *tasks;
} interlock_performer;

/// Installs the performer of the calls of explored threads, until `interlock_control_end`. Returns
/// false if calls are not interposed. A mark makes a thread explored; the calls of all other
/// threads pass through.
bool interlock_control_begin(const interlock_performer *performer) HIDDEN;
/// Follows the freeing of memory: an object that no call makes, such as a `Mutex`, ends with its
/// memory. Called before a fork, so that the children need not change the imports of all libraries.
void interlock_follow_freed_memory(void) HIDDEN;
void interlock_control_end(void) HIDDEN;

/// The address and size in bytes of the executable's code, from which most calls come.
extern uintptr_t interlock_own_code, interlock_own_code_size HIDDEN;

/// The destructor of each key of thread-specific data, by the key; NULL for none.
enum { interlock_most_keys = 1024 };
extern void (*interlock_key_destructors[interlock_most_keys])(void *) HIDDEN;
/// One more than the largest key.
extern uint32_t interlock_key_end HIDDEN;

/// The next definition of a call after the interposed one.
void *interlock_find_real(const char *name) HIDDEN;

#endif
#endif
