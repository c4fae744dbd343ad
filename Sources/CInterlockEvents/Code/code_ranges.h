// Distinguishes the user's code from a library's. Included by `CInterlockEvents/` only.
#ifndef INTERLOCK_CODE_RANGES_H
#define INTERLOCK_CODE_RANGES_H

#include "../interpose.h"

#ifdef INTERLOCK_INTERPOSES

/// The ranges of one kind of code, as loaded at the start.
enum { most_ranges = 128 };
typedef struct {
  interlock_code_range list[most_ranges];
  int count;
} interlock_code_ranges;
extern interlock_code_ranges interlock_system_code, interlock_user_code HIDDEN;

/// Returns the range that contains an address; NULL if there is none.
const interlock_code_range *interlock_find_range(const interlock_code_ranges *known,
                                                 uintptr_t address) HIDDEN;
/// Classifies code that is in no range, because it was loaded later or the table was full; NULL if
/// there is no code.
const interlock_code_ranges *interlock_look_up_code(uintptr_t address) HIDDEN;

#endif
#endif
