// The system calls that explored threads make through `syscall`: `gettid`, whose result the Swift
// runtime keeps in its locks, and the futex, which the slow path of `Synchronization.Mutex` calls.
#include "../../CInterlockEvents/interpose.h"
#include "../Dispatch/run_loops.h"
#include "calls.h"
#include "swift_mutexes.h"

#ifdef INTERLOCK_INTERPOSES

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef long system_call(long, long, long, long, long, long, long);

enum { lock_pi2 = 13, owner_mask = 0x3fffffff };

typedef struct waiter {
  struct waiter *next;
  const uint32_t *word;
  uint32_t expected;
  bool is_woken;
} waiter;

uint32_t interlock_word_owner(const void *word) {
  uint32_t owner = __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED) & owner_mask;
  return owner ? owner : INTERLOCK_NO_OWNER;
}

static bool has_no_owner(interlock_logical_thread *thread, void *word) {
  (void)thread;
  uint32_t owner = interlock_word_owner(word);
  return owner == INTERLOCK_NO_OWNER || interlock_is_held_outside(word, owner);
}

static bool take_word(uint32_t *word, uint32_t own) {
  uint32_t none = 0;
  // Acquire: the new owner sees everything that the last owner wrote.
  return __atomic_compare_exchange_n(word, &none, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/// Takes the lock, after waiting for an owner that is not explored. Fails only if an explored
/// thread is the owner.
static bool take_after_outside(uint32_t *word, uint32_t own) {
  while (!take_word(word, own)) {
    if (interlock_word_owner(word) != INTERLOCK_NO_OWNER &&
        !interlock_wait_for_outside(word, interlock_word_owner)) {
      return false;
    }
  }
  return true;
}

static long refuse(int error) {
  errno = error;
  return -1;
}

/// Returns the limit of a futex call: FUTEX_WAIT has a time span, the other operations a point in
/// time.
static uint64_t due_of(int operation, bool is_real_time, const struct timespec *time) {
  if (!time) return INTERLOCK_NEVER;
  if (operation != FUTEX_WAIT) {
    return interlock_due(is_real_time ? CLOCK_REALTIME : CLOCK_MONOTONIC, time);
  }
  return interlock_virtual_now() + (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

/// The lock is no choice: the path without contention is compiled into the caller and reaches no
/// point.
static long lock_owned(uint32_t *word, uint64_t due, interlock_site site) {
  uint32_t own = interlock_current_thread()->stack->system_number;
  if (interlock_word_owner(word) == own) return refuse(EDEADLK);
  if (take_after_outside(word, own)) return 0;
  interlock_escaped("a contended Synchronization.Mutex");
  uint32_t number = interlock_object_in_memory(word)->number;
  interlock_operation operation = interlock_operation_of(INTERLOCK_OPERATION_LOCK, number, 0);
  for (;;) {
    if (!interlock_wait_until(operation, has_no_owner, word, due, site.place)) {
      return refuse(ETIMEDOUT);
    }
    if (take_after_outside(word, own)) return 0;
  }
}

static bool may_go_on(interlock_logical_thread *thread, void *context) {
  (void)thread;
  const waiter *own = context;
  return own->is_woken || __atomic_load_n(own->word, __ATOMIC_ACQUIRE) != own->expected;
}

static long wait_at(uint32_t *word, uint32_t expected, uint64_t due, interlock_site site) {
  if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != expected) return refuse(EAGAIN);
  interlock_object *object = interlock_object_in_memory(word);
  waiter *own = interlock_execution_memory(sizeof *own);
  *own = (waiter){.next = object->first, .word = word, .expected = expected};
  object->first = own;
  interlock_operation operation =
      interlock_operation_of(INTERLOCK_OPERATION_UNKNOWN, object->number, 0);
  bool in_time = interlock_point_until(operation, may_go_on, own, due, site.place);
  waiter **at = (waiter **)&object->first;
  while (*at && *at != own) at = &(*at)->next;
  if (*at) *at = own->next;
  return in_time ? 0 : refuse(ETIMEDOUT);
}

static long wake(uint32_t *word, uint32_t most) {
  interlock_object *object = interlock_object_in_memory(word);
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_UNKNOWN, object->number, 0));
  uint32_t woken = 0;
  // The kernel wakes waiters in the order in which they came; the first one is the last of the
  // list.
  while (woken < most) {
    waiter *longest = NULL;
    for (waiter *each = object->first; each; each = each->next) {
      if (!each->is_woken) longest = each;
    }
    if (!longest) break;
    longest->is_woken = true;
    woken++;
  }
  return woken;
}

long interlock_perform_system_call(long number, long a, long b, long c, long d, long e, long f,
                                   interlock_site site) {
  system_call *real = INTERLOCK_REAL(system_call, syscall);
  if (number == SYS_gettid) {
    // Foundation compares the number with the process's to learn whether this is the main thread;
    // the runtime keeps the number in its locks.
    interlock_logical_thread *self = interlock_current_thread();
    bool is_main = interlock_is_foundation(site.returns_to) && interlock_model_is_main(self);
    return is_main ? getpid() : (long)self->stack->system_number;
  }
  if (number == SYS_sched_yield) {
    interlock_perform_yield(site);
    return 0;
  }
  if (number != SYS_futex) return real(number, a, b, c, d, e, f);
  int operation = (int)b & FUTEX_CMD_MASK;
  uint32_t *word = (uint32_t *)a;
  const struct timespec *time = (const struct timespec *)d;
  // FUTEX_LOCK_PI always uses the wall clock, whatever its flag says.
  bool is_real_time = ((int)b & FUTEX_CLOCK_REALTIME) || operation == FUTEX_LOCK_PI;
  switch (operation) {
    case FUTEX_LOCK_PI:
    case lock_pi2: return lock_owned(word, due_of(operation, is_real_time, time), site);
    case FUTEX_UNLOCK_PI:
      interlock_did(interlock_operation_of(INTERLOCK_OPERATION_UNLOCK,
                                           interlock_object_in_memory(word)->number, 0));
      // A thread that is not explored waits in the kernel, which must hand the lock over.
      if (__atomic_load_n(word, __ATOMIC_RELAXED) & FUTEX_WAITERS) {
        interlock_stack_unlock(interlock_current_thread()->stack, word, (int)b);
        return 0;
      }
      __atomic_store_n(word, 0, __ATOMIC_RELEASE);
      return 0;
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      return wait_at(word, (uint32_t)c, due_of(operation, is_real_time, time), site);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      long woken = wake(word, (uint32_t)c);
      // Threads that are not explored may wait at the same word.
      return woken < c ? woken + real(number, a, b, c - woken, d, e, f) : woken;
    }
    default: return real(number, a, b, c, d, e, f);
  }
}

#endif
