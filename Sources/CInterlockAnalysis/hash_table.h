// Hashes of the tables. Not for users of the target.
#ifndef INTERLOCK_HASH_TABLE_H
#define INTERLOCK_HASH_TABLE_H

#include "interlock_internals.h"

/// Adds a value to a hash.
static inline uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

#endif
