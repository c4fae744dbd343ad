// Interlock's own locks, taken wrongly, and calls that take a lock of the C library: while the
// order of Interlock's locks is checked, no such call may be made under one.
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "interlock_internals.h"
#include "sync_events_test.h"

static int first, second;
static pthread_mutex_t foreign = PTHREAD_MUTEX_INITIALIZER;

static void take_mutex(int signal) {
  (void)signal;
  pthread_mutex_lock(&foreign);
  pthread_mutex_unlock(&foreign);
}

static void take_both(int *outer, int *inner) {
  if (outer == &first) {
    take(&first);
    take(&second);
  } else {
    take(&second);
    take(&first);
  }
  give(inner);
  give(outer);
}

extern int __sigaction(int, const struct sigaction *, struct sigaction *);

static void raise_under_lock(int (*set)(int, const struct sigaction *, struct sigaction *)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = take_mutex;
  set(SIGUSR1, &action, NULL);
  sync_events_unblock(SIGUSR1);
  take(&first);
  raise(SIGUSR1);
  give(&first);
}

bool sync_events_take_own_locks(const char *way) {
  if (strcmp(way, "none") == 0) {
    take_both(&first, &second);
    take_both(&first, &second);
    take_mutex(0);
  } else if (strcmp(way, "cycle") == 0) {
    take_both(&first, &second);
    take_both(&second, &first);
  } else if (strcmp(way, "foreign") == 0) {
    take(&first);
    take_mutex(0);
    give(&first);
  } else if (strcmp(way, "allocation") == 0) {
    take(&first);
    free(malloc(1));
    give(&first);
  } else if (strcmp(way, "handler") == 0) {
    raise_under_lock(__sigaction);
  } else if (strcmp(way, "waiting") == 0) {
    raise_under_lock(sigaction);
  } else {
    return false;
  }
  return true;
}

#if defined(DEBUG) && defined(INTERLOCK_INTERPOSES)
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
  interlock_foreign_call("malloc");
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  interlock_foreign_call("calloc");
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  interlock_foreign_call("realloc");
  return __libc_realloc(block, size);
}

void free(void *block) {
  if (block) interlock_foreign_call("free");
  __libc_free(block);
}

int dl_iterate_phdr(int (*call)(struct dl_phdr_info *, size_t, void *), void *context) {
  interlock_foreign_call("dl_iterate_phdr");
  typedef int iteration(int (*)(struct dl_phdr_info *, size_t, void *), void *);
  static iteration *real;
  // Relaxed: threads that look up the address at once find the same one.
  iteration *found = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (!found) {
    found = (iteration *)dlsym(RTLD_NEXT, "dl_iterate_phdr");
    __atomic_store_n(&real, found, __ATOMIC_RELAXED);
  }
  return found(call, context);
}
#endif
