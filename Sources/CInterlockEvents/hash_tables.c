// The order of the elements of a dictionary or a set. Swift seeds each table by its address, so
// that the order differs between two tables of the same elements, and from execution to execution.
#include "interlock_layouts.h"
#include "layouts.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

/// The standard library's parameters: the seeds of the process, and whether a table is seeded by
/// its size and not by its address. SWIFT_DETERMINISTIC_HASHING=1 sets that, and makes the seeds 0.
extern struct {
  uint64_t seeds[2];
  bool by_size;
} _swift_stdlib_Hashing_parameters __attribute__((weak));

bool interlock_check_hash_tables(ptrdiff_t shift) {
  if (!&_swift_stdlib_Hashing_parameters) return true;
  struct {
    // The word of the flag: what follows the flag is 0.
    uint64_t seeds[2], by_size;
  } found;
  memcpy(&found, (const char *)&_swift_stdlib_Hashing_parameters + shift, sizeof found);
  bool has_seeds = found.seeds[0] || found.seeds[1];
  return found.by_size == (has_seeds ? 0 : 1);
}

bool interlock_hash_tables_by_size(bool by_size) {
  if (!&_swift_stdlib_Hashing_parameters) return by_size;
  if (interlock_layouts_lost(1 << INTERLOCK_LAYOUT_HASH_TABLE)) return by_size;
  // Relaxed: a table keeps the seed that it was made with, whichever that is.
  return __atomic_exchange_n(&_swift_stdlib_Hashing_parameters.by_size, by_size, __ATOMIC_RELAXED);
}

#else
bool interlock_hash_tables_by_size(bool by_size) { return by_size; }
#endif
