#include "interlock_exploration_result.h"

size_t interlock_trace_switches(const interlock_exploration_step *trace, size_t count) {
  size_t switches = 0;
  for (size_t index = 1; index < count; index++) {
    switches += trace[index].thread != trace[index - 1].thread && trace[index].enabled > 1;
  }
  return switches;
}
