// Atomic operations on 16 bytes. Each is a compare-and-swap, which every supported processor has
// for this size. Included by atomics.c only.
#ifndef INTERLOCK_WIDE_OPERATIONS_H
#define INTERLOCK_WIDE_OPERATIONS_H

#include "../WeakMemory/weak_memory.h"

#ifdef INTERLOCK_INTERPOSES

typedef interlock_wide wide;

#define wide_compare(at, expected, desired) interlock_wide_exchange(at, expected, desired)

static inline wide wide_load(const volatile wide *at) {
  wide value = 0;
  // Writes the same value that it finds.
  interlock_wide_exchange((volatile wide *)at, &value, value);
  return value;
}

#define WIDE_CHANGE(name, result)                              \
  static inline wide wide_##name(volatile wide *at, wide value) { \
    wide old = 0;                                              \
    while (!interlock_wide_exchange(at, &old, result)) {       \
    }                                                          \
    return old;                                                \
  }
WIDE_CHANGE(exchange, value)
WIDE_CHANGE(fetch_add, old + value)
WIDE_CHANGE(fetch_sub, old - value)
WIDE_CHANGE(fetch_or, old | value)
WIDE_CHANGE(fetch_and, old &value)
WIDE_CHANGE(fetch_xor, old ^ value)
WIDE_CHANGE(fetch_nand, ~(old & value))

static inline void wide_store(volatile wide *at, wide value) { wide_exchange(at, value); }

#endif
#endif
