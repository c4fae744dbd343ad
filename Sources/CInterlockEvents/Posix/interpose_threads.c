// Thread creation. Everything that the starting thread did before happens before everything in the
// new thread.
#include "../Lives/task_lives.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef void *thread_function(void *);

typedef struct {
  thread_function *function;
  void *argument;
  /// The thread that starts the new one, and whether a `FORK` was published.
  uint32_t by;
  bool is_published;
  /// The result of `interlock_life_of_thread`.
  uintptr_t life;
} start;

__thread uint32_t interlock_started_by;

static void publish(interlock_event_kind kind, const start *start, uint32_t flags,
                    uintptr_t place) {
  interlock_event event = {.kind = kind,
                           .object_kind = INTERLOCK_OBJECT_THREAD,
                           .flags = flags,
                           .object = start,
                           .place = place};
  interlock_publish(&event);
}

BETWEEN static void *run_thread(void *argument) {
  start own = *(start *)argument;
  interlock_started_by = own.by;
  // A reader added after the thread was started must not take this for the START of a FORK that it
  // has seen.
  if (own.is_published && is_wanted(INTERLOCK_EVENT_START)) {
    publish(INTERLOCK_EVENT_START, argument, 0, (uintptr_t)own.function);
  }
  free(argument);
  if (own.life) interlock_life_runs(own.life);
  if (interlock_memory_thread_begins) interlock_memory_thread_begins();
  return own.function(own.argument);
}

/// Prints once that the system refused a thread. Foundation and Dispatch print nothing: Foundation
/// drops the code that the thread would have run, and Dispatch tries again for ever.
static int checked(int result) {
  static const char text[] =
      "interlock: the system refuses this process a thread (EAGAIN): see 'ulimit -u' and"
      " 'ulimit -v'\n";
  static bool is_said;
  // Relaxed: selects the one thread that prints, and orders nothing.
  if (result != EAGAIN || __atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED)) return result;
  // If standard error cannot be written, the process continues.
  ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  return result;
}

INTERPOSED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                              thread_function *function, void *argument) {
  typedef int create(pthread_t *, const pthread_attr_t *, thread_function *, void *);
  create *real = REAL(create, pthread_create);
  // Wanted by any reader, because the wait table asks which thread started another.
  if (!is_wanted(~0u)) return checked(real(thread, attributes, function, argument));
  bool controlled = interlock_is_controlled();
  if (controlled && interlock_is_dispatch(RETURNS_TO)) {
    interlock_posix->escaped("libdispatch starts a thread of its own");
    controlled = false;
  }
  interlock_site site = controlled ? THIS_SITE : (interlock_site){0, 0};
  if (controlled && !is_wanted(~INTERLOCK_WANTED_CONTROL)) {
    return interlock_posix->create(thread, attributes, function, argument, site);
  }
  start *made = malloc(sizeof *made);
  // Without memory the thread's start is not published: readers order the thread after everything.
  if (!made) return checked(real(thread, attributes, function, argument));
  bool is_published = is_wanted(INTERLOCK_EVENT_FORK);
  // A thread that another library makes for itself is not followed: it may serve the whole process.
  bool is_followed = interlock_follows_lives && !controlled &&
                     (interlock_is_foundation(RETURNS_TO) || interlock_events_is_users(RETURNS_TO));
  uintptr_t life = is_followed ? interlock_life_of_thread(USER_PLACE) : 0;
  *made = (start){function, argument, interlock_thread_id(), is_published, life};
  if (is_published) {
    bool is_internal = interlock_is_dispatch(RETURNS_TO);
    publish(INTERLOCK_EVENT_FORK, made, is_internal ? INTERLOCK_FLAG_INTERNAL : 0, USER_PLACE);
  }
  int result = controlled
                   ? interlock_posix->create(thread, attributes, run_thread, made, site)
                   : checked(real(thread, attributes, run_thread, made));
  if (result != 0) {
    interlock_life_refused(life);
    free(made);
  }
  return result;
}

#endif
