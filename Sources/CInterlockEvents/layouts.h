// Private layouts of the system's libraries, each checked before its first use. Not for users of
// the target.
#ifndef INTERLOCK_LAYOUTS_H
#define INTERLOCK_LAYOUTS_H

#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <stddef.h>

/// Checks every layout that can be checked at the start. Calls after the first, once that has
/// ended, do nothing. In a process whose libraries are not up yet, nothing is checked.
void interlock_layouts_check(void) HIDDEN;

/// In the child of a fork.
void interlock_layouts_forked(void) HIDDEN;

/// What `swift_once` stores when an initialiser is done; a value that it never has where that is
/// not known.
extern int interlock_once_done HIDDEN;

/// Whether a layout holds, or has not been checked yet.
bool interlock_layout_holds(interlock_layout layout) HIDDEN;

/// Notes what a check that is made later has found, and returns it; says so in one line where it
/// does not hold.
bool interlock_layout_note(interlock_layout layout, bool holds) HIDDEN;

/// By how many bytes a check is to look beside where it would: 0, but for tests, which so let it
/// find another layout.
ptrdiff_t interlock_layout_shift(interlock_layout layout) HIDDEN;

/// The check of the queues (queue_layout.c), which keeps where their fields are if they are where
/// they should be.
bool interlock_check_queues(ptrdiff_t shift) HIDDEN;
/// That of Dispatch's times (interpose_async.c).
bool interlock_check_moments(ptrdiff_t shift) HIDDEN;

#endif
#endif
