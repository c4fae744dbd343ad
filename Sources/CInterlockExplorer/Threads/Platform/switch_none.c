// For a processor without a switch of its own: OS threads, which hand over through the kernel.
#include "../stacks.h"

#if defined(INTERLOCK_INTERPOSES) && !defined(__x86_64__)

void interlock_platform_switch(void **from, void *to, uintptr_t thread_base) {
  (void)from, (void)to, (void)thread_base;
  __builtin_trap();
}

void *interlock_platform_prepare(uintptr_t top, void (*function)(void)) {
  (void)function;
  return (void *)top;
}

bool interlock_platform_can_switch(void) { return false; }

#endif
