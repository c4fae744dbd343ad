/// A schedule: the choices that make one execution.
#ifndef INTERLOCK_SCHEDULE_H
#define INTERLOCK_SCHEDULE_H

#include "interlock_strategies.h"

/// Adds a choice; false without memory.
bool interlock_schedule_add(interlock_schedule *schedule, uint32_t choice);

#endif
