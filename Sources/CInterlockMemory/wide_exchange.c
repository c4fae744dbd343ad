// The exchange of 16 bytes that the atomic operations are made of.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include "wide_operations.h"

// Some processors of this kind lack the instruction, so the compiler emits it only where this says
// that it is there, and not where this function is inlined: it would call libatomic's instead.
#if defined(__x86_64__)
__attribute__((target("cx16"), noinline))
#endif
bool interlock_wide_exchange(volatile wide *at, wide *expected, wide desired) {
  // A full barrier: at least as strong as any order that the code asks for.
  wide found = __sync_val_compare_and_swap(at, *expected, desired);
  bool done = found == *expected;
  *expected = found;
  return done;
}

#endif
