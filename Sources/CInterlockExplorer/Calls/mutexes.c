// Mutexes and spin locks. The real mutex keeps its state: the thread locks the real mutex once the
// strategy has chosen the thread and the mutex is free. So recursive and error-checking mutexes
// need no special code.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

#include "../../CInterlockEvents/interpose.h"
#include "../Concurrency/tasks.h"
#include "../Engine/engine.h"

typedef int mutex_call(pthread_mutex_t *);
typedef int spin_call(pthread_spinlock_t *);

// glibc's bits for the kinds of mutexes. The owner of a recursive or error-checking mutex never
// waits for that mutex.
enum { type_mask = 3, recursive = 1, error_checking = 2, robust = 16, priority = 32 | 64 };

static bool answers_owner(int kind) {
  return (kind & type_mask) == recursive || (kind & type_mask) == error_checking;
}

/// Relaxed: a thread that is not explored may lock or unlock the mutex at the same time.
static uint32_t owner_of(const void *lock) {
  const pthread_mutex_t *mutex = lock;
  if (__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) == 0) return INTERLOCK_NO_OWNER;
  return (uint32_t)__atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
}

bool interlock_mutex_is_free(interlock_logical_thread *thread, void *context) {
  pthread_mutex_t *mutex = context;
  uint32_t owner = owner_of(mutex);
  if (owner == INTERLOCK_NO_OWNER) return true;
  if (owner == thread->stack->system_number) return answers_owner(mutex->__data.__kind);
  return interlock_is_held_outside(mutex, owner);
}

int interlock_try_mutex(pthread_mutex_t *mutex) {
  int result;
  do {
    result = INTERLOCK_REAL(mutex_call, pthread_mutex_trylock)(mutex);
  } while (result == EBUSY && interlock_wait_for_outside(mutex, owner_of));
  return result;
}

bool interlock_waits_for_outside(void) {
  INTERLOCK_EACH_LIVE(thread) {
    if (thread->is_ready != interlock_mutex_is_free) continue;
    uint32_t owner = (uint32_t)((pthread_mutex_t *)thread->context)->__data.__owner;
    bool is_explored = owner == 0;
    INTERLOCK_EACH_LIVE(other) {
      is_explored |= other->stack && other->stack->system_number == owner;
    }
    if (!is_explored) return true;
  }
  return false;
}

static interlock_operation operation_on(interlock_operation_kind kind, const void *lock,
                                        interlock_site site) {
  interlock_object *object = interlock_object_for(lock, site.returns_to);
  object->give_back = interlock_give_back_mutex;
  return interlock_operation_of(kind, object->number, 0);
}

/// True for a lock of the runtime itself. It is an operation only where a thread must wait, and
/// then depends on everything. The locks of tasks become operations after the first wait for one of
/// them.
static bool is_runtime(interlock_site site) {
  if (interlock_class_of_caller(site.returns_to) != INTERLOCK_CALLER_RUNTIME) return false;
  return !interlock_is_known(INTERLOCK_FACT_TASK_LOCKS) ||
         !interlock_is_concurrency(site.returns_to);
}

/// Takes a free mutex. If a thread that is not explored has taken the mutex meanwhile, waits again.
static int take_mutex(pthread_mutex_t *mutex, interlock_operation operation, uint64_t due,
                 interlock_site site) {
  for (;;) {
    int result = interlock_try_mutex(mutex);
    if (result != EBUSY) return result;
    if (interlock_mutex_is_free(interlock_current_thread(), mutex)) {
      // The thread holds this error-checking mutex itself: the real call returns the error.
      return INTERLOCK_REAL(mutex_call, pthread_mutex_lock)(mutex);
    }
    if (!interlock_wait_until(operation, interlock_mutex_is_free, mutex, due, site.place)) {
      return ETIMEDOUT;
    }
  }
}

