// The task that calls, and its executor.
#include "../Awaits/await_calls.h"
#include "controlled_tasks.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

executor interlock_current_executor(void) {
  typedef __attribute__((swiftcall)) executor current(void);
  return REAL(current, swift_task_getCurrentExecutor)();
}

interlock_calling_task interlock_task_that_calls(void) {
  uintptr_t task = current_task();
  if (!task) return (interlock_calling_task){0};
  executor on = interlock_current_executor();
  return (interlock_calling_task){task, actor_of(on), on.identity != 0};
}

uintptr_t interlock_running_task(uintptr_t *actor) {
  interlock_calling_task caller = interlock_task_that_calls();
  *actor = caller.actor;
  return caller.task;
}

#else
interlock_calling_task interlock_task_that_calls(void) { return (interlock_calling_task){0}; }
uintptr_t interlock_running_task(uintptr_t *actor) { return *actor = 0; }
#endif
#endif
