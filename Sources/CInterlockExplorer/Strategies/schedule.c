#include "schedule.h"

#include "Random/sampling.h"

bool interlock_schedule_add(interlock_schedule *schedule, uint32_t choice) {
  if (!interlock_reserve((void **)&schedule->choices, &schedule->capacity, schedule->count + 1,
                         sizeof *schedule->choices)) {
    return false;
  }
  schedule->choices[schedule->count++] = choice;
  return true;
}

void interlock_schedule_destroy(interlock_schedule *schedule) {
  free(schedule->choices);
  free(schedule->accesses);
  *schedule = (interlock_schedule){0};
}
