// The choice: the engine passes the last step to the strategy, which chooses the next thread.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define ENGINE interlock_the_engine

/// Passes the operations of the last step to the strategy.
static void publish_step(void) {
  if (ENGINE.stepping < 0) return;
  uint32_t thread = (uint32_t)ENGINE.stepping;
  // FNV-1a over the words.
  uint64_t hash = ENGINE.hash;
  const uint64_t prime = 0x100000001b3;
  interlock_logical_thread *stepped = ENGINE.threads.items[thread];
  // Only a thread that runs blocks and tasks has a model.
  if (stepped->model) stepped->locks += interlock_locks_taken();
  // Hash the point's operation only: a library's operations in the step may differ in the first
  // execution.
  const interlock_operation *operation = &ENGINE.performed.items[0];
  hash = (hash ^ thread) * prime;
  hash = (hash ^ (operation->kind | (uint32_t)operation->flags << 16)) * prime;
  hash = (hash ^ (operation->object | (uint64_t)operation->other << 32)) * prime;
  ENGINE.hash = hash;
  if (ENGINE.options.estimates) {
    interlock_trace_add(thread, ENGINE.performed.items, ENGINE.performed.count);
  }
  if (!ENGINE.is_warming_up && !ENGINE.is_repeating && !ENGINE.is_cut) {
    ENGINE.strategy->performed(ENGINE.strategy, thread, ENGINE.performed.items,
                               ENGINE.performed.count);
  }
  ENGINE.stepping = -1;
}

interlock_exploration_state interlock_engine_state(int32_t last) {
  return (interlock_exploration_state){.threads = (uint32_t)ENGINE.threads.count,
                                       .pending = ENGINE.pending.items,
                                       .enabled = ENGINE.enabled.items,
                                       .enabled_count = (uint32_t)ENGINE.enabled.count,
                                       .current = last};
}

/// Returns the thread of the last step if it is enabled, otherwise the first enabled thread.
static int32_t keep_thread(int32_t last) {
  return interlock_engine_is_enabled(last) ? last : (int32_t)ENGINE.enabled.items[0];
}

static int32_t note_choice_of(int32_t chosen) {
  if (ENGINE.enabled.count > 1) {
    ENGINE.choice_count++;
    interlock_engine_note_choice((uint32_t)chosen);
  }
  return chosen;
}

/// Ends the strategy's part of the execution, which then runs to its end by a fair schedule. A
/// thread that stopped halfway would leave the global state of libraries (the main operation queue)
/// in a state that the next execution must not find. A failure on the way is a failure of the body.
static void leave_strategy(interlock_execution_end end, int32_t last) {
  interlock_exploration_state state = interlock_engine_state(last);
  ENGINE.is_cut = true;
  if (!ENGINE.is_warming_up && !ENGINE.is_repeating) {
    ENGINE.strategy->end(ENGINE.strategy, end, &state);
  }
}

/// Gives each enabled thread its turn. A turn is long, so that few switches are needed.
static int32_t choose_fairly(int32_t last) {
  enum { turn = 64 };
  if (ENGINE.steps % turn != 0) return note_choice_of(keep_thread(last));
  size_t next = interlock_engine_first_enabled_from((uint32_t)(last + 1));
  return note_choice_of((int32_t)ENGINE.enabled.items[next < ENGINE.enabled.count ? next : 0]);
}

/// Returns the thread that takes the next step; -1 if there is none.
static int32_t choose(int32_t last) {
  if (ENGINE.is_warming_up && !ENGINE.is_cut) return keep_thread(last);
  if (ENGINE.is_repeating) {
    if (ENGINE.enabled.count == 1) return (int32_t)ENGINE.enabled.items[0];
    if (ENGINE.next_repeated == ENGINE.repeated.count) return -1;
    return (int32_t)ENGINE.repeated.items[ENGINE.next_repeated++];
  }
  if (ENGINE.is_cut) return choose_fairly(last);
  interlock_exploration_state state = interlock_engine_state(last);
  int32_t chosen = ENGINE.strategy->choose(ENGINE.strategy, &state);
  if (chosen >= 0) return note_choice_of(chosen);
  leave_strategy(INTERLOCK_EXECUTION_CUT, last);
  return choose_fairly(last);
}

/// Checks again for some real time: an event that the engine does not see may enable a thread.
/// Polls, because such an event has no descriptor or word to wait on.
static void wait_for_outside(void) {
  const struct timespec pause = {0, 1000000};
  for (int tries = 0; tries < 500 && ENGINE.enabled.count == 0; tries++) {
    nanosleep(&pause, NULL);
    ENGINE.waits_outside++;
    interlock_engine_find_enabled();
  }
}

