// Accesses of memory as points.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

void interlock_explored_access(interlock_operation_kind kind, const void *address) {
  if (!interlock_is_controlled()) return;
  interlock_marks.hidden++;
  uint32_t object = interlock_object_at(address)->number;
  interlock_marks.hidden--;
  interlock_point(interlock_operation_of(kind, object, 0), NULL, NULL,
                  (uintptr_t)__builtin_return_address(0));
}

#else

void interlock_explored_access(interlock_operation_kind kind, const void *address) {
  (void)kind, (void)address;
}

#endif
