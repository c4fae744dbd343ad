// The data that a thread has for itself, such as that of `pthread_getspecific`. A pool chooses on
// which thread it runs a block or a part of a task, so nothing orders two of them that the same
// thread runs. But what they do with the thread's own data is ordered, because the thread is.
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
