// The lines of sections, as places of steps. Included by `Sections/` and `Isolation/` only.
#ifndef INTERLOCK_SECTION_LINES_H
#define INTERLOCK_SECTION_LINES_H

#include "interlock_explored_sections.h"

#include <stdint.h>

/// Returns a place that stands for a line and is no address of code; 0 if there are too many lines.
uintptr_t interlock_section_place(interlock_section_site site)
    __attribute__((visibility("hidden")));

/// Moves the table to shared memory, so that processes forked from now on add their lines to it.
void interlock_share_section_lines(void) __attribute__((visibility("hidden")));

#endif
