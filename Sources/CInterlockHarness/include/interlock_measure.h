#ifndef INTERLOCK_MEASURE_H
#define INTERLOCK_MEASURE_H

// C functions for the comparison of lock strategies. Not part of the users' API.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Keeps the processor busy for `rounds` dependent multiplications, without touching memory. In C
/// because Swift's optimiser may move arithmetic out of a critical section, and Swift has no way to
/// prevent that.
void interlock_burn(uint64_t rounds);

/// Returns the number of bytes that the C library's allocator has allocated for all threads; -1 if
/// it does not report them. In C because Swift's module of the C library has no `malloc.h`.
int64_t interlock_heap_bytes(void);

#ifdef __cplusplus
}
#endif

/// The path of this header as the compiler has it, which locates the target's sources.
static inline const char *interlock_harness_header(void) { return __FILE__; }

#endif
