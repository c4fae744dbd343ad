// Read-write locks, with glibc's default policy: a reader enters while no writer holds the lock.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

typedef int rwlock_call(pthread_rwlock_t *);

// In the object of a lock, `value` counts the readers and `owner` is the writer.

static bool is_free_for_reader(interlock_logical_thread *thread, void *context) {
  const interlock_object *object = context;
  // The writer is ready as well: its call returns an error at once instead of waiting for ever.
  return object->owner == NULL || object->owner == thread;
}

static bool is_free_for_writer(interlock_logical_thread *thread, void *context) {
  const interlock_object *object = context;
  return (object->owner == NULL && object->value == 0) || object->owner == thread;
}

static interlock_object *object_of(const pthread_rwlock_t *lock, interlock_site site) {
  interlock_object *object = interlock_object_for(lock, site.returns_to);
  object->give_back = interlock_give_back_rwlock;
  return object;
}

/// Waits until the model lets the thread in, and takes the real lock.
static int enter(pthread_rwlock_t *lock, interlock_operation_kind kind,
                 interlock_readiness *is_free, clockid_t clock, const struct timespec *end,
                 interlock_site site) {
  enum { prefers_writers = 2 };
  if (lock->__data.__flags == prefers_writers) {
    interlock_escaped("a read-write lock that prefers writers");
  }
  interlock_object *object = object_of(lock, site);
  interlock_operation operation = interlock_operation_of(kind, object->number, 0);
  uint64_t due = interlock_due(clock, end);
  if (due != INTERLOCK_NEVER) {
    interlock_note_try();
    operation.flags |= INTERLOCK_OPERATION_TIMED;
  }
  int result = ETIMEDOUT;
  bool shared = kind == INTERLOCK_OPERATION_LOCK_SHARED;
  if (interlock_ask_until(operation, is_free, object, due, site.returns_to, site.place)) {
    result = shared ? INTERLOCK_REAL(rwlock_call, pthread_rwlock_rdlock)(lock)
                    : INTERLOCK_REAL(rwlock_call, pthread_rwlock_wrlock)(lock);
  }
  if (result != 0) {
    interlock_turned_out(interlock_flagged(operation, INTERLOCK_OPERATION_FAILED));
  } else if (shared) {
    object->value++;
  } else {
    object->owner = interlock_current_thread();
  }
  return result;
}

int interlock_perform_lock_shared(pthread_rwlock_t *lock, clockid_t clock,
                                  const struct timespec *end, interlock_site site) {
  return enter(lock, INTERLOCK_OPERATION_LOCK_SHARED, is_free_for_reader, clock, end, site);
}

int interlock_perform_lock_exclusive(pthread_rwlock_t *lock, clockid_t clock,
                                     const struct timespec *end, interlock_site site) {
  return enter(lock, INTERLOCK_OPERATION_LOCK, is_free_for_writer, clock, end, site);
}

int interlock_perform_try_shared(pthread_rwlock_t *lock, interlock_site site) {
  interlock_note_try();
  interlock_object *object = object_of(lock, site);
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_TRY_LOCK_SHARED, object->number, 0);
  interlock_ask(operation, NULL, NULL, site.returns_to, site.place);
  int result = INTERLOCK_REAL(rwlock_call, pthread_rwlock_tryrdlock)(lock);
  if (result == 0) {
    object->value++;
  } else {
    interlock_turned_out(interlock_flagged(operation, INTERLOCK_OPERATION_FAILED));
  }
  return result;
}

int interlock_perform_try_exclusive(pthread_rwlock_t *lock, interlock_site site) {
  interlock_note_try();
  interlock_object *object = object_of(lock, site);
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_TRY_LOCK, object->number, 0);
  interlock_ask(operation, NULL, NULL, site.returns_to, site.place);
  int result = INTERLOCK_REAL(rwlock_call, pthread_rwlock_trywrlock)(lock);
  if (result == 0) {
    object->owner = interlock_current_thread();
  } else {
    interlock_turned_out(interlock_flagged(operation, INTERLOCK_OPERATION_FAILED));
  }
  return result;
}

int interlock_perform_rwlock_unlock(pthread_rwlock_t *lock, interlock_site site) {
  interlock_object *object = object_of(lock, site);
  bool is_writer = object->owner != NULL;
  interlock_operation_kind kind =
      is_writer ? INTERLOCK_OPERATION_UNLOCK : INTERLOCK_OPERATION_UNLOCK_SHARED;
  interlock_release(interlock_operation_of(kind, object->number, 0), site.returns_to, site.place);
  if (is_writer) {
    object->owner = NULL;
  } else if (object->value > 0) {
    object->value--;
  }
  return INTERLOCK_REAL(rwlock_call, pthread_rwlock_unlock)(lock);
}

#endif
