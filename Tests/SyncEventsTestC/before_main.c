// Calls before main: before any constructor of the process, and in the first constructor of this
// executable.
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "interlock_events.h"
#include "interlock_waits.h"
#include "sync_events_test.h"

static int before_constructors = -1, in_constructor = -1;

int sync_events_heard_before_constructors(void) { return before_constructors; }
int sync_events_heard_in_constructor(void) { return in_constructor; }

#ifdef __linux__

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t own;

static void count_event(const interlock_event *event, void *context) {
  (void)event;
  if (pthread_equal(pthread_self(), own)) ++*(int *)context;
}

static void run_first(int count, char **arguments, char **environment) {
  (void)count, (void)arguments;
  // The C library has not set up its environment yet.
  bool is_asked = false;
  for (; *environment; environment++) {
    if (strncmp(*environment, "SYNC_EVENTS_BEFORE_MAIN=", 24) == 0) is_asked = true;
  }
  if (!is_asked) return;
  static int heard;
  own = pthread_self();
  if (!interlock_events_add(count_event, &heard, ~(uint32_t)0)) return;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  interlock_events_remove(count_event, &heard);
  before_constructors = heard;
}
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) =
    run_first;

extern void *dispatch_queue_create(const char *label, void *attribute) __attribute__((weak));
extern void dispatch_async_f(void *queue, void *context, void (*function)(void *))
    __attribute__((weak));
extern void dispatch_sync_f(void *queue, void *context, void (*function)(void *))
    __attribute__((weak));

static void post(void *semaphore) { sem_post(semaphore); }
static void nothing(void *context) { (void)context; }

__attribute__((constructor(101))) static void run_early(void) {
  if (!getenv("SYNC_EVENTS_BEFORE_MAIN")) return;
  static int heard;
  if (!interlock_events_add(count_event, &heard, ~(uint32_t)0) || !interlock_waits_start()) return;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  if (dispatch_queue_create) {
    sem_t done;
    sem_init(&done, 0, 0);
    void *queue = dispatch_queue_create("before.main", NULL);
    dispatch_async_f(queue, &done, post);
    sem_wait(&done);
    dispatch_sync_f(queue, NULL, nothing);
  }
  interlock_events_remove(count_event, &heard);
  in_constructor = heard;
}

#endif
