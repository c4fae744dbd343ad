// The thread's own data, such as that of `pthread_getspecific`. A pool chooses the thread for a
// block or a part of a task, so nothing orders two of these on the same thread. But their uses of
// the thread's own data are ordered, because the thread runs one after the other.
#include "../thread_record.h"

void interlock_clock_uses_locals(thread_record *record) {
  thread_clock *own = record->clock;
  if (own->uses_locals) return;
  own->uses_locals = true;
  interlock_clock_get(own, (uintptr_t)record, AS_LOCALS, false, false);
}

void interlock_clock_leaves_locals(thread_record *record, thread_clock *own) {
  if (!own->uses_locals) return;
  own->uses_locals = false;
  interlock_clock_pass(own, (uintptr_t)record, AS_LOCALS, false);
}
