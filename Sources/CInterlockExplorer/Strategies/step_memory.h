/// Memory for what is kept of steps: blocks of a few sizes, which are used again.
///
/// A strategy runs on whichever logical thread reaches a point, and each has its own cache in
/// malloc: a block that one thread frees does not serve the next one, and takes malloc's slow path.
#ifndef INTERLOCK_STEP_MEMORY_H
#define INTERLOCK_STEP_MEMORY_H

#include <stddef.h>

enum { INTERLOCK_STEP_MEMORY_SIZES = 8 };

/// The free blocks of one strategy, by size. All zeros at first.
typedef struct {
  void *free[INTERLOCK_STEP_MEMORY_SIZES];
} interlock_step_memory;

/// Returns a block, aligned to 16 bytes; NULL without memory. A block of no `memory` is malloc's.
void *interlock_step_memory_take(interlock_step_memory *memory, size_t size);

/// Gives a block back to the memory that it is of, which must exist.
void interlock_step_memory_give(void *block);

/// Returns the memory that a block is of.
interlock_step_memory *interlock_step_memory_of(const void *block);

/// Frees the free blocks.
void interlock_step_memory_clear(interlock_step_memory *memory);

#endif
