// The exchange of 16 bytes on which all atomic operations of that size are based.
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include "wide_operations.h"

// Some x86-64 processors lack the instruction, so the compiler emits it only with this attribute.
// Not inlined: in a function without the attribute the compiler would call libatomic.
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
