// Optimal DPOR: identities of threads. An engine numbers them in the order of their creation, which
// differs between executions; the n-th thread that a thread makes is the same one in all.

#include "dpor.h"

// Returns INTERLOCK_DPOR_THREADS if there is no room.
static uint32_t identity_of(interlock_dpor *dpor, uint8_t parent, uint16_t ordinal) {
  for (uint32_t i = 0; i < dpor->identities; i++) {
    if (dpor->parent[i] == parent && dpor->ordinal[i] == ordinal) return i;
  }
  if (dpor->identities == INTERLOCK_DPOR_THREADS) return INTERLOCK_DPOR_THREADS;
  dpor->parent[dpor->identities] = parent;
  dpor->ordinal[dpor->identities] = ordinal;
  return dpor->identities++;
}

// A thread that is gone without a step of its own was ended by the last step.
static void note_withdrawn(interlock_dpor *dpor, const interlock_exploration_state *state) {
  uint32_t last = dpor->depth ? dpor->frames[dpor->depth - 1].thread : UINT32_MAX;
  for (uint32_t number = 0; number < state->threads; number++) {
    uint32_t thread = dpor->identity[number];
    interlock_operation *awaited = &dpor->awaited[thread];
    if (!state->pending[number].kind && awaited->kind && thread != last) {
      dpor->withdrawn[dpor->withdrawn_count].operation = *awaited;
      dpor->withdrawn[dpor->withdrawn_count].thread = thread;
      dpor->withdrawn[dpor->withdrawn_count++].step = dpor->depth - 1;
    }
    *awaited = state->pending[number];
  }
}

bool interlock_dpor_note_threads(interlock_dpor *dpor, const interlock_exploration_state *state) {
  int32_t maker = (int32_t)dpor->depth - 1;
  for (uint32_t number = dpor->engine_threads; number < state->threads; number++) {
    uint8_t parent = maker < 0 ? INTERLOCK_DPOR_THREADS : (uint8_t)dpor->frames[maker].thread;
    uint32_t identity = number < INTERLOCK_DPOR_THREADS
                            ? identity_of(dpor, parent, dpor->made[parent]++)
                            : INTERLOCK_DPOR_THREADS;
    if (identity == INTERLOCK_DPOR_THREADS) {
      interlock_dpor_abandon(dpor, "more than 64 threads");
      return false;
    }
    dpor->identity[number] = (uint8_t)identity;
    dpor->engine_number[identity] = (uint8_t)number;
    dpor->steps_taken[identity] = 0;
    dpor->last_step[identity] = maker;
    dpor->awaited[identity] = (interlock_operation){0};
  }
  dpor->engine_threads = state->threads;
  note_withdrawn(dpor, state);
  return true;
}
