// The failure of an execution, and what its report shows.
#include "../Memory/waiting_loops.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>
#include <string.h>

#define ENGINE interlock_the_engine

void interlock_execution_fail(interlock_explored_verdict verdict, const char *text) {
  if (ENGINE.verdict != INTERLOCK_EXPLORED_PASSED) return;
  ENGINE.verdict = verdict;
  if (ENGINE.current) ENGINE.failed_thread = ENGINE.current->number;
  snprintf(ENGINE.text, sizeof ENGINE.text, "%s", text ? text : "");
}

void interlock_engine_leave(void) {
  interlock_logical_thread *self = ENGINE.current;
  interlock_marks.hidden++;
  // Find the running stack: a timer has none, and fires on another thread's stack.
  interlock_stack *from = self->stack;
  if (!from) {
    for (size_t index = 0; index < ENGINE.threads.count && !from; index++) {
      interlock_stack *stack = ENGINE.threads.items[index]->stack;
      uintptr_t here = (uintptr_t)__builtin_frame_address(0);
      if (stack && here - stack->low < stack->size) from = stack;
    }
  }
  static interlock_stack nowhere;
  interlock_switch(from ? from : &nowhere, &ENGINE.controller);
  __builtin_trap();
}

void interlock_execution_abandon(void) { interlock_engine_leave(); }

/// Copies the name, because another process may read it.
static void set_call(char call[INTERLOCK_CALL_BYTES], const interlock_logical_thread *thread) {
  const char *name = thread->call ? thread->call : "";
  size_t length = strnlen(name, INTERLOCK_CALL_BYTES - 1);
  memset(call, 0, INTERLOCK_CALL_BYTES);
  memcpy(call, name, length);
}

interlock_exploration_step interlock_engine_step_of(const interlock_logical_thread *thread) {
  interlock_exploration_step step = {.thread = thread->number, .task = thread->task,
                                     .stack = thread->call_stack,
                                     .operation = thread->pending, .place = thread->place,
                                     .caller = thread->caller};
  set_call(step.call, thread);
  return step;
}

void interlock_engine_deadlock(void) {
  size_t length = 0;
  char text[sizeof ENGINE.text];
  length += (size_t)snprintf(text, sizeof text, "no thread can go on");
  const char *pool = NULL;
  ENGINE.dry_pool_width = ENGINE.models->dry_pool(&pool);
  if (ENGINE.dry_pool_width) {
    length += (size_t)snprintf(text + length, sizeof text - length,
                               ", and each of the %u workers of the pool '%s' waits",
                               ENGINE.dry_pool_width, pool ? pool : "");
  }
  bool is_livelock = false;
  INTERLOCK_EACH_LIVE(thread) {
    is_livelock |= interlock_loop_waits(thread);
    interlock_blocked_thread blocked = {.thread = thread->number, .task = thread->task,
                                        .stack = thread->call_stack,
                                        .operation = thread->pending, .place = thread->place,
                                        .caller = thread->caller};
    set_call(blocked.call, thread);
    INTERLOCK_PUSH(&ENGINE.blocked, blocked);
    if (length >= sizeof text) continue;
    length += (size_t)snprintf(
        text + length, sizeof text - length, "%s thread %u waits (%s of object %u) at %#lx",
        thread == ENGINE.first_live ? ":" : ";", thread->number,
        interlock_operation_name(thread->pending.kind), thread->pending.object,
        (unsigned long)thread->place);
  }
  interlock_execution_fail(is_livelock ? INTERLOCK_EXPLORED_LIVELOCK : INTERLOCK_EXPLORED_DEADLOCK,
                           text);
}

void interlock_result_show(interlock_exploration_result *result,
                           const interlock_result_details *details) {
  result->place = details->place;
  result->text = details->text;
  result->named = details->named;
  result->stacks = details->stacks;
  result->escaped = details->escaped;
}

void interlock_result_add_escaped(interlock_exploration_result *result,
                                  interlock_escaped_operation *names, const char *name) {
  for (uint32_t index = 0; index < result->escaped_count; index++) {
    if (strcmp(names[index].name, name) == 0) return;
  }
  if (result->escaped_count == INTERLOCK_ESCAPED_MOST) return;
  interlock_escaped_operation *added = &names[result->escaped_count++];
  snprintf(added->name, sizeof added->name, "%s", name);
}

void interlock_escaped(const char *operation) {
  ENGINE.has_escaped = true;
  interlock_result_add_escaped(ENGINE.result, ENGINE.details->escaped, operation);
}

static const char not_controlled[] = "the body starts, or waits for, what no order controls";

void interlock_perform_leave(const char *call) {
  interlock_escaped(call);
  if (ENGINE.options.leaves_outside) interlock_exploration_end(not_controlled, "");
}

void interlock_leave_fails(const char *call) {
  interlock_escaped(call);
  interlock_execution_fail(INTERLOCK_EXPLORED_FAILED, not_controlled);
}

void interlock_exploration_leave(const char *reason) {
  if (interlock_is_explored()) interlock_perform_leave(reason);
}

void interlock_exploration_fail(const char *text) {
  if (!interlock_is_explored()) return;
  interlock_execution_fail(INTERLOCK_EXPLORED_FAILED, text);
}

void interlock_exploration_end(const char *text, const char *place) {
  if (!interlock_is_explored()) return;
  if (ENGINE.verdict == INTERLOCK_EXPLORED_PASSED) {
    snprintf(ENGINE.place, sizeof ENGINE.place, "%s", place);
  }
  interlock_execution_fail(INTERLOCK_EXPLORED_FAILED, text);
  interlock_execution_abandon();
}

bool interlock_is_explored(void) { return interlock_marks.controlled != 0; }

bool interlock_exploration_pending(uint32_t number, interlock_exploration_step *step) {
  if (number >= ENGINE.threads.count) return false;
  const interlock_logical_thread *thread = ENGINE.threads.items[number];
  if (thread->has_ended) return false;
  *step = interlock_engine_step_of(thread);
  return true;
}

#else

void interlock_exploration_fail(const char *text) { (void)text; }
void interlock_exploration_leave(const char *reason) { (void)reason; }
void interlock_exploration_end(const char *text, const char *place) { (void)text, (void)place; }
bool interlock_is_explored(void) { return false; }
bool interlock_exploration_pending(uint32_t thread, interlock_exploration_step *step) {
  (void)thread, (void)step;
  return false;
}

#endif
