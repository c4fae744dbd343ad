// The model's data of a thread, and the operations that are choices if the user's code calls.
#include "../../../CInterlockEvents/interpose.h"
#include "items.h"

#ifdef INTERLOCK_INTERPOSES

model_thread *interlock_model_thread(void) {
  interlock_logical_thread *thread = interlock_current_thread();
  if (!thread->model) thread->model = interlock_execution_memory(sizeof(model_thread));
  return thread->model;
}

/// True if the user's code makes the call, directly or through Dispatch's overlay, and not
/// Foundation or the runtime.
bool interlock_model_is_choice(interlock_site site) {
  return interlock_is_choice(site.returns_to) ||
         !(interlock_is_foundation(site.returns_to) || interlock_is_concurrency(site.returns_to));
}

bool interlock_model_is_on_task_pool(const interlock_logical_thread *thread) {
  const model_thread *own = thread->model;
  return own && own->running && own->running->entry.queue->is_task_pool;
}

void interlock_model_release(interlock_operation operation, uintptr_t place) {
  if (interlock_is_known(INTERLOCK_FACT_TRIES)) {
    interlock_point(operation, NULL, NULL, place);
  } else {
    interlock_did(operation);
  }
}

void interlock_model_ask(interlock_operation operation, interlock_site site) {
  if (interlock_model_is_choice(site)) {
    interlock_point(operation, NULL, NULL, site.place);
  } else {
    interlock_did(operation);
  }
}

#endif
