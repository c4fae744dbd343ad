// Sections of explored threads, for the engine.
#ifndef INTERLOCK_SECTIONS_H
#define INTERLOCK_SECTIONS_H

#include "../control.h"

#ifdef INTERLOCK_INTERPOSES

/// Makes sections and sync points of explored threads points, until `interlock_sections_end`.
void interlock_sections_begin(void) HIDDEN;
void interlock_sections_end(void) HIDDEN;
/// Called after each execution, while its threads still exist.
void interlock_sections_end_execution(void) HIDDEN;

#endif
#endif
