// The length of an instruction. Not for users of the target.
#ifndef INTERLOCK_INSTRUCTION_LENGTH_H
#define INTERLOCK_INSTRUCTION_LENGTH_H

#include "interlock_internals.h"

/// The length in bytes of the instruction at `code`, of which `left` bytes are there; 0 if it is
/// not known, and on processors other than x86-64.
size_t interlock_instruction_length(const unsigned char *code, size_t left) HIDDEN;

#endif
