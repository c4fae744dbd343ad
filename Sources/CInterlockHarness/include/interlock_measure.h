#ifndef INTERLOCK_MEASURE_H
#define INTERLOCK_MEASURE_H

// What a comparison of lock strategies needs from C. No part of the API for users.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Keeps the processor busy for so many rounds of a chain of multiplications, each of which waits
/// for the one before, and touches no memory. In C because Swift has no way to say that work must
/// stay where it stands: its optimiser may move arithmetic out of a locked stretch.
void interlock_burn(uint64_t rounds);

/// The bytes that the C library's allocator has given out and not got back, of all threads; -1
/// where it does not tell. In C because Swift's module of the C library has no `malloc.h`.
int64_t interlock_heap_bytes(void);

#ifdef __cplusplus
}
#endif

#endif
