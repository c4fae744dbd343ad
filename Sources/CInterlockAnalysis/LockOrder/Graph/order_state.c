// The state of prediction: whether it has started, its limits, and its losses.
#include "order_reader.h"

interlock_prediction_limits interlock_limits;
interlock_prediction_losses interlock_losses;
int interlock_order_state;

bool interlock_prediction_started(void) {
  return __atomic_load_n(&interlock_order_state, __ATOMIC_ACQUIRE);
}

interlock_prediction_losses interlock_prediction_lost(void) { return interlock_losses; }
