// Locks that prefer writers. If a thread reads twice under such a lock and a writer waits in
// between, the second read waits for the writer, and the writer waits for the first read.
#include "Graph/order_reader.h"

#include <pthread.h>

static bool is_kind_known;

void interlock_writers_prepare(void) {
#ifdef __GLIBC__
  // glibc's header shows the field with a lock's kind, but nothing guarantees it: check it with a
  // lock whose kind is known.
  interlock_events_hide_thread(true);
  pthread_rwlockattr_t attributes;
  pthread_rwlock_t lock;
  if (pthread_rwlockattr_init(&attributes) == 0) {
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    if (pthread_rwlock_init(&lock, &attributes) == 0) {
      is_kind_known = lock.__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
      pthread_rwlock_destroy(&lock);
    }
    pthread_rwlockattr_destroy(&attributes);
  }
  interlock_events_hide_thread(false);
#endif
}

bool interlock_prefers_writers(uintptr_t lock) {
#ifdef __GLIBC__
  // Excludes PTHREAD_RWLOCK_PREFER_WRITER_NP, which in fact prefers readers:
  // pthread_rwlockattr_setkind_np(3).
  const pthread_rwlock_t *known = (const pthread_rwlock_t *)lock;
  return is_kind_known &&
         known->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
#else
  (void)lock;
  return false;
#endif
}

void interlock_note_barrier(thread_record *own, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object, target;
  order_record *order = &own->order;
  // Relaxed: see `interlock_lock_made`.
  uint32_t changed = __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED);
  // Most barriers are outside blocks and locks. There, the same barrier shows nothing new the next
  // time.
  bool is_outside =
      order->run_count == 0 && !interlock_holds_any(own) && interlock_knows_held(own);
  if (is_outside && order->barrier == queue && order->barrier_place == event->place &&
      order->barrier_at == changed) {
    return;
  }
  // On a serial queue and on a global queue, a barrier is like any other block.
  if (interlock_queue_look(queue, &target) > 1) {
    held_lock held = {.object = queue, .place = event->place, .kind = INTERLOCK_OBJECT_QUEUE};
    interlock_note_loop(own, held, false, 0, event->place, 0);
  }
  if (!is_outside) return;
  order->barrier = queue;
  order->barrier_place = event->place;
  order->barrier_at = changed;
}
