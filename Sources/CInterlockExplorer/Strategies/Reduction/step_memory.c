#include "step_memory.h"

#include <stdint.h>
#include <stdlib.h>

/// The header before each block. `next` is the next free block, in a free block.
typedef struct {
  interlock_step_memory *memory;
  uint32_t size;
  _Alignas(16) void *next[];
} head;

enum { granule = 64 };

void *interlock_step_memory_take(interlock_step_memory *memory, size_t size) {
  uint32_t index = (uint32_t)((size + granule - 1) / granule);
  if (index >= INTERLOCK_STEP_MEMORY_SIZES || index == 0) memory = NULL;
  head *block = memory ? memory->free[index] : NULL;
  if (block) {
    memory->free[index] = block->next[0];
    return block + 1;
  }
  block = malloc(sizeof *block + (memory ? index * granule : size + sizeof(void *)));
  if (!block) return NULL;
  block->memory = memory;
  block->size = index;
  return block + 1;
}

void interlock_step_memory_give(void *block) {
  if (!block) return;
  head *given = (head *)block - 1;
  if (!given->memory) {
    free(given);
    return;
  }
  given->next[0] = given->memory->free[given->size];
  given->memory->free[given->size] = given;
}

interlock_step_memory *interlock_step_memory_of(const void *block) {
  return ((const head *)block - 1)->memory;
}

void interlock_step_memory_clear(interlock_step_memory *memory) {
  for (int index = 0; index < INTERLOCK_STEP_MEMORY_SIZES; index++) {
    while (memory->free[index]) {
      head *block = memory->free[index];
      memory->free[index] = block->next[0];
      free(block);
    }
  }
}
