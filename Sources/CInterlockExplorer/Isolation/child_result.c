// The parent's reader of the memory that it shares with a child. The explored body may have written
// anything there, so the parent reads each number once, into its own memory, and checks it.
#include "isolation.h"
#include "../Memory/weak_exchanges.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// True while everything read so far could be the engine's.
static _Thread_local bool is_whole;

/// The limit of counts that are summed over executions: far below where a sum of many could
/// overflow.
static const uint64_t most_counted = UINT64_C(1) << 48;

static uint64_t clamp(uint64_t value, uint64_t most) {
  if (value <= most) return value;
  is_whole = false;
  return most;
}

/// A Boolean takes one byte, which may hold any value.
static void check_boolean(bool *value) {
  unsigned char byte;
  memcpy(&byte, value, sizeof byte);
  if (byte > 1) is_whole = false;
  byte = byte != 0;
  memcpy(value, &byte, sizeof byte);
}

static void check_text(char *text, size_t size) {
  if (memchr(text, 0, size)) return;
  is_whole = false;
  text[size - 1] = 0;
}

/// Checks a place. Readers look a place up, add to it and subtract from it, and never read memory
/// there. No code lies at the ends of the address space.
static void check_place(uintptr_t *place) {
  enum { page = 4096 };
  if (*place == 0 || (*place >= page && *place <= UINTPTR_MAX / 2)) return;
  is_whole = false;
  *place = 0;
}

/// A stack has a number from 1; 0 for none.
static void check_stack(uint32_t *stack) {
  *stack = (uint32_t)clamp(*stack, INTERLOCK_STACKS_MOST);
}

static void check_operation(interlock_operation *operation, char call[INTERLOCK_CALL_BYTES]) {
  operation->kind = (uint16_t)clamp(operation->kind, INTERLOCK_OPERATION_COUNT - 1);
  check_text(call, INTERLOCK_CALL_BYTES);
}

static void check_step(interlock_exploration_step *step) {
  check_operation(&step->operation, step->call);
  check_stack(&step->stack);
  check_place(&step->place);
  check_place(&step->caller);
  check_boolean(&step->reads_value);
  check_boolean(&step->writes_value);
  check_boolean(&step->has_wide_value);
  check_boolean(&step->signals);
  // 1 + the memory order; sequentially consistent is 5 in C.
  step->memory_order = (uint8_t)clamp(step->memory_order, 6);
  step->read_from = (uint32_t)clamp(step->read_from, INTERLOCK_SHARED_TRACE + 1);
  step->not_read = (uint32_t)clamp(step->not_read, INTERLOCK_SHARED_TRACE + 1);
}

/// Copies a list. The copy is empty if the count is out of range, or without memory.
static void *copy(const void *items, size_t most, size_t *count, size_t size) {
  if (*count > most) {
    is_whole = false;
    *count = 0;
  }
  void *made = malloc(*count ? *count * size : 1);
  if (!made) *count = 0;
  if (made) memcpy(made, items, *count * size);
  return made;
}

void interlock_child_clear(interlock_child_result *child) {
  free(child->choices);
  free(child->trace);
  free(child->blocked);
  free(child->report);
  memset(child, 0, sizeof *child);
}

static void take_lists(const interlock_shared_memory *shared, interlock_child_result *child) {
  size_t choices = shared->choice_count, steps = shared->step_count;
  size_t blocked = shared->blocked_count, bytes = shared->report_size;
  child->choices =
      copy(shared->choices, INTERLOCK_SHARED_CHOICES, &choices, sizeof *child->choices);
  child->trace = copy(shared->trace, INTERLOCK_SHARED_TRACE, &steps, sizeof *child->trace);
  for (size_t index = 0; index < steps; index++) {
    check_step(&child->trace[index]);
  }
  child->blocked =
      copy(shared->blocked, INTERLOCK_SHARED_BLOCKED, &blocked, sizeof *child->blocked);
  for (size_t index = 0; index < blocked; index++) {
    check_operation(&child->blocked[index].operation, child->blocked[index].call);
    check_stack(&child->blocked[index].stack);
    check_place(&child->blocked[index].place);
    check_place(&child->blocked[index].caller);
  }
  child->report = copy(shared->report, INTERLOCK_SHARED_REPORT, &bytes, 1);
  interlock_exploration_result *result = &child->result;
  result->choices_made = child->choices;
  result->choice_count = choices;
  result->trace = child->trace;
  result->trace_count = steps;
  result->blocked = child->blocked;
  result->blocked_count = blocked;
  result->report = child->report;
  result->report_size = bytes;
}

static void check_details(interlock_result_details *details) {
  check_text(details->place, sizeof details->place);
  check_text(details->text, sizeof details->text);
  for (size_t index = 0; index < INTERLOCK_NAMED_MOST; index++) {
    check_text(details->named[index].name, sizeof details->named[index].name);
    check_stack(&details->named[index].made_at);
  }
  for (size_t index = 0; index < INTERLOCK_STACKS_MOST; index++) {
    for (int frame = 0; frame < INTERLOCK_STACK_DEPTH; frame++) {
      check_place(&details->stacks[index].frames[frame]);
    }
  }
  for (size_t index = 0; index < INTERLOCK_ESCAPED_MOST; index++) {
    check_text(details->escaped[index].name, sizeof details->escaped[index].name);
  }
}

