// Dispatch's semaphores.
#include "semaphores.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>

/// In a semaphore's object, `value` counts once `is_known` is set. `is_from_outside`: the semaphore
/// was made outside the execution.
enum { is_known = 1, is_from_outside = 2 };

typedef intptr_t wait_call(void *, uint64_t);
typedef intptr_t signal_call(void *);

static wait_call *real_wait;
static signal_call *real_signal;

static void find_real(void) {
  if (real_wait) return;
  real_wait = (wait_call *)interlock_find_real("dispatch_semaphore_wait");
  real_signal = (signal_call *)interlock_find_real("dispatch_semaphore_signal");
}

/// Returns the value of a semaphore that was made outside the execution. Takes the semaphore until
/// it would block, and signals as often, so that the real value does not change.
static int64_t real_value(void *semaphore) {
  find_real();
  int64_t value = 0;
  interlock_marks.hidden++;
  int error = errno;
  while (real_wait(semaphore, 0) == 0) value++;
  for (int64_t given = 0; given < value; given++) real_signal(semaphore);
  errno = error;
  interlock_marks.hidden--;
  return value;
}

static interlock_object *semaphore_at(void *semaphore) {
  interlock_object *known = interlock_object_at(semaphore);
  if (!(known->flags & is_known)) {
    known->flags = is_known | is_from_outside;
    known->value = real_value(semaphore);
  }
  return known;
}

/// Changes the real value of a semaphore that the execution made, as the model's value changes:
/// libdispatch traps if a semaphore is freed while its value is below the initial value.
static void follow(const interlock_object *known, void *semaphore, bool is_signal) {
  if (known->flags & is_from_outside) return;
  find_real();
  interlock_marks.hidden++;
  int error = errno;
  if (is_signal) {
    real_signal(semaphore);
  } else {
    real_wait(semaphore, 0);
  }
  errno = error;
  interlock_marks.hidden--;
}

/// Signals the real semaphore, for a thread that waits there and is not explored. Returns false if
/// there is no such thread, and then takes the signal back.
static bool wakes_outside(void *semaphore) {
  interlock_marks.hidden++;
  int error = errno;
  bool wakes = real_signal(semaphore) != 0 || real_wait(semaphore, 0) != 0;
  errno = error;
  interlock_marks.hidden--;
  return wakes;
}

void interlock_model_semaphore_made(void *semaphore, intptr_t value) {
  interlock_object *known = interlock_object_anew(semaphore);
  known->flags = is_known;
  known->value = value;
}

static bool is_positive(interlock_logical_thread *thread, void *semaphore) {
  (void)thread;
  return ((const interlock_object *)semaphore)->value > 0;
}

static interlock_operation operation_on(interlock_operation_kind kind,
                                        const interlock_object *known) {
  return interlock_operation_of(kind, known->number, (uint32_t)known->value + 1);
}

intptr_t interlock_model_semaphore_wait(void *semaphore, uint64_t due, interlock_site site) {
  interlock_object *known = semaphore_at(semaphore);
  bool tries = interlock_is_due(due);
  interlock_operation_kind kind = tries
      ? INTERLOCK_OPERATION_SEMAPHORE_TRY : INTERLOCK_OPERATION_SEMAPHORE_WAIT;
  // The value may change before the thread's turn, so the operation's value is filled in
  // afterwards.
  interlock_operation asked = interlock_operation_of(kind, known->number, 0);
  bool got = true;
  if (due != INTERLOCK_NEVER) interlock_note_try();
  if (tries) {
    interlock_point(asked, NULL, NULL, site.place);
    got = known->value > 0;
  } else if (due == INTERLOCK_NEVER) {
    interlock_point(asked, is_positive, known, site.place);
  } else {
    asked.flags = INTERLOCK_OPERATION_TIMED;
    got = interlock_point_until(asked, is_positive, known, due, site.place);
  }
  interlock_operation did = operation_on(kind, known);
  if (!got) did.flags = INTERLOCK_OPERATION_FAILED;
  interlock_turned_out(did);
  if (got) {
    known->value--;
    follow(known, semaphore, false);
    return 0;
  }
  errno = ETIMEDOUT;
  return -1;
}

void interlock_model_ask_signal(void *semaphore, interlock_site site) {
  interlock_object *known = semaphore_at(semaphore);
  interlock_operation signal = operation_on(INTERLOCK_OPERATION_SEMAPHORE_SIGNAL, known);
  interlock_model_release(signal, site.place);
  if (!interlock_is_known(INTERLOCK_FACT_TRIES)) return;
  interlock_turned_out(operation_on(INTERLOCK_OPERATION_SEMAPHORE_SIGNAL, known));
}

intptr_t interlock_model_semaphore_signal(void *semaphore) {
  interlock_object *known = semaphore_at(semaphore);
  if ((known->flags & is_from_outside) && wakes_outside(semaphore)) return 1;
  known->value++;
  follow(known, semaphore, true);
  return 0;
}

#endif
