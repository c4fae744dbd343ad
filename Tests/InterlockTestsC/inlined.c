#include "marks.h"

__attribute__((noinline)) static unsigned long return_address(void) {
  return (unsigned long)__builtin_return_address(0);
}

static inline __attribute__((always_inline)) unsigned long c_inlined(void) {
  return return_address();
}

unsigned long c_return_address_in_inlined(void) { return c_inlined(); }