/// With `leaves_outside`, fails an execution that takes longer than the budget, but not within 2 s.
static bool takes_too_long(void) {
  enum { looks_every = 1024 };
  if (!ENGINE.options.leaves_outside || ENGINE.steps % looks_every) return false;
  const uint64_t second = 1000000000, shortest = 2 * second;
  uint64_t most = ENGINE.options.budget > shortest ? ENGINE.options.budget : shortest;
  if (interlock_real_now() - ENGINE.begun <= most) return false;
  char text[64];
  snprintf(text, sizeof text, "one order takes longer than %llu s",
           (unsigned long long)(most / second));
  interlock_execution_fail(INTERLOCK_EXPLORED_TIMED_OUT, text);
  return true;
}

/// Returns the next thread to run, and fires timers; NULL if the execution is over.
static interlock_logical_thread *next_thread(void) {
  int32_t last = ENGINE.stepping;
  for (;;) {
    publish_step();
    interlock_engine_find_enabled();
    if (ENGINE.enabled.count == 0) interlock_engine_list_yielded();
    if (ENGINE.enabled.count == 0 && !ENGINE.body_has_ended &&
        (ENGINE.has_escaped || ENGINE.models->waits_for_outside())) {
      wait_for_outside();
      if (ENGINE.options.leaves_outside && ENGINE.waits_outside > 1000) {
        interlock_execution_fail(INTERLOCK_EXPLORED_TIMED_OUT,
                                 "the body waits for what is not controlled");
        return NULL;
      }
    }
    if (ENGINE.enabled.count == 0) interlock_engine_list_last();
    if (ENGINE.enabled.count == 0) {
      if (!ENGINE.body_has_ended && !ENGINE.models->tasks_left()) interlock_engine_deadlock();
      return NULL;
    }
    if (++ENGINE.steps > ENGINE.options.chosen_steps) {
      // A thread may poll for something that another thread does and that the strategy never chose.
      // This is a livelock only if a fair schedule does not end either.
      if (!ENGINE.is_limited) {
        ENGINE.is_limited = true;
        if (!ENGINE.is_cut) leave_strategy(INTERLOCK_EXECUTION_LIMITED, last);
      } else if (ENGINE.steps > 2 * ENGINE.options.steps) {
        interlock_execution_fail(INTERLOCK_EXPLORED_LIVELOCK,
                                 "the execution reached the limit of steps");
        return NULL;
      }
    }
    if (takes_too_long()) return NULL;
    int32_t chosen = choose(last);
    // Only a repeated execution can run out of choices.
    if (chosen < 0) return NULL;
    if (!interlock_engine_is_enabled(chosen)) {
      interlock_execution_fail(INTERLOCK_EXPLORED_NOT_DETERMINISTIC,
                               "the strategy chose a thread that cannot go on");
      return NULL;
    }
    interlock_logical_thread *thread = ENGINE.threads.items[chosen];
    interlock_exploration_step step = interlock_engine_step_of(thread);
    step.enabled = (uint32_t)ENGINE.enabled.count;
    interlock_engine_note_step(&step);
    if (ENGINE.is_warming_up) interlock_note_warm_step(thread);
    // The name and the readiness belong to the point that ends here.
    thread->call = NULL;
    thread->is_announced = thread->has_yielded = false;
    ENGINE.stepping = chosen;
    ENGINE.performed.count = 0;
    INTERLOCK_PUSH(&ENGINE.performed, thread->pending);
    thread->last_step = ENGINE.steps;
    if (!thread->fire) return thread;
    if (thread->due > ENGINE.now) ENGINE.now = thread->due;
    ENGINE.current = thread;
    interlock_engine_remove(thread);
    thread->fire(thread->context);
    last = chosen;
  }
}

void interlock_engine_go(interlock_logical_thread *self) {
  int saved = errno;
  interlock_marks.hidden++;
  interlock_stack *from = self->stack;
  interlock_logical_thread *next = next_thread();
  if (next && !interlock_thread_gets_stack(next)) next = NULL;
  if (next == self) {
    ENGINE.current = self;
    interlock_marks.hidden--;
    errno = saved;
    return;
  }
  if (next) {
    ENGINE.current = next;
    ENGINE.switches++;
  }
  interlock_stack *to = next ? next->stack : &ENGINE.controller;
  // The execution ended before its first thread was chosen.
  if (to == from) {
    interlock_marks.hidden--;
    return;
  }
  if (self->has_ended) {
    interlock_marks.hidden--;
    // The stack of a joinable thread is its handle, so no other thread may have it before the join.
    if (!self->is_joinable) interlock_stack_give(from);
    interlock_switch_away(from, to);
    return;
  }
  interlock_switch(from, to);
  interlock_marks.hidden--;
  errno = saved;
}

#endif
