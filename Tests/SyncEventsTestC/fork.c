#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interlock_layouts.h"
#include "interlock_waits.h"
#include "sync_events_test.h"

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static int is_over;

static void *lock_without_end(void *context) {
  (void)context;
  while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
    pthread_mutex_lock(&shared);
    pthread_mutex_unlock(&shared);
    // Also adds and removes readers and queues, whose locks must not stay taken in a child.
    interlock_events_remove(NULL, NULL);
  }
  return NULL;
}

static _Noreturn void run_child(int exec) {
  if (exec) {
    execl("/bin/true", "true", (char *)NULL);
    _exit(2);
  }
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  sem_post(&semaphore);
  sem_wait(&semaphore);
  uint64_t before = interlock_waits_progress();
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
  // The child is not watched: it has no reader, and none of its calls is recorded.
  if (interlock_waits_started() || interlock_waits_progress() != before) _exit(3);
  _exit(0);
}

int sync_events_fork(int count, int exec) {
  enum { threads = 2 };
  pthread_t others[threads];
  for (int index = 0; index < threads; index++) {
    pthread_create(&others[index], NULL, lock_without_end, NULL);
  }
  int well = 0;
  for (int index = 0; index < count; index++) {
    pid_t child = fork();
    if (child == 0) run_child(exec);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) well++;
  }
  __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
  for (int index = 0; index < threads; index++) pthread_join(others[index], NULL);
  return well;
}

int sync_events_layouts_hold_in_fork(void) {
  pid_t child = fork();
  if (child == 0) _exit(interlock_layouts_lost(UINT32_MAX) == NULL ? 1 : 0);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
