// Waiters of XCTest.
//
// XCTest keeps the state of its waiters on queues of its own, whose blocks are short and wait for
// nothing. The order of these blocks has no effect, but the expectations that a waiter finds
// fulfilled do. So each call on such a queue is an operation in the step of its caller. No other
// thread can reach the waiter of an asynchronous test before that waiter polls, so until then its
// calls are no operations.
#include "run_loops.h"

#ifdef INTERLOCK_INTERPOSES

static interlock_poll *own_poll(void) { return &interlock_model_thread()->poll; }

static void declare(const model_queue *queue) {
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, queue->number, 0));
}

void interlock_model_waiter_did(const model_queue *queue) {
  const interlock_poll *poll = own_poll();
  if (!poll->is_of_waiter || poll->is_reached) declare(queue);
}

bool interlock_model_is_waiter(void) {
  const model_thread *own = interlock_current_thread()->model;
  return own && own->poll.is_of_waiter;
}

void interlock_model_waiter_begins(void) {
  if (!interlock_exploration_asked()->body_is_main) return;
  // XCTest sets the time limit in its next call. The thread reaches no point until then.
  *own_poll() = (interlock_poll){.is_of_waiter = true, .due = INTERLOCK_NEVER};
}

bool interlock_model_waiter_ends_at(void *object, uint64_t due) {
  model_queue *queue = interlock_model_queue_at(object);
  if (!queue->is_of_xctest) return false;
  interlock_poll *poll = own_poll();
  if (!poll->is_of_waiter) return true;
  // Subtract most of the quarter of a second that XCTest adds, after which an outer waiter ends the
  // inner ones; a waiter checks by the clock that its own time is over. The waiter for an
  // asynchronous test has a limit of 30 days.
  const uint64_t second = 1000000000, minute = 60 * second, month = 30 * 24 * 60 * minute;
  const uint64_t added = second / 4 - second / 1000;
  poll->is_of_test = due - interlock_virtual_now() - month < minute;
  if (poll->is_of_test) return true;
  poll->is_reached = true;
  if (due != INTERLOCK_NEVER) poll->due = due - added;
  declare(queue);
  return true;
}

void interlock_model_waiter_ends(const model_queue *queue) {
  // The waiter ends before it had a limit: an outer waiter has ended it.
  const interlock_poll *poll = own_poll();
  if (poll->is_of_waiter && !poll->is_of_test && !poll->is_reached) declare(queue);
  *own_poll() = (interlock_poll){0};
}

#endif
