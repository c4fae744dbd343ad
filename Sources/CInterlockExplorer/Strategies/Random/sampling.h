/// Declarations shared by the strategies. Included by `Strategies/` only.
#ifndef INTERLOCK_SAMPLING_H
#define INTERLOCK_SAMPLING_H

#include <stdlib.h>
#include <string.h>

#include "interlock_strategies.h"

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): equal on every platform.
typedef struct {
  uint64_t state;
} interlock_random;

static inline uint64_t interlock_random_next(interlock_random *random) {
  uint64_t z = random->state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

/// Returns a number from 0 to `limit` - 1; `limit` is at least 1.
static inline uint32_t interlock_random_below(interlock_random *random, uint32_t limit) {
  return (uint32_t)(((interlock_random_next(random) >> 32) * limit) >> 32);
}

/// Makes room for `count` elements and zeroes the new ones. Returns false without memory.
static inline bool interlock_reserve(void **elements, size_t *capacity, size_t count, size_t size) {
  if (count <= *capacity) return true;
  size_t larger = *capacity ? *capacity : 16;
  while (larger < count) larger *= 2;
  void *moved = realloc(*elements, larger * size);
  if (!moved) return false;
  memset((char *)moved + *capacity * size, 0, (larger - *capacity) * size);
  *elements = moved;
  *capacity = larger;
  return true;
}

static inline bool interlock_begin_always(interlock_strategy *strategy) {
  (void)strategy;
  return true;
}

static inline void interlock_ignore_step(interlock_strategy *strategy, uint32_t thread,
                                         const interlock_operation *operations, size_t count) {
  (void)strategy, (void)thread, (void)operations, (void)count;
}

static inline void interlock_ignore_end(interlock_strategy *strategy, interlock_execution_end end,
                                        const interlock_exploration_state *last) {
  (void)strategy, (void)end, (void)last;
}

/// A sampling strategy never knows that it has run every order.
static inline bool interlock_never_complete(const interlock_strategy *strategy) {
  (void)strategy;
  return false;
}

#endif