int interlock_perform_mutex_lock(pthread_mutex_t *mutex, clockid_t clock,
                                 const struct timespec *end, interlock_site site) {
  if (mutex->__data.__kind & (robust | priority)) {
    interlock_escaped("a mutex that is robust or has a priority protocol");
  }
  if (interlock_is_concurrency(site.returns_to)) interlock_runtime_locks(site.place);
  if (is_runtime(site)) {
    int result = interlock_try_mutex(mutex);
    if (result != EBUSY) return result;
    if (interlock_is_concurrency(site.returns_to)) interlock_learn(INTERLOCK_FACT_TASK_LOCKS);
  }
  interlock_operation operation = operation_on(
      is_runtime(site) ? INTERLOCK_OPERATION_UNKNOWN : INTERLOCK_OPERATION_LOCK, mutex, site);
  uint64_t due = interlock_due(clock, end);
  if (due != INTERLOCK_NEVER) {
    interlock_note_try();
    operation.flags |= INTERLOCK_OPERATION_TIMED;
  }
  int result = ETIMEDOUT;
  if (interlock_ask_until(operation, interlock_mutex_is_free, mutex, due, site.returns_to,
                          site.place)) {
    result = take_mutex(mutex, operation, due, site);
  }
  if (result != 0 && result != EOWNERDEAD) {
    interlock_turned_out(interlock_flagged(operation, INTERLOCK_OPERATION_FAILED));
  }
  return result;
}

int interlock_perform_mutex_try(pthread_mutex_t *mutex, interlock_site site) {
  if (is_runtime(site)) return interlock_try_mutex(mutex);
  interlock_note_try();
  interlock_operation operation = operation_on(INTERLOCK_OPERATION_TRY_LOCK, mutex, site);
  interlock_ask(operation, NULL, NULL, site.returns_to, site.place);
  int result = interlock_try_mutex(mutex);
  if (result != 0 && result != EOWNERDEAD) {
    interlock_turned_out(interlock_flagged(operation, INTERLOCK_OPERATION_FAILED));
  }
  return result;
}

int interlock_perform_mutex_unlock(pthread_mutex_t *mutex, interlock_site site) {
  if (!is_runtime(site)) {
    interlock_release(operation_on(INTERLOCK_OPERATION_UNLOCK, mutex, site), site.returns_to,
                      site.place);
  }
  return INTERLOCK_REAL(mutex_call, pthread_mutex_unlock)(mutex);
}

// Spin locks. The word of a free lock differs between processors, so the object's `owner` is the
// holder.

static bool spin_is_free(interlock_logical_thread *thread, void *context) {
  (void)thread;
  return ((const interlock_object *)context)->owner == NULL;
}

int interlock_perform_spin_lock(pthread_spinlock_t *lock, interlock_site site) {
  interlock_object *object = interlock_object_for((const void *)lock, site.returns_to);
  interlock_ask(interlock_operation_of(INTERLOCK_OPERATION_LOCK, object->number, 0), spin_is_free,
                object, site.returns_to, site.place);
  object->owner = interlock_current_thread();
  object->give_back = interlock_give_back_spin_lock;
  return INTERLOCK_REAL(spin_call, pthread_spin_lock)(lock);
}

int interlock_perform_spin_try(pthread_spinlock_t *lock, interlock_site site) {
  interlock_note_try();
  interlock_object *object = interlock_object_for((const void *)lock, site.returns_to);
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_TRY_LOCK, object->number, 0);
  interlock_ask(operation, NULL, NULL, site.returns_to, site.place);
  int result = INTERLOCK_REAL(spin_call, pthread_spin_trylock)(lock);
  if (result == 0) {
    object->owner = interlock_current_thread();
    object->give_back = interlock_give_back_spin_lock;
  } else {
    interlock_turned_out(interlock_flagged(operation, INTERLOCK_OPERATION_FAILED));
  }
  return result;
}

int interlock_perform_spin_unlock(pthread_spinlock_t *lock, interlock_site site) {
  interlock_object *object = interlock_object_for((const void *)lock, site.returns_to);
  interlock_release(interlock_operation_of(INTERLOCK_OPERATION_UNLOCK, object->number, 0),
                    site.returns_to, site.place);
  object->owner = NULL;
  return INTERLOCK_REAL(spin_call, pthread_spin_unlock)(lock);
}

#endif
