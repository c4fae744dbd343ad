// Locks whose calls tell only an order: they have no place in an order of locks, but keep other
// orders apart.
#define _GNU_SOURCE
#include "sync_events_test.h"

#include <pthread.h>
#include <string.h>
#include <threads.h>

typedef struct {
  bool is_ready;
  pthread_spinlock_t spin;
  mtx_t mutex;
  pthread_barrier_t barrier;
} gate;

/// The callers run one after another.
static gate gates[2];

static gate *ready_gate(int index) {
  gate *found = &gates[index];
  if (!found->is_ready) {
    pthread_spin_init(&found->spin, PTHREAD_PROCESS_PRIVATE);
    mtx_init(&found->mutex, mtx_plain);
    pthread_barrier_init(&found->barrier, NULL, 1);
    found->is_ready = true;
  }
  return found;
}

void sync_events_with_gate(const char *kind, int index, void (*body)(void *), void *context) {
  gate *own = ready_gate(index);
  if (!strcmp(kind, "spin")) {
    pthread_spin_lock(&own->spin);
    body(context);
    pthread_spin_unlock(&own->spin);
  } else if (!strcmp(kind, "c11")) {
    mtx_lock(&own->mutex);
    body(context);
    mtx_unlock(&own->mutex);
  } else {
    pthread_barrier_wait(&own->barrier);
    body(context);
  }
}
