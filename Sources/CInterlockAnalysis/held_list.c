// The locks that a thread holds, for the tracker of sections.
#include "thread_record.h"

size_t interlock_copy_held(interlock_held_at *held, size_t capacity) {
  const held_list *list = interlock_own_record ? &interlock_own_record->held : NULL;
  size_t count = 0;
  for (uint32_t index = 0; list && index < list->count && count < capacity; index++) {
    const held_lock *lock = &list->locks[index];
    if (!lock->counts[HELD_IN_ORDER]) continue;
    held[count++] = (interlock_held_at){lock->object, lock->place, lock->outer, lock->kind};
  }
  return count;
}
