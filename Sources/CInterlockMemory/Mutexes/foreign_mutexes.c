// A `Synchronization.Mutex` that code without instrumentation uses: no call shows the atomic
// operations that such code makes on the mutex's word.
//
// In unoptimised code, the unlock of `withLock` is a function of which every module has a copy, and
// the linker takes one copy for all. It takes the functions below, which are not weak, so every
// unlock is seen. The lock is inlined into its caller, so the lock of other code is not seen. Its
// order is added when a race would be reported and the thread holds such a mutex, and at the
// unlock. Optimised code without instrumentation shows neither, and has no order.
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>
#include <unistd.h>

#include "interlock_waits.h"
#include "mutex_list.h"

// Mutexes that were locked unseen, by a hash of their addresses. If two share an entry, the later
// one stays.
enum { most_words = 1024 };
static uintptr_t words[most_words];
static bool has_words;

static inline size_t place_of(uintptr_t word) { return word >> 2 & (most_words - 1); }

void interlock_mutex_was_locked_unseen(uintptr_t word) {
  // Relaxed, here and below: the mutex itself orders this before a thread that locks it later.
  __atomic_store_n(&words[place_of(word)], word, __ATOMIC_RELAXED);
  __atomic_store_n(&has_words, true, __ATOMIC_RELAXED);
  interlock_memory_order_mutex(false, word);
  interlock_memory_order_mutex(true, word);
}

bool interlock_mutex_orders(memory_thread *own, shadow_cell before) {
  if (!__atomic_load_n(&has_words, __ATOMIC_RELAXED)) return false;
  uint32_t self = interlock_thread_id(), value;
  for (size_t index = 0; index < most_words; index++) {
    uintptr_t word = __atomic_load_n(&words[index], __ATOMIC_RELAXED);
    // The memory may be unmapped by now.
    if (!word || !interlock_peek(word, &value, sizeof value)) continue;
    if ((value & holder_bits) != self) continue;
    begin_change();
    interlock_clock_get(own->clock, word, AS_LOCK, false, false);
    end_change();
  }
  return interlock_clock_has_seen(own->clock, cell_slot(before), cell_count(before));
}

// The mutexes that are held, as far as is known: the upper bits of the address, and the holder's
// number below them. If a mutex is locked while it has an entry here, its last unlock was unseen.
enum { thread_bits = 22 };
static uint64_t holders[most_words];

static inline uint64_t upper_bits(uintptr_t word) { return word >> 12 << thread_bits; }

static void say_that_unlocks_are_unseen(void) {
  static bool is_said;
  // Relaxed: selects the one thread that prints.
  if (__atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED)) return;
  static const char line[] =
      "interlock: a Mutex is unlocked by code that is not instrumented: of threads that lock it,"
      " races in memory may be missed\n";
  ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
  (void)written;
}

void interlock_mutex_was_unlocked_unseen(void) {
  memory_thread *own = own_memory();
  if (!own || is_interrupted(own) || !interlock_memory_settle(own)) return;
  begin_change();
  interlock_clock_know_all(own->clock);
  end_change();
  say_that_unlocks_are_unseen();
}

void interlock_mutex_note_holder(uintptr_t word, bool holds) {
  uint64_t upper = upper_bits(word), self = interlock_thread_id() & ((1u << thread_bits) - 1);
  uint64_t *holder = &holders[place_of(word)];
  // Relaxed: only a holder of the mutex writes its entry, or a holder of another mutex with the
  // same entry, which overwrites it.
  uint64_t found = __atomic_load_n(holder, __ATOMIC_RELAXED);
  bool is_entry = found && found >> thread_bits << thread_bits == upper;
  if (holds && is_entry) interlock_mutex_was_unlocked_unseen();
  if (holds || is_entry) __atomic_store_n(holder, holds ? upper | self : 0, __ATOMIC_RELAXED);
}

#endif
