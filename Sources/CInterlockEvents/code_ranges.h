// Which code is whose. Not for users of the target.
#ifndef INTERLOCK_CODE_RANGES_H
#define INTERLOCK_CODE_RANGES_H

#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

/// Code of one kind, as it was at the start.
enum { most_ranges = 128 };
typedef struct {
  interlock_code_range list[most_ranges];
  int count;
} interlock_code_ranges;
extern interlock_code_ranges interlock_system_code, interlock_user_code HIDDEN;

/// The range that an address lies in; NULL for none.
const interlock_code_range *interlock_find_range(const interlock_code_ranges *known,
                                                 uintptr_t address) HIDDEN;
/// For code that is in no range, because it was opened later or found no room: which kind it is;
/// NULL if there is no code.
const interlock_code_ranges *interlock_look_up_code(uintptr_t address) HIDDEN;

#endif
#endif
