/// Memory for records of steps: blocks of a few sizes that are used again. Included by
/// `Strategies/` only.
///
/// A strategy runs on whichever logical thread reaches a point, and each such thread has its own
/// cache in malloc. So a block that one thread frees would not serve the next thread, and would
/// take malloc's slow path.
#ifndef INTERLOCK_STEP_MEMORY_H
#define INTERLOCK_STEP_MEMORY_H

#include <stddef.h>

enum { INTERLOCK_STEP_MEMORY_SIZES = 8 };

/// The free blocks of one strategy, by size. Zero-initialised.
typedef struct {
  void *free[INTERLOCK_STEP_MEMORY_SIZES];
} interlock_step_memory;

/// Returns a block, aligned to 16 bytes; NULL without memory. If `memory` is NULL, the block comes
/// from malloc.
void *interlock_step_memory_take(interlock_step_memory *memory, size_t size);

/// Gives a block back to the memory that it came from, which must still exist.
void interlock_step_memory_give(void *block);

/// Returns the memory that a block came from; NULL for malloc.
interlock_step_memory *interlock_step_memory_of(const void *block);

/// Frees the blocks that are not in use.
void interlock_step_memory_clear(interlock_step_memory *memory);

#endif
