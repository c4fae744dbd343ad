// Takes two steps in both orders from the same state.

#include "model_checks.h"

#include "../../Sources/CInterlockExplorer/Dependency/dependency.h"

#include <string.h>

// Picks the same value in both orders, so that picks make no difference.
static uint32_t pick_fixed(void *context, uint32_t count) { return *(uint32_t *)context % count; }

static bool operations_depend(const interlock_operation *a, size_t count_a,
                              const interlock_operation *b, size_t count_b) {
  for (size_t i = 0; i < count_a; i++) {
    for (size_t k = 0; k < count_b; k++) {
      if (interlock_operations_depend(&a[i], &b[k])) return true;
    }
  }
  return false;
}

static void note(model_pairs *pairs, const interlock_operation *a, size_t count_a,
                 const interlock_operation *b, size_t count_b, bool differs, uint64_t seed) {
  bool depends = operations_depend(a, count_a, b, count_b);
  pairs->pairs++;
  if (count_a == 1 && count_b == 1) {
    uint16_t first = a->kind < b->kind ? a->kind : b->kind;
    uint16_t second = a->kind < b->kind ? b->kind : a->kind;
    pairs->differs[first][second] += differs;
    pairs->same[first][second] += !differs && depends;
  }
  if (!differs || depends) return;
  if (pairs->wrong++ == 0) {
    pairs->wrong_first = a->kind;
    pairs->wrong_second = b->kind;
    pairs->wrong_seed = seed;
  }
}

// Notes whether the order of the next steps of `p` and `q` matters, and what the table says of it.
static void check_pair(const model_program *program, const model_state *state, unsigned p,
                       unsigned q, uint32_t picked, uint64_t seed, model_pairs *pairs) {
  model_state first = *state, second = *state;
  model_step p_first, q_second, q_first, p_second;
  memcpy(&first, state, sizeof first);
  memcpy(&second, state, sizeof second);
  model_take_step(program, &first, p, pick_fixed, &picked, &p_first);
  interlock_operation waiting = model_pending(program, state, q);
  if (!model_is_enabled(program, state, q)) {
    bool differs = model_is_enabled(program, &first, q);
    note(pairs, p_first.operations, p_first.count, &waiting, 1, differs, seed);
    return;
  }
  model_take_step(program, &second, q, pick_fixed, &picked, &q_first);
  if (!model_is_enabled(program, &first, q)) {
    note(pairs, p_first.operations, p_first.count, &waiting, 1, true, seed);
    return;
  }
  if (!model_is_enabled(program, &second, p)) return;  // the pair (q, p) says it
  model_take_step(program, &first, q, pick_fixed, &picked, &q_second);
  model_take_step(program, &second, p, pick_fixed, &picked, &p_second);
  bool differs = model_outcome(&first) != model_outcome(&second) || p_first.picks != p_second.picks;
  note(pairs, p_first.operations, p_first.count, q_second.operations, q_second.count, differs,
       seed);
}

void model_check_pairs(uint64_t first_seed, uint64_t count, model_pairs *pairs) {
  memset(pairs, 0, sizeof *pairs);
  for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
    model_program program = model_generate(seed);
    uint64_t random = seed;
    for (int walk = 0; walk < 12; walk++) {
      model_state state;
      model_begin(&program, &state);
      for (unsigned step = 0; step < MODEL_MAX_STEPS; step++) {
        unsigned enabled[MODEL_SLOTS], enabled_count = 0;
        for (unsigned slot = 0; slot < MODEL_SLOTS; slot++) {
          if (model_is_enabled(&program, &state, slot)) enabled[enabled_count++] = slot;
        }
        if (!enabled_count) break;
        uint32_t picked = (uint32_t)model_random(&random);
        for (unsigned i = 0; i < enabled_count; i++) {
          for (unsigned q = 0; q < MODEL_SLOTS; q++) {
            if (q == enabled[i] || state.threads[q].status != MODEL_LIVE) continue;
            check_pair(&program, &state, enabled[i], q, picked, seed, pairs);
          }
        }
        model_step taken;
        unsigned next = enabled[model_random(&random) % enabled_count];
        model_take_step(&program, &state, next, pick_fixed, &picked, &taken);
      }
    }
  }
}

const char *model_kind_name(uint16_t kind) { return interlock_operation_name(kind); }

bool model_kind_has_row(uint16_t kind) { return interlock_operation_has_row(kind); }
bool model_operations_depend(interlock_operation a, interlock_operation b) {
  return interlock_operations_depend(&a, &b);
}
