// The lines of sections, as places of steps.
#ifndef INTERLOCK_SECTION_LINES_H
#define INTERLOCK_SECTION_LINES_H

#include "interlock_explored_sections.h"

#include <stdint.h>

/// Returns a place that stands for a line, no address of code; 0 if there are too many lines.
uintptr_t interlock_section_place(interlock_section_site site)
    __attribute__((visibility("hidden")));

/// The processes that this one forks from now on add their lines to its own.
void interlock_share_section_lines(void) __attribute__((visibility("hidden")));

#endif
