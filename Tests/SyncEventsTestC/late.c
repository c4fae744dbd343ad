#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interlock_events.h"
#include "interlock_places.h"
#include "interlock_waits.h"
#include "sync_events_test.h"

int sync_events_open_late(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) return -1;
  int (*call)(uint64_t (*)(void), bool (*)(uintptr_t)) = dlsym(library, "sync_events_late");
  return call ? call(interlock_waits_progress, interlock_events_is_users) : -1;
}

static void *never_runs(void *argument) { return argument; }

int sync_events_refused_thread(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  // Half of the address space.
  pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
  int code = pthread_create(&thread, &attributes, never_runs, NULL);
  pthread_attr_destroy(&attributes);
  return code;
}

static sem_t posted;

static void post(int signal) {
  (void)signal;
  // The process has probably called neither function before.
  if (syscall(SYS_getpid) > 0) sem_post(&posted);
}

static void *open_library(void *path) {
  dlopen(path, RTLD_NOW);
  return NULL;
}

int sync_events_post_while_loading(const char *path) {
  int arrived[2], go_on[2];
  char byte = 0, ends[32];
  if (sem_init(&posted, 0, 0) || pipe(arrived) || pipe(go_on)) return -1;
  snprintf(ends, sizeof ends, "%d %d", arrived[1], go_on[0]);
  setenv("SYNC_EVENTS_PIPES", ends, 1);
  struct sigaction action = {.sa_handler = post};
  sigaction(SIGUSR1, &action, NULL);
  sync_events_unblock(SIGUSR1);
  pthread_t thread;
  pthread_create(&thread, NULL, open_library, (void *)path);
  // The thread holds the loader's lock until it may continue.
  if (read(arrived[0], &byte, 1) != 1) return -1;
  sync_events_end_in(5);
  raise(SIGUSR1);
  sync_events_end_in(0);
  if (write(go_on[1], &byte, 1) != 1) return -1;
  pthread_join(thread, NULL);
  return sem_trywait(&posted) == 0;
}

const char *sync_events_library_of(const char *symbol) {
  Dl_info found;
  void *address = dlsym(RTLD_DEFAULT, symbol);
  return address && dladdr(address, &found) ? found.dli_fname : NULL;
}
