// Plain code: code of the executable that is compiled without the option, so that neither its
// accesses nor the orders that it makes are seen. Not for users of the target.
#ifndef INTERLOCK_PLAIN_CODE_H
#define INTERLOCK_PLAIN_CODE_H

#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

/// A direct call that checked code makes of plain code.
typedef struct {
  uintptr_t returns_to, target;
  /// Whether a thread has made it.
  bool is_made;
} plain_call;

/// All of them, sorted by the addresses to which they return. Not changed once it is filled in, but
/// for `is_made`.
typedef struct {
  plain_call *list;
  size_t count;
} plain_calls;
extern plain_calls interlock_plain_calls HIDDEN;

/// The function that instrumented code calls where a function begins. Set before the list is.
extern uintptr_t interlock_plain_function_entry HIDDEN;

/// Fills in the list, once. Reads the code of the executable.
void interlock_plain_code_find(void) HIDDEN;

/// Makes the calls of instrumented code for its accesses no-operations (left_out.c), and returns
/// their number. Call it while there is only one thread.
size_t interlock_memory_leave_out_calls(void) HIDDEN;

/// Leads the calls through a function that notes them (plain_calls.c).
void interlock_plain_calls_prepare(void) HIDDEN;
/// Called in the child of a fork, which does not have the thread that held the lock.
void interlock_plain_calls_forked(void) HIDDEN;
/// The thread has come back to checked code from a plain function.
void interlock_plain_call_ended(memory_thread *own) HIDDEN;
/// Sets what is known of plain code that may order the access of a cell before the thread's next
/// step.
void interlock_plain_code_judge(memory_thread *own, shadow_cell before,
                                interlock_memory_race *race) HIDDEN;

#endif
#endif
