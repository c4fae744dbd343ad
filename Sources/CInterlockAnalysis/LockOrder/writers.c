// Locks in which a writer may come between two reads of one thread: the second waits for the writer
// then, which waits for the first.
#include "order_reader.h"

#include <pthread.h>

static bool is_kind_known;

void interlock_writers_prepare(void) {
#ifdef __GLIBC__
  // The kind lies in the lock, at a place that a header of glibc shows and nothing promises: looked
  // at on one whose kind is known.
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
  // The other kind that is called so prefers readers all the same:
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
  // A barrier on a serial queue is a block as others, and on a global queue too.
  if (interlock_queue_look(queue, &target) <= 1) return;
  held_lock held = {.object = queue, .place = event->place, .kind = INTERLOCK_OBJECT_QUEUE};
  interlock_note_loop(own, held, false, 0, event->place, 0);
}
