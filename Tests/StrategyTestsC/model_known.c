// Programs of the model with known counts or bugs.

#include "model_checks.h"

#define K(name) INTERLOCK_OPERATION_##name

static model_line *add(model_line *at, unsigned kind, unsigned object, unsigned argument,
                       unsigned flags) {
  *at = (model_line){(uint8_t)kind, (uint8_t)object, (uint8_t)argument, (uint8_t)flags};
  return at + 1;
}

static void make_locks(model_line *at, unsigned times) {
  for (unsigned i = 0; i < times; i++) {
    at = add(at, K(LOCK), 0, 0, 0);
    at = add(at, K(READ_WRITE), 0, 0, MODEL_SILENT);
    at = add(at, K(UNLOCK), 0, 0, MODEL_SILENT);
  }
}

static void make_two_locks(model_line *at, unsigned first) {
  at = add(at, K(LOCK), first, 0, 0);
  at = add(at, K(LOCK), !first, 0, 0);
  at = add(at, K(UNLOCK), !first, 0, MODEL_SILENT);
  add(at, K(UNLOCK), first, 0, MODEL_SILENT);
}

static void make_lost_update(model_line *at) {
  at = add(at, K(LOCK), 0, 0, 0);
  at = add(at, K(READ), 0, 0, MODEL_SILENT);
  at = add(at, K(UNLOCK), 0, 0, MODEL_SILENT);
  at = add(at, K(LOCK), 0, 0, 0);
  at = add(at, K(WRITE), 0, 0, MODEL_SILENT);
  add(at, K(UNLOCK), 0, 0, MODEL_SILENT);
}

static void make_lost_signal(model_line *at, bool waits) {
  at = add(at, K(LOCK), 0, 0, 0);
  at = add(at, waits ? K(WAIT) : K(SIGNAL), 0, 0, waits ? 0 : MODEL_SILENT);
  add(at, K(UNLOCK), 0, 0, MODEL_SILENT);
}

static void make_dry_pool(model_program *program) {
  program->is_concurrent[0] = true;
  program->pool[0] = 1;
  program->width[0] = 1;
  for (unsigned i = 1; i < 3; i++) program->slots[i].role = MODEL_BLOCK;
  model_line *at = add(program->slots[0].lines, K(ENQUEUE), 0, 1, 0);
  add(at, K(ENQUEUE), 0, 2, 0);
  add(program->slots[1].lines, K(SEMAPHORE_WAIT), 0, 0, 0);
  add(program->slots[2].lines, K(SEMAPHORE_SIGNAL), 0, 0, 0);
}

// The task writes 1 and then 2. If it is cancelled in between, an update is lost.
static void make_late_cancel(model_program *program) {
  program->slots[1].role = MODEL_TASK;
  model_line *at = add(program->slots[0].lines, K(START), 0, 1, MODEL_MAKES);
  at = add(at, K(CANCEL), 1, 0, 0);
  add(at, K(AWAIT), 1, 0, 0);
  at = add(program->slots[1].lines, K(TEST_CANCEL), 1, 0, 0);
  at = add(at, K(WRITE), 0, 1, MODEL_IF_EVEN);
  at = add(at, K(TEST_CANCEL), 1, 0, MODEL_IF_EVEN);
  at = add(at, K(WRITE), 1, 7, MODEL_IF_ODD);
  add(at, K(WRITE), 0, 2, MODEL_IF_EVEN);
}

model_program model_make(model_known which, unsigned threads, unsigned times) {
  model_program program = {0};
  for (unsigned slot = 0; slot < threads; slot++) {
    program.slots[slot].is_root = true;
    model_line *at = program.slots[slot].lines;
    switch (which) {
      case MODEL_LOCKS:
        make_locks(at, times);
        break;
      case MODEL_COUNTER:
        for (unsigned i = 0; i < times; i++) at = add(at, i % 2 ? K(WRITE) : K(READ), 0, 0, 0);
        break;
      case MODEL_CROSSED:
        make_two_locks(at, slot);
        break;
      case MODEL_SAME_ORDER:
        make_two_locks(at, 0);
        break;
      case MODEL_LOST_UPDATE:
        make_lost_update(at);
        break;
      case MODEL_LOST_SIGNAL:
        make_lost_signal(at, slot == 0);
        break;
      case MODEL_WAITERS:
        make_lost_signal(at, slot + 1 < threads);
        break;
      default:
        break;
    }
  }
  if (which == MODEL_DRY_POOL) make_dry_pool(&program);
  if (which == MODEL_CANCEL_LATE) make_late_cancel(&program);
  return program;
}

bool model_lost_an_update(const model_state *state) { return state->variables[0] == 1; }
