// The clocks of atomics, which end when their memory is freed: the next object at the address is
// not ordered by them. No call shows the end of an atomic, so each unit of memory with a clock has
// a bit, and so has each page with such a unit. A `free` of other memory costs one load more.
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

void interlock_memory_note_atomic(uintptr_t address) {
  // The clock of an explored thread's store has a key above all addresses.
  shadow_leaf *leaf = address >> address_bits ? NULL : leaf_at(address);
  if (!leaf) return;
  size_t unit = unit_at(address), page = unit / units_in_page;
  uint64_t *word = &leaf->atomic_units[unit / 64], bit = (uint64_t)1 << unit % 64;
  // Relaxed, all: the memory is freed after its accesses.
  if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit) return;
  __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
  __atomic_fetch_or(&leaf->atomic_pages[page / 64], (uint64_t)1 << page % 64, __ATOMIC_RELAXED);
}

/// Forgets the clocks of a unit. A `Mutex` is an atomic that has the clock of a lock as well.
static void forget_unit(uintptr_t address) {
  for (uintptr_t at = address; at < address + 8; at++) {
    interlock_clock_forget(at, AS_ATOMIC);
    interlock_clock_forget(at, AS_LOCK);
  }
}

/// Forgets the clocks of the units from `first` to before `end`. `base` is the leaf's address.
static void forget_units(shadow_leaf *leaf, uintptr_t base, size_t first, size_t end) {
  for (size_t unit = first; unit < end; unit = (unit / 64 + 1) * 64) {
    uint64_t *word = &leaf->atomic_units[unit / 64], mask = UINT64_MAX << unit % 64;
    if (end - unit / 64 * 64 < 64) mask &= ((uint64_t)1 << end % 64) - 1;
    // Relaxed: see `interlock_memory_note_atomic`.
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & mask)) continue;
    uint64_t left = __atomic_fetch_and(word, ~mask, __ATOMIC_RELAXED) & mask;
    for (; left; left &= left - 1) {
      forget_unit(base + (unit / 64 * 64 + (size_t)__builtin_ctzll(left)) * 8);
    }
  }
}

/// The same in the pages that may have a clock.
static void forget_pages(shadow_leaf *leaf, uintptr_t base, size_t first, size_t end) {
  for (size_t page = first / units_in_page; page * units_in_page < end; page++) {
    // Relaxed: see `interlock_memory_note_atomic`.
    uint64_t word = __atomic_load_n(&leaf->atomic_pages[page / 64], __ATOMIC_RELAXED);
    if (!word) page |= 63;
    if (!(word >> page % 64 & 1)) continue;
    size_t low = page * units_in_page, high = low + units_in_page;
    forget_units(leaf, base, low < first ? first : low, high > end ? end : high);
  }
}

void interlock_forget_atomics(uintptr_t address, size_t size) {
  // A signal handler may have interrupted a change of these clocks. Relaxed: in the child of a
  // fork, where no thread releases the lock of a clock, the check is off.
  if (size == 0 || address >> address_bits || is_in_change() ||
      !__atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED)) {
    return;
  }
  for (uintptr_t at = address, end = address + size; at < end;) {
    uintptr_t base = at >> leaf_shift << leaf_shift, next = base + ((uintptr_t)1 << leaf_shift);
    if (next > end) next = end;
    shadow_leaf *leaf = leaf_at(at);
    if (leaf) forget_pages(leaf, base, (at - base) >> 3, (next - base + 7) >> 3);
    at = next;
  }
}

#endif
