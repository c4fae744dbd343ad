// Plain code: code of the executable that is compiled without the option `-sanitize=thread`, so
// that neither its accesses nor the orders that it makes are seen. Included by `CInterlockMemory/`
// only.
#ifndef INTERLOCK_PLAIN_CODE_H
#define INTERLOCK_PLAIN_CODE_H

#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

/// A direct call that checked code makes of plain code.
typedef struct {
  uintptr_t returns_to, target;
  /// True if a thread has made the call.
  bool is_made;
} plain_call;

/// All such calls, sorted by their return addresses. Once filled in, only `is_made` changes.
typedef struct {
  plain_call *list;
  size_t count;
} plain_calls;
extern plain_calls interlock_plain_calls HIDDEN;

/// The function that instrumented code calls at the start of a function. Set before the list is
/// filled in.
extern uintptr_t interlock_plain_function_entry HIDDEN;

/// Fills in the list, once. Reads the code of the executable.
void interlock_plain_code_find(void) HIDDEN;

/// Replaces the calls of instrumented code for its accesses by no-operations (left_out.c), and
/// returns their number. Call it while there is only one thread.
size_t interlock_memory_leave_out_calls(void) HIDDEN;

/// Redirects the calls to a function that notes them (plain_calls.c).
void interlock_plain_calls_prepare(void) HIDDEN;
/// Called in the child of a fork, in which the holder of the lock does not exist.
void interlock_plain_calls_forked(void) HIDDEN;
/// Called when the thread has returned to checked code from a plain function.
void interlock_plain_call_ended(memory_thread *own) HIDDEN;
/// Sets the race's fields about plain code that may order the access of the cell before the
/// thread's next step.
void interlock_plain_code_judge(memory_thread *own, shadow_cell before,
                                interlock_memory_race *race) HIDDEN;

#endif
#endif
