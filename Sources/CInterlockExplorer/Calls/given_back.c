// Gives back locks and initialisers that threads still hold after an execution that failed or left
// threads behind. Those of global variables outlive the execution. The memory may be unmapped, so
// the kernel reads it; a lock that stores its holder's number is given back only if that is an
// explored thread's number.
#include "calls.h"
#include "swift_mutexes.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>
#include <unistd.h>

#include "interlock_waits.h"

/// Copies a lock; returns false if its memory is no longer mapped.
static bool copy(const interlock_object *object, void *lock, size_t size) {
  return interlock_peek(object->address, lock, size);
}

void interlock_give_back_mutex(interlock_object *object) {
  pthread_mutex_t copied, *mutex = (pthread_mutex_t *)object->address;
  if (!copy(object, &copied, sizeof copied) || copied.__data.__lock == 0) return;
  uint32_t owner = (uint32_t)copied.__data.__owner;
  if (owner == 0 || !interlock_stack_has_number(owner)) return;
  // Become the owner, with a depth of 1: some kinds of mutexes let only the owner unlock, and one
  // unlock must suffice.
  typedef int unlock_call(pthread_mutex_t *);
  mutex->__data.__owner = gettid();
  if (mutex->__data.__count > 1) mutex->__data.__count = 1;
  INTERLOCK_REAL(unlock_call, pthread_mutex_unlock)(mutex);
}

void interlock_give_back_rwlock(interlock_object *object) {
  enum { reader_shift = 3 };
  typedef int unlock_call(pthread_rwlock_t *);
  pthread_rwlock_t copied, *lock = (pthread_rwlock_t *)object->address;
  if (!copy(object, &copied, sizeof copied)) return;
  int64_t held = object->value;
  if (object->owner) {
    if (!interlock_stack_has_number((uint32_t)copied.__data.__cur_writer)) return;
    // The unlock recognises a writer by its thread number.
    lock->__data.__cur_writer = gettid();
    held = 1;
  } else if (copied.__data.__readers >> reader_shift < held) {
    return;
  }
  for (; held > 0; held--) INTERLOCK_REAL(unlock_call, pthread_rwlock_unlock)(lock);
}

void interlock_give_back_spin_lock(interlock_object *object) {
  typedef int unlock_call(pthread_spinlock_t *);
  int copied;
  if (!object->owner || !copy(object, &copied, sizeof copied)) return;
  INTERLOCK_REAL(unlock_call, pthread_spin_unlock)((pthread_spinlock_t *)object->address);
}

void interlock_give_back_swift_mutex(interlock_object *object) {
  uint32_t *word = (uint32_t *)object->address, copied;
  if (!object->owner || !copy(object, &copied, sizeof copied) || copied == 0) return;
  if (!interlock_stack_has_number(interlock_word_owner(word))) return;
  // Release: pairs with the acquire of the next thread that locks it.
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

void interlock_give_back_once(interlock_object *object) {
  // A global variable's token has two words; `value` is 1 for it (set by
  // `interlock_perform_once_begin`).
  size_t size = object->value ? sizeof(uint64_t) : sizeof(pthread_once_t);
  uint64_t copied = 0;
  if (!object->owner || !copy(object, &copied, size)) return;
  bool (*is_done)(const void *) = (bool (*)(const void *))object->state;
  // Zero the token, as if no thread had begun the initialiser.
  if (!is_done((const void *)object->address)) memset((void *)object->address, 0, size);
}

#endif
