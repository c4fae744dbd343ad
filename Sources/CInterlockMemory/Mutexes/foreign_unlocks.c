// The unlock functions of `Mutex` of which every module has a copy: the linker takes these for all
// of them (foreign_mutexes.c).
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include "mutex_list.h"

// The functions: `defer` in `withLock` and in `withLockIfAvailable`. Their first parameter is the
// mutex; the others are the metadata of its types.

#define HIDDEN_SWIFT __attribute__((swiftcall)) HIDDEN
HIDDEN_SWIFT void interlock_mutex_unlock(uint32_t *word)
    __asm__("$s15Synchronization5MutexVAARi_zrlE8withLockyqd__qd__xzYuqd_0_YKYTXEqd_0_YKs5ErrorRd_0"
            "_Ri_d__r0_lF6$deferL_yysAERd_0_Ri_zRi_d__r_0_lF");
HIDDEN_SWIFT void interlock_mutex_unlock_tried(uint32_t *word)
    __asm__("$s15Synchronization5MutexVAARi_zrlE19withLockIfAvailableyqd__Sgqd__xzYuqd_0_YKYTXEqd_0"
            "_YKs5ErrorRd_0_Ri_d__r0_lF6$deferL_yysAFRd_0_Ri_zRi_d__r_0_lF");

static void unlock_word(uint32_t *word, uintptr_t place) {
  // Relaxed: the caller holds the mutex, so the word has its number, with a bit for waiters or not.
  uint32_t holder = __atomic_load_n(word, __ATOMIC_RELAXED);
  bool has_waiters = holder & ~(uint32_t)holder_bits;
  // If a thread waits, or begins to wait here, the slow path publishes the unlock.
  bool is_published =
      !has_waiters && interlock_mutex_unlocks((uintptr_t)word, holder, 0, place);
  // Release: pairs with the acquire of the next holder.
  if (!has_waiters &&
      __atomic_compare_exchange_n(word, &holder, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    return;
  }
  interlock_mutex_unlock_with_waiters(word, !is_published, place);
}

static void unlock(uint32_t *word, uintptr_t place) {
  interlock_mutex_use use = interlock_mutex_asks(INTERLOCK_MUTEX_UNLOCK, word, place);
  unlock_word(word, place);
  if (use != INTERLOCK_MUTEX_NONE) interlock_explored_mutex_did(use, word, true);
}

HIDDEN_SWIFT void interlock_mutex_unlock(uint32_t *word) { unlock(word, PLACE); }
HIDDEN_SWIFT void interlock_mutex_unlock_tried(uint32_t *word) { unlock(word, PLACE); }

#endif
