// The length of an instruction. Not for users of the target.
#ifndef INTERLOCK_INSTRUCTION_LENGTH_H
#define INTERLOCK_INSTRUCTION_LENGTH_H

#include "interlock_internals.h"

/// The bytes of the instruction at this place, of at most `left`; 0 if it is not known, and on
/// other processors than x86-64.
size_t interlock_instruction_length(const unsigned char *code, size_t left) HIDDEN;

#endif
