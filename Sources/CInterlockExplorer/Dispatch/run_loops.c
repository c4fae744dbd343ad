// The main thread, and polls of run loops: how XCTest waits.
//
// A test of XCTest runs on the main thread, so no block of the main queue runs beside it: the first
// thread of the execution is on the main queue, and leaves it while it polls its run loop. The
// blocks that are queued when the poll ends run before the thread goes on.
//
// XCTest keeps the state of its waiters on queues of its own, whose blocks are short and wait for
// nothing. No order of these blocks is an outcome, but what a waiter finds is: that expectations
// are fulfilled. So the calls are parts of their steps. A waiter that others cannot reach before it
// polls, as the one for an asynchronous test, is ordered by the end of its poll alone.
#include "run_loops.h"

#include "synchronous.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#include "../Calls/calls.h"
#include "../Engine/engine.h"

extern char _dispatch_main_q[] __attribute__((weak));

static bool is_main_thread(const interlock_logical_thread *thread) {
  return interlock_the_engine.options.body_is_main && thread->number == 0;
}

// The main thread is on the main queue as a thread that runs a block there by itself.

static model_entry main_turn;

static void enter_main(uintptr_t place) {
  model_queue *queue = interlock_model_queue_at(_dispatch_main_q);
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_ENQUEUE, queue->number, 0));
  interlock_model_enter(queue, &main_turn, false, place);
}

static void leave_main(void) {
  interlock_model_leave(interlock_model_queue_at(_dispatch_main_q), &main_turn, false);
}

void interlock_model_main_begins(void) {
  if (_dispatch_main_q) enter_main(0);
}

void interlock_model_main_ends(void) {
  if (_dispatch_main_q) leave_main();
}

bool interlock_model_is_main(const interlock_logical_thread *thread) {
  if (is_main_thread(thread)) return true;
  const model_queue *queue = thread->queue;
  return queue && _dispatch_main_q &&
         interlock_model_root((model_queue *)queue) ==
             interlock_model_root(interlock_model_queue_at(_dispatch_main_q));
}

// Waiters.

static interlock_poll *own_poll(void) { return &interlock_model_thread()->poll; }

/// What a waiter's calls do in their step, unless no other thread can reach the waiter.
void interlock_model_waiter_did(const model_queue *queue) {
  if (own_poll()->is_private) return;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, queue->number, 0));
}

bool interlock_model_is_waiter(void) {
  const model_thread *own = interlock_current_thread()->model;
  return own && own->poll.is_of_waiter;
}

void interlock_model_waiter_begins(void) {
  // XCTest says the time limit next. Until then the thread reaches no point.
  *own_poll() = (interlock_poll){.is_of_waiter = true, .is_private = true, .due = INTERLOCK_NEVER};
}

bool interlock_model_waiter_ends_at(void *object, uint64_t due) {
  model_queue *queue = interlock_model_queue_at(object);
  if (!queue->is_of_waiters) return false;
  // The waiter of an asynchronous test has 30 days. XCTest adds a quarter of a second, after which
  // an outer waiter ends the inner ones; a waiter finds by the clock that its own time is over.
  const uint64_t second = 1000000000, days = 29 * 24 * 3600, added = second / 4 - second / 1000;
  interlock_poll *poll = own_poll();
  if (poll->is_of_waiter && due < interlock_virtual_now() + days * second) {
    poll->is_private = false;
    poll->due = due - added;
    interlock_model_waiter_did(queue);
  }
  return true;
}

void interlock_model_waiter_ends(void) { *own_poll() = (interlock_poll){0}; }

// Polls.

static bool is_stopped(interlock_logical_thread *thread, void *poll) {
  (void)thread;
  return ((const interlock_poll *)poll)->is_stopped;
}

static void wait_for_stop(interlock_poll *poll, void *run_loop, uintptr_t place) {
  poll->run_loop = run_loop;
  poll->is_stopped = false;
  if (!poll->number) poll->number = interlock_object_number();
  interlock_operation wait = interlock_operation_of(INTERLOCK_OPERATION_SEMAPHORE_WAIT,
                                                    poll->number, 1);
  if (poll->due != INTERLOCK_NEVER) wait.flags = INTERLOCK_OPERATION_TIMED;
  interlock_name_call(poll->is_private ? "wait for the test" : "wait");
  bool stopped = interlock_point_until_last(wait, is_stopped, poll, poll->due, place);
  wait.other = 1 + stopped;
  if (!stopped) wait.flags |= INTERLOCK_OPERATION_FAILED;
  interlock_turned_out(wait);
  poll->run_loop = NULL;
}

bool interlock_model_poll(void *run_loop, const struct timespec *before, bool is_waiter,
                          interlock_site site) {
  interlock_poll *poll = own_poll();
  bool is_main = is_main_thread(interlock_current_thread());
  is_waiter = is_waiter && poll->is_of_waiter;
  if (!is_waiter && !is_main) return false;
  if (is_main && _dispatch_main_q) leave_main();
  if (is_waiter) {
    wait_for_stop(poll, run_loop, site.place);
  } else {
    interlock_perform_sleep(CLOCK_REALTIME, before, true, site);
  }
  if (is_main && _dispatch_main_q) enter_main(site.place);
  return true;
}

void interlock_model_stop_poll(void *run_loop) {
  INTERLOCK_EACH_LIVE(thread) {
    model_thread *own = thread->model;
    if (!own || own->poll.run_loop != run_loop) continue;
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_SEMAPHORE_SIGNAL, own->poll.number,
                                         1 + own->poll.is_stopped));
    own->poll.is_stopped = true;
  }
}

#endif