static void check_numbers(interlock_exploration_result *result,
                          const interlock_exploration_options *options) {
  uint64_t most = options->executions ? options->executions : most_counted;
  result->executions = clamp(result->executions, most < most_counted ? most : most_counted);
  result->failures = clamp(result->failures, result->executions);
  result->failed_at = clamp(result->failed_at, result->executions);
  result->cut = clamp(result->cut, result->executions);
  result->steps = clamp(result->steps, most_counted);
  result->looks = clamp(result->looks, most_counted);
  result->switches = clamp(result->switches, most_counted);
  result->choices = clamp(result->choices, most_counted);
  result->nanoseconds = clamp(result->nanoseconds, most_counted);
  result->left_behind = clamp(result->left_behind, most_counted);
  result->distinct = clamp(result->distinct, most_counted);
  result->verdict = (interlock_explored_verdict)clamp(result->verdict, INTERLOCK_EXPLORED_RACE);
  result->signal = (int)clamp((uint32_t)result->signal, 64);
  // 4095 is the widest pool that an option can ask for.
  result->dry_pool_width = (uint32_t)clamp(result->dry_pool_width, 4095);
  // No body makes 2^20 tasks.
  result->most_task_threads = (uint32_t)clamp(result->most_task_threads, 1 << 20);
  result->most_stacks = (uint32_t)clamp(result->most_stacks, 1 << 20);
  result->differed_at = clamp(result->differed_at, INTERLOCK_SHARED_TRACE + 1);
  for (int index = 0; index < 2; index++) {
    check_step(&result->differed[index]);
  }
  result->named_count = (uint32_t)clamp(result->named_count, INTERLOCK_NAMED_MOST);
  result->escaped_count = (uint32_t)clamp(result->escaped_count, INTERLOCK_ESCAPED_MOST);
  // The condition also holds for NaN.
  if (!(result->reached >= 0 && result->reached <= 1)) {
    is_whole = false;
    result->reached = 0;
  }
  check_boolean(&result->is_complete);
  check_boolean(&result->bounds_sleeps);
  check_boolean(&result->bounds_yields);
  check_boolean(&result->uses_time);
  check_boolean(&result->bounds_loops);
  check_boolean(&result->bounds_wake_ups);
  check_boolean(&result->bounds_exchanges);
  check_boolean(&result->has_unread_exchanges);
  check_boolean(&result->strengthens_atomics);
  check_boolean(&result->bounds_waiters);
  check_boolean(&result->tasks_block);
  check_boolean(&result->blocks_fill_pool);
  check_boolean(&result->failed_first);
  check_boolean(&result->must_begin_anew);
  // Without a new fact, exploring would begin anew for ever.
  const uint32_t known = INTERLOCK_ALL_FACTS, asked = options->facts & known;
  if (result->facts & ~known) is_whole = false;
  result->facts = (result->facts & known) | asked;
  bool has_learnt = result->facts != asked || interlock_has_unknown_exchanges();
  if (result->must_begin_anew && !has_learnt) {
    is_whole = false;
    result->must_begin_anew = false;
  }
}

/// Makes the result a crash: the body wrote over the memory in which its process reports.
static void report_damage(interlock_child_result *child) {
  interlock_exploration_result *result = &child->result;
  child->status = INTERLOCK_EXPLORE_RAN;
  if (result->executions == 0) result->executions = 1;
  result->failures = 1;
  result->failed_at = result->executions;
  result->verdict = INTERLOCK_EXPLORED_CRASHED;
  result->is_complete = result->must_begin_anew = false;
  result->signal = 0;
  result->differed_at = result->blocked_count = result->report_size = 0;
  result->dry_pool_width = result->named_count = result->escaped_count = 0;
  child->details.place[0] = 0;
  snprintf(child->details.text, sizeof child->details.text,
           "the body wrote over the memory in which its process reports");
  // The choices and the trace may not be those of the execution.
  result->choice_count = result->trace_count = 0;
  child->has_end = false;
}

void interlock_child_take(const interlock_shared_memory *shared,
                          const interlock_exploration_options *options, const uint64_t *counted,
                          interlock_child_result *child) {
  is_whole = true;
  interlock_child_clear(child);
  memcpy(&child->result, &shared->result, sizeof child->result);
  if (counted) child->result.executions = *counted;
  memcpy(&child->details, &shared->details, sizeof child->details);
  take_lists(shared, child);
  check_details(&child->details);
  check_numbers(&child->result, options);
  interlock_result_show(&child->result, &child->details);
  memcpy(&child->is_over, (const void *)&shared->is_over, sizeof child->is_over);
  check_boolean(&child->is_over);
  memcpy(&child->has_end, &shared->log.has_ended, sizeof child->has_end);
  check_boolean(&child->has_end);
  child->status = (interlock_explore_status)clamp(shared->status, INTERLOCK_EXPLORE_NO_CHILD);
  child->end = (interlock_execution_end)clamp(shared->log.end, INTERLOCK_EXECUTION_LIMITED);
  child->trace_order = shared->trace_order;
  if (child->is_over && !is_whole) report_damage(child);
}

#endif
