// One execution, from its first step to the stacks of the threads that never ended.
#include "../Calls/calls.h"
#include "../Concurrency/tasks.h"
#include "../Dispatch/Model/items.h"
#include "../Dispatch/run_loops.h"
#include "../Sections/sections.h"
#include "../Engine/engine.h"

#ifdef INTERLOCK_INTERPOSES

#define ENGINE interlock_the_engine

/// Lets the next execution report its own races. NULL if races in memory are not checked.
void interlock_memory_scope_begins(void) __attribute__((weak));
/// NULL in a program without the vector clocks.
void interlock_clocks_come_after_all(void) __attribute__((weak));

void interlock_engine_come_after_all(void) {
  interlock_marks.hidden++;
  if (interlock_clocks_come_after_all) interlock_clocks_come_after_all();
  interlock_marks.hidden--;
}

static void *run_body(void *context) {
  // The body comes after all code before the exploration, and after the last execution, whose
  // threads have ended or never continue. The vector clocks do not know that order, because this
  // execution uses the same pthreads again.
  interlock_engine_come_after_all();
  if (ENGINE.options.body_is_main) interlock_model_main_begins();
  if (!ENGINE.body(context)) {
    interlock_execution_fail(INTERLOCK_EXPLORED_FAILED, "");
  }
  if (ENGINE.options.body_is_main) interlock_model_main_ends();
  return NULL;
}

static void begin(void) {
  ENGINE.execution++;
  ENGINE.threads.count = ENGINE.pending.count = 0;
  ENGINE.first_live = ENGINE.last_live = NULL;
  ENGINE.live_count = 0;
  interlock_engine_reset_enabled();
  ENGINE.performed.count = ENGINE.trace.count = ENGINE.choices.count = 0;
  ENGINE.stepping = -1;
  ENGINE.hash = 0xcbf29ce484222325;
  ENGINE.next_object = 1;
  ENGINE.next_library_object = INTERLOCK_FIRST_LIBRARY_OBJECT;
  // Not 0: a time of 0 means "none" to many callers.
  ENGINE.now = 1000000000;
  ENGINE.waiting_for_time = ENGINE.may_go_on = 0;
  ENGINE.waits_outside = 0;
  ENGINE.begun = ENGINE.options.leaves_outside ? interlock_real_now() : 0;
  ENGINE.steps = ENGINE.switches = ENGINE.choice_count = ENGINE.looks = 0;
  ENGINE.body_has_ended = ENGINE.is_cut = ENGINE.is_limited = false;
  ENGINE.verdict = INTERLOCK_EXPLORED_PASSED;
  ENGINE.signal = 0;
  ENGINE.failed_thread = 0;
  ENGINE.place[0] = ENGINE.text[0] = 0;
  ENGINE.blocked.count = 0;
  ENGINE.dry_pool_width = 0;
  ENGINE.has_initialised = false;
  ENGINE.torn = NULL;
  interlock_tasks_reset();
  interlock_trace_begin();
  ENGINE.current = NULL;
  interlock_memory_reset();
  interlock_objects_reset();
  interlock_accesses_reset();
  if (interlock_memory_scope_begins) interlock_memory_scope_begins();
  interlock_run_begin_functions();
}

/// True if a thread with a stack of its own has begun and not ended.
static bool is_left_behind(const interlock_logical_thread *thread) {
  return thread->stack && thread->stack->thread == thread && thread->is_begun && !thread->has_ended;
}

static bool leaves_threads(void) {
  for (size_t index = 0; index < ENGINE.threads.count; index++) {
    if (is_left_behind(ENGINE.threads.items[index])) return true;
  }
  return false;
}

/// Takes the stacks of threads that never ended. Their thread-specific state may be inconsistent,
/// so the pthreads end.
static void give_up_threads(void) {
  for (size_t index = 0; index < ENGINE.threads.count; index++) {
    interlock_logical_thread *thread = ENGINE.threads.items[index];
    if (is_left_behind(thread) && thread != ENGINE.torn) interlock_stack_spoil(thread->stack);
  }
  for (size_t index = 0; index < ENGINE.threads.count; index++) {
    interlock_logical_thread *thread = ENGINE.threads.items[index];
    if (!thread->stack || thread->stack->thread != thread) continue;
    if (thread->has_ended) {
      if (thread->is_joinable) interlock_stack_give(thread->stack);
    } else if (is_left_behind(thread)) {
      interlock_stack_discard(thread->stack, thread == ENGINE.torn);
      ENGINE.result->left_behind++;
    } else {
      interlock_stack_give(thread->stack);
    }
  }
  interlock_stacks_sort();
}

bool interlock_engine_execute(void) {
  begin();
  interlock_operation start = interlock_operation_of(INTERLOCK_OPERATION_START, 0, 0);
  interlock_logical_thread *root =
      interlock_spawn(run_body, ENGINE.body_context, start, NULL, NULL,
                      INTERLOCK_THREAD_UNNAMED, 0);
  if (!root) {
    interlock_execution_fail(INTERLOCK_EXPLORED_FAILED, "no memory for a thread");
    return false;
  }
  // The controller stands in for a thread that no strategy chooses.
  interlock_logical_thread controller = {.stack = &ENGINE.controller};
  ENGINE.controller.thread_base = (uintptr_t)__builtin_thread_pointer();
  interlock_interruptions_note_execution(true);
  interlock_engine_go(&controller);
  interlock_interruptions_note_execution(false);
  ENGINE.current = NULL;
  if (ENGINE.verdict == INTERLOCK_EXPLORED_DEADLOCK && ENGINE.options.deadlocked) {
    ENGINE.options.deadlocked(ENGINE.options.deadlocked_context);
  }
  interlock_sections_end_execution();
  interlock_model_give_up_items();
  if (ENGINE.verdict != INTERLOCK_EXPLORED_PASSED || leaves_threads()) {
    interlock_objects_give_back();
  }
  give_up_threads();
  return ENGINE.verdict == INTERLOCK_EXPLORED_PASSED;
}

#endif
