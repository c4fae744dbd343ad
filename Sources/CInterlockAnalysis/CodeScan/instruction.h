// One instruction of x86-64. Not for users of the target.
#ifndef INTERLOCK_INSTRUCTION_H
#define INTERLOCK_INSTRUCTION_H

#include "interlock_code.h"
#include "interlock_internals.h"

typedef struct {
  const unsigned char *code;
  /// In bytes; 0 if it is not known.
  size_t length;
  /// Whether it has a lock prefix, or exchanges a register with memory, which needs none.
  bool is_atomic;
  /// Whether it has an operand in memory that is not on the stack, and whether it calls a function
  /// or jumps to a place that a register or memory has.
  bool leaves_stack, calls;
  /// Whether its last four bytes are the distance to the code that it calls or jumps to.
  bool goes_far;
  /// The byte that says which operand is in memory; NULL for an instruction without one.
  const unsigned char *modrm;
} interlock_instruction;

/// Decodes the instruction at `code`, of which `left` bytes are there. The length is 0 on
/// processors other than x86-64.
interlock_instruction interlock_decode(const unsigned char *code, size_t left) HIDDEN;

/// Writes where a relative jump leads to. Returns false for another instruction.
bool interlock_jump_of(const interlock_instruction *jump, uintptr_t *target,
                       bool *is_conditional) HIDDEN;

/// Where the copies are of the instructions that the explorer has replaced by jumps to them.
extern uintptr_t interlock_led_copies, interlock_led_copies_size HIDDEN;
/// Whether the instruction is such a jump. False on other systems than x86-64 Linux.
bool interlock_is_led(const interlock_instruction *jump) HIDDEN;

/// As `interlock_scan_code`, for an explored body: the explorer controls the atomic instructions
/// that it has replaced.
interlock_code_finding interlock_scan_explored_code(const void *code, size_t size,
                                                    size_t *at) HIDDEN;

typedef void interlock_mutex_instruction_found(const interlock_code_function *function,
                                               const interlock_instruction *exchange,
                                               interlock_mutex_use use);
/// False if the program has no code that uses a `Mutex`.
bool interlock_has_mutex_code(void) HIDDEN;
/// Finds the compare-exchange instructions of the executable that lock or unlock a `Mutex`. On
/// x86-64 Linux only, as the function above.
void interlock_find_mutex_instructions(interlock_mutex_instruction_found *found) HIDDEN;

#endif
