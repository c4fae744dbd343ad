// Starts the check in a process that links the product InterlockMemory. In C, because the check
// must start before `main`.
#include "interlock_memory.h"
#include "interlock_runtime.h"

/// Adds the product's options to the list. NULL unless the product InterlockMemory is linked.
void interlock_memory_declare_options(void *list) __attribute__((weak));
/// NULL unless the product InterlockMemory is linked.
void interlock_memory_start_from_environment(void) __attribute__((weak));

// Runs before the constructors without a priority, one of which reads the options.
__attribute__((constructor(101))) static void declare_options(void) {
  static interlock_options options;
  if (!interlock_memory_declare_options) return;
  options.declare = interlock_memory_declare_options;
  interlock_declare_options(&options);
}

// Runs after the constructors without a priority, such as those of the runtime's C++ parts in this
// executable, and after those of instrumented files, which call `__tsan_init`.
__attribute__((constructor(65535))) static void start(void) {
  if (interlock_memory_start_from_environment) interlock_memory_start_from_environment();
}
