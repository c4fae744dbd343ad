// Declarations shared by the performers of the C library's calls. Included by the explorer only.
#ifndef INTERLOCK_CALLS_H
#define INTERLOCK_CALLS_H

#include "../control.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>

#include "../Threads/stacks.h"
#include "interlock_performer.h"

/// The real function of a call, looked up once.
#define INTERLOCK_REAL(type, name)                                        \
  ({                                                                      \
    static type *known_##name;                                            \
    if (!known_##name) known_##name = (type *)interlock_find_real(#name); \
    known_##name;                                                         \
  })

/// Converts `end` to virtual time. Returns `INTERLOCK_NEVER` for NULL, and for a time more than 200
/// years away.
uint64_t interlock_due(clockid_t clock, const struct timespec *end) HIDDEN;

/// True if the user's code reads the clock, and not a library for its own use (clock_readers.c).
bool interlock_is_users_read(interlock_site) HIDDEN;

/// Returns the operation with one more flag, which says how the operation turned out.
static inline interlock_operation interlock_flagged(interlock_operation operation, int flag) {
  operation.flags |= (uint16_t)flag;
  return operation;
}

/// True if a thread that is not explored holds the lock and can be expected to release it
/// (outside.c). `owner` is the number of that thread; 0 if the lock has no number yet.
bool interlock_is_held_outside(const void *lock, uint32_t owner) HIDDEN;
enum { INTERLOCK_NO_OWNER = UINT32_MAX };
/// If a thread that is not explored holds the lock, waits for the release in real time. Returns
/// true if the lock may be free afterwards. `owner_of` returns `INTERLOCK_NO_OWNER` for a free
/// lock.
bool interlock_wait_for_outside(const void *lock, uint32_t (*owner_of)(const void *)) HIDDEN;
/// `pthread_mutex_trylock`, which fails only if an explored thread holds the mutex.
int interlock_try_mutex(pthread_mutex_t *) HIDDEN;
/// True if the thread can lock the real mutex at once: the readiness of a `LOCK`.
bool interlock_mutex_is_free(interlock_logical_thread *thread, void *mutex) HIDDEN;

/// Each function is the `give_back` of an object (given_back.c).
void interlock_give_back_mutex(interlock_object *) HIDDEN;
void interlock_give_back_rwlock(interlock_object *) HIDDEN;
void interlock_give_back_spin_lock(interlock_object *) HIDDEN;
void interlock_give_back_swift_mutex(interlock_object *) HIDDEN;
void interlock_give_back_once(interlock_object *) HIDDEN;

extern const interlock_posix_performer interlock_posix_calls HIDDEN;

int interlock_perform_mutex_lock(pthread_mutex_t *, clockid_t, const struct timespec *,
                                 interlock_site) HIDDEN;
int interlock_perform_mutex_try(pthread_mutex_t *, interlock_site) HIDDEN;
int interlock_perform_mutex_unlock(pthread_mutex_t *, interlock_site) HIDDEN;
int interlock_perform_lock_shared(pthread_rwlock_t *, clockid_t, const struct timespec *,
                                  interlock_site) HIDDEN;
int interlock_perform_lock_exclusive(pthread_rwlock_t *, clockid_t, const struct timespec *,
                                     interlock_site) HIDDEN;
int interlock_perform_try_shared(pthread_rwlock_t *, interlock_site) HIDDEN;
int interlock_perform_try_exclusive(pthread_rwlock_t *, interlock_site) HIDDEN;
int interlock_perform_rwlock_unlock(pthread_rwlock_t *, interlock_site) HIDDEN;
int interlock_perform_condition_wait(pthread_cond_t *, pthread_mutex_t *, clockid_t,
                                     const struct timespec *, interlock_site) HIDDEN;
int interlock_perform_condition_wake(pthread_cond_t *, bool, interlock_site) HIDDEN;
int interlock_perform_semaphore_wait(sem_t *, clockid_t, const struct timespec *,
                                     interlock_site) HIDDEN;
int interlock_perform_semaphore_try(sem_t *, interlock_site) HIDDEN;
void interlock_perform_semaphore_look(sem_t *, interlock_site) HIDDEN;
int interlock_perform_semaphore_post(sem_t *, interlock_site) HIDDEN;
int interlock_perform_spin_lock(pthread_spinlock_t *, interlock_site) HIDDEN;
int interlock_perform_spin_try(pthread_spinlock_t *, interlock_site) HIDDEN;
int interlock_perform_spin_unlock(pthread_spinlock_t *, interlock_site) HIDDEN;
int interlock_perform_barrier_wait(pthread_barrier_t *, interlock_site) HIDDEN;
int interlock_perform_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *,
                             interlock_site) HIDDEN;
int interlock_perform_join(pthread_t, void **, clockid_t, const struct timespec *, bool,
                           interlock_site) HIDDEN;
bool interlock_perform_detach(pthread_t) HIDDEN;
void interlock_perform_exit(void *) HIDDEN;
long interlock_perform_system_call(long, long, long, long, long, long, long,
                                   interlock_site) HIDDEN;
bool interlock_perform_once_begin(const void *, bool (*)(const void *), interlock_once_kind,
                                  interlock_site) HIDDEN;
void interlock_perform_once_end(const void *) HIDDEN;
void interlock_perform_yield(interlock_site) HIDDEN;
void interlock_perform_sleep(clockid_t, const struct timespec *, bool, interlock_site) HIDDEN;
bool interlock_perform_read_clock(clockid_t, struct timespec *, interlock_site) HIDDEN;

#endif
#endif
