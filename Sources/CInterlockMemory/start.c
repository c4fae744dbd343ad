// Starts the check in a process that links the product for it. In C: it must start before `main`.
#include "interlock_memory.h"

/// NULL unless the product InterlockMemory is linked.
void interlock_memory_start_from_environment(void) __attribute__((weak));

// Runs after the constructors without a priority, such as those of the runtime's C++ parts in this
// executable, and after those of instrumented files, which call `__tsan_init`.
__attribute__((constructor(65535))) static void start(void) {
  if (interlock_memory_start_from_environment) interlock_memory_start_from_environment();
}
