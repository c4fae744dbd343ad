// Private layouts of the system's libraries, each checked before its first use. Included by
// `CInterlockEvents/` only.
#ifndef INTERLOCK_LAYOUTS_H
#define INTERLOCK_LAYOUTS_H

#include "../interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <stddef.h>

/// Checks every layout that can be checked at the start. Later calls do nothing. Before the
/// process's libraries are initialised, nothing is checked.
void interlock_layouts_check(void) HIDDEN;

/// Lets the child of a fork begin an unfinished check again.
void interlock_layouts_forked(void) HIDDEN;

/// The value that `swift_once` stores when an initialiser is done. If that is not known, a value
/// that it never stores.
extern int interlock_once_done HIDDEN;

/// Returns true if a layout holds, or has not been checked yet.
bool interlock_layout_holds(interlock_layout layout) HIDDEN;

/// Records the result of a later check, and returns it. If the layout does not hold, prints one
/// line that says so.
bool interlock_layout_note(interlock_layout layout, bool holds) HIDDEN;

/// The number of bytes by which a check reads beside the field. 0 except in tests, which use it to
/// simulate another layout.
ptrdiff_t interlock_layout_shift(interlock_layout layout) HIDDEN;

/// Checks the layout of queues (queue_layout.c). If it holds, keeps the offsets of the fields.
bool interlock_check_queues(ptrdiff_t shift) HIDDEN;
/// Checks the layout of root queues, as far as possible while nothing is queued. If it holds, keeps
/// the offsets of their items.
bool interlock_check_roots(ptrdiff_t shift) HIDDEN;
/// Checks the encoding of Dispatch's times (moments.c).
bool interlock_check_moments(ptrdiff_t shift) HIDDEN;
/// The standard library's parameters of hashing: the seeds of the process, and whether a table is
/// seeded by its size instead of its address. SWIFT_DETERMINISTIC_HASHING=1 sets that flag and
/// makes the seeds 0.
extern struct {
  uint64_t seeds[2];
  bool by_size;
} _swift_stdlib_Hashing_parameters __attribute__((weak));

#endif
#endif
