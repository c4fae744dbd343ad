// What the parts of a task order. Each part is a thread of the exploration: it is made by the step
// that hands the job over, comes after the part before it, and, where it goes on behind a wait, after
// what let it go on.
#include "tasks.h"

#ifdef INTERLOCK_INTERPOSES

static interlock_operation operation_on(interlock_operation_kind kind, const void *task) {
  return interlock_operation_of(kind, interlock_object_at(task)->number, 0);
}

void interlock_model_job_enqueued(const void *job) {
  interlock_did(operation_on(INTERLOCK_OPERATION_CONTINUATION_RESUME, job));
}

void interlock_model_job_begins(const void *job) {
  interlock_did(operation_on(INTERLOCK_OPERATION_CONTINUATION_WAIT, job));
}

void interlock_model_job_ends(const void *job) {
  interlock_did(operation_on(INTERLOCK_OPERATION_CONTINUATION_RESUME, job));
}

#endif
