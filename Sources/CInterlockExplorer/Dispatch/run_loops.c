// The main thread, and polls of run loops, which is how XCTest waits.
//
// A test of XCTest runs on the main thread, so no block of the main queue runs beside it. The first
// thread of the execution is on the main queue, and leaves the queue while it polls its run loop.
// The blocks that are queued when the poll ends run before the thread continues.
#include "run_loops.h"

#include "Model/synchronous.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#include "../Calls/calls.h"
#include "../Engine/engine.h"

extern char _dispatch_main_q[] __attribute__((weak));

static bool is_main_thread(const interlock_logical_thread *thread) {
  return interlock_the_engine.options.body_is_main && thread->number == 0;
}

// The main thread is on the main queue like a thread that runs a block by itself (`sync`).

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

// Polls.

static bool is_stopped(interlock_logical_thread *thread, void *poll) {
  (void)thread;
  return ((const interlock_poll *)poll)->is_stopped;
}

/// Waits until the poll is stopped, or until its limit.
static void wait_for_stop(interlock_poll *poll, void *run_loop, uintptr_t place) {
  poll->run_loop = run_loop;
  poll->is_stopped = false;
  if (!poll->number) poll->number = interlock_object_number();
  interlock_operation wait = interlock_operation_of(INTERLOCK_OPERATION_SEMAPHORE_WAIT,
                                                    poll->number, 1);
  if (poll->due != INTERLOCK_NEVER) wait.flags = INTERLOCK_OPERATION_TIMED;
  interlock_name_call(poll->is_of_test ? "wait for the test" : "wait");
  bool stopped;
  if (poll->is_of_waiter) {
    if (poll->due != INTERLOCK_NEVER) interlock_the_engine.result->bounds_waiters = true;
    stopped = interlock_point_until_last(wait, is_stopped, poll, poll->due, place);
  } else {
    if (poll->due != INTERLOCK_NEVER) interlock_note_try();
    stopped = interlock_point_until(wait, is_stopped, poll, poll->due, place);
  }
  wait.other = 1 + stopped;
  if (!stopped) wait.flags |= INTERLOCK_OPERATION_FAILED;
  interlock_turned_out(wait);
  poll->run_loop = NULL;
}

bool interlock_model_poll(void *run_loop, const struct timespec *before, interlock_poll_kind kind,
                          interlock_site site) {
  interlock_poll *poll = &interlock_model_thread()->poll;
  interlock_logical_thread *self = interlock_current_thread();
  bool is_main = is_main_thread(self);
  bool is_waiter = kind == INTERLOCK_POLL_OF_WAITER && poll->is_of_waiter;
  if (!is_waiter && !is_main) {
    interlock_perform_leave("a run loop");
    return false;
  }
  void *queue = self->queue;
  if (is_main && _dispatch_main_q) leave_main();
  if (!is_waiter) poll->due = interlock_due(CLOCK_REALTIME, before);
  if (kind == INTERLOCK_POLL_UNTIL && poll->due != INTERLOCK_NEVER) {
    interlock_perform_sleep(CLOCK_REALTIME, before, true, site);
  } else {
    wait_for_stop(poll, run_loop, site.place);
  }
  if (is_main && _dispatch_main_q) {
    const model_queue *main = interlock_model_queue_at(_dispatch_main_q);
    if (main->first || main->is_open) interlock_the_engine.result->bounds_waiters = true;
    enter_main(site.place);
  }
  self->queue = queue;
  return true;
}

static void stop(interlock_poll *poll) {
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_SEMAPHORE_SIGNAL, poll->number,
                                       1 + poll->is_stopped));
  poll->is_stopped = true;
}

void interlock_model_stop_poll(void *run_loop) {
  INTERLOCK_EACH_LIVE(thread) {
    model_thread *own = thread->model;
    if (own && own->poll.run_loop == run_loop) stop(&own->poll);
  }
}

void interlock_model_main_ran(const model_queue *queue) {
  const interlock_logical_thread *first = interlock_the_engine.threads.items[0];
  model_thread *own = first->model;
  bool is_polled = own && own->poll.run_loop && !own->poll.is_of_waiter && is_main_thread(first);
  if (is_polled && queue->object == (void *)_dispatch_main_q) stop(&own->poll);
}

#endif
