// Stubs for builds in which the package trait `UnseenCalls` leaves the calls that order threads
// unseen, so that accesses cannot be checked. CUncheckedMemory defines the functions that
// instrumented code calls; this file records that there is such code.
#include "interlock_internals.h"
#include "interlock_memory.h"

#if defined(INTERLOCK_UNSEEN_CALLS) && defined(__linux__) && !defined(INTERLOCK_SANITIZED)

static bool is_instrumented;
__attribute__((visibility("default"))) void __tsan_init(void) {
  // Relaxed: the flag is only ever set.
  __atomic_store_n(&is_instrumented, true, __ATOMIC_RELAXED);
}
bool interlock_memory_is_instrumented(void) {
  return __atomic_load_n(&is_instrumented, __ATOMIC_RELAXED);
}

#endif
