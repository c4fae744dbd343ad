// Continuations. A task that waits for its continuation is a thread that waits until another step
// resumes the continuation.
#include "../Engine/engine.h"
#include "tasks.h"

#ifdef INTERLOCK_INTERPOSES

/// The object of all continuations whose task only the runtime knows.
static const char unknown;

void interlock_continuation_made(uintptr_t address, uintptr_t place) {
  model_task *task = interlock_task_at(address);
  task->continuation = interlock_object_number();
  task->is_resumed = false;
  task->continuation_place = place;
}

static bool is_resumed(interlock_logical_thread *thread, void *task) {
  (void)thread;
  return ((const model_task *)task)->is_resumed;
}

void interlock_continuation_awaited(uintptr_t address, bool gives_up, uintptr_t place) {
  model_task *task = interlock_task_at(address);
  // If the task gives something up, other code can observe whether the task had to wait.
  interlock_operation_kind kind =
      gives_up ? INTERLOCK_OPERATION_READ_WRITE : INTERLOCK_OPERATION_CONTINUATION_WAIT;
  interlock_point(interlock_operation_of(kind, task->continuation, 0), gives_up ? NULL : is_resumed,
                  task, place ? place : task->continuation_place);
}

void interlock_continuation_resumed(uintptr_t address, uintptr_t place) {
  // A checked continuation that was resumed before has forgotten its task: this call ends the
  // process.
  if (!address) {
    interlock_name_call("resume again");
    interlock_point(interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0), NULL, NULL, place);
    return;
  }
  model_task *task = interlock_is_own_at(address) ? interlock_task_at(address) : NULL;
  if (!task || !task->continuation || task->is_resumed) {
    interlock_point(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE,
                                           interlock_object_at(&unknown)->number, 0),
                    NULL, NULL, place);
    return;
  }
  interlock_point(
      interlock_operation_of(INTERLOCK_OPERATION_CONTINUATION_RESUME, task->continuation, 0), NULL,
      NULL, place);
  task->is_resumed = true;
}

#endif
