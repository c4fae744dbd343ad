// One instruction of x86-64. Included by the C targets only.
#ifndef INTERLOCK_INSTRUCTION_H
#define INTERLOCK_INSTRUCTION_H

#include "interlock_code.h"
#include "interlock_internals.h"

typedef struct {
  const unsigned char *code;
  /// The length in bytes; 0 if it is not known.
  size_t length;
  /// True if the instruction has a lock prefix, or exchanges a register with memory, which needs
  /// none.
  bool is_atomic;
  /// `leaves_stack`: the instruction has an operand in memory that is not on the stack. `calls`: it
  /// calls a function, or jumps to an address in a register or in memory.
  bool leaves_stack, calls;
  /// True if the last four bytes are the distance to the code that the instruction calls or jumps
  /// to.
  bool goes_far;
  /// The ModRM byte, which says which operand is in memory; NULL for an instruction without one.
  const unsigned char *modrm;
} interlock_instruction;

/// Decodes the instruction at `code`, of which `left` bytes are available. The length is 0 on
/// processors other than x86-64.
interlock_instruction interlock_decode(const unsigned char *code, size_t left) HIDDEN;

/// Writes the target of a relative jump. Returns false for another instruction.
bool interlock_jump_of(const interlock_instruction *jump, uintptr_t *target,
                       bool *is_conditional) HIDDEN;

/// The memory with the copies of instructions that the explorer has replaced by jumps to the
/// copies.
extern uintptr_t interlock_led_copies, interlock_led_copies_size HIDDEN;
/// True if the instruction is such a jump. Always false on systems other than x86-64 Linux.
bool interlock_is_led(const interlock_instruction *jump) HIDDEN;

/// Like `interlock_scan_code`, for an explored body: the atomic instructions that the explorer has
/// replaced do not count, because it controls them.
interlock_code_finding interlock_scan_explored_code(const void *code, size_t size,
                                                    size_t *at) HIDDEN;

typedef void interlock_mutex_instruction_found(const interlock_code_function *function,
                                               const interlock_instruction *exchange,
                                               interlock_mutex_use use);
/// False if the program has no code that uses a `Mutex`.
bool interlock_has_mutex_code(void) HIDDEN;
/// Finds the compare-exchange instructions of the executable that lock or unlock a `Mutex`. Like
/// the function above, on x86-64 Linux only.
void interlock_find_mutex_instructions(interlock_mutex_instruction_found *found) HIDDEN;

#endif
