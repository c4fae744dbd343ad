#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sync_events_test.h"

extern void *dispatch_queue_create(const char *label, void *attribute) __attribute__((weak));
extern void dispatch_async_f(void *queue, void *context, void (*function)(void *))
    __attribute__((weak));
extern void dispatch_sync_f(void *queue, void *context, void (*function)(void *))
    __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_here;
static void *queue;
static long blocks;

static void count_block(void *context) {
  (void)context;
  blocks++;
}

static void *lock_and_dispatch(void *context) {
  pthread_mutex_lock(&lock);
  dispatch_async_f(queue, NULL, count_block);
  pthread_mutex_unlock(&lock);
  if (context) pthread_barrier_wait(&all_here);
  return NULL;
}

long sync_events_many_threads(int count, int together) {
  if (!dispatch_queue_create) return -1;
  if (!queue) queue = dispatch_queue_create("crowd", NULL);
  blocks = 0;
  pthread_t *threads = calloc((size_t)together, sizeof *threads);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 << 10);
  for (int started = 0; started < count; started += together) {
    pthread_barrier_init(&all_here, NULL, (unsigned)together);
    for (int index = 0; index < together; index++) {
      int error = pthread_create(&threads[index], &attributes, lock_and_dispatch, &all_here);
      if (error != 0) return -1;
    }
    for (int index = 0; index < together; index++) pthread_join(threads[index], NULL);
  }
  free(threads);
  dispatch_sync_f(queue, NULL, count_block);
  return blocks - 1;
}

long sync_events_resident_bytes(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return -1;
  if (fscanf(file, "%*d %ld", &pages) != 1) pages = -1;
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}
