// Makes the order of the elements of a dictionary or a set repeatable. By default Swift seeds each
// table by its address, so that the order differs between two tables of the same elements, and
// between executions.
#include "interlock_layouts.h"
#include "Code/layouts.h"

#ifdef INTERLOCK_INTERPOSES

bool interlock_hash_tables_by_size(bool by_size) {
  if (!&_swift_stdlib_Hashing_parameters) return by_size;
  if (interlock_layouts_lost(1 << INTERLOCK_LAYOUT_HASH_TABLE)) return by_size;
  // Relaxed: a table keeps the seed with which it was made, whichever that is.
  return __atomic_exchange_n(&_swift_stdlib_Hashing_parameters.by_size, by_size, __ATOMIC_RELAXED);
}

#else
bool interlock_hash_tables_by_size(bool by_size) { return by_size; }
#endif
