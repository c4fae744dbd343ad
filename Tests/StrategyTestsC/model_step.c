// A step of the model: a line and the silent lines behind it.

#include "model_stepping.h"

#include <string.h>

static void end(model_stepping *s) {
  model_thread *thread = &s->state->threads[s->slot];
  const model_slot *slot = &s->program->slots[s->slot];
  thread->status = MODEL_ENDED;
  if (slot->group) model_leave(s, slot->group - 1u);
  if (slot->role == MODEL_BLOCK) {
    model_finish(s, slot->queue, slot->is_barrier);
    unsigned pool = s->program->pool[slot->queue];
    if (pool)
      model_did(s, K(GIVE_WORKER), pool - 1)->other = s->state->free_workers[pool - 1]++ + 1u;
  } else if (slot->role == MODEL_TASK) {
    model_did(s, K(COMPLETE), s->slot);
    s->state->task_complete |= (uint8_t)(1u << s->slot);
  } else if (slot->role == MODEL_THREAD) {
    model_did(s, K(END), s->slot);
  }
}

// Skips a line whose condition is false, and a release of what the thread does not hold.
static bool is_skipped(const model_state *state, unsigned slot, const model_line *line) {
  const model_thread *thread = &state->threads[slot];
  if (line->flags & MODEL_IF_ODD && !(thread->last & 1)) return true;
  if (line->flags & MODEL_IF_EVEN && thread->last & 1) return true;
  switch (line->kind) {
    case K(UNLOCK):
      return state->owner[line->object] != slot + 1;
    case K(UNLOCK_SHARED):
      return !thread->reads_lock[line->object];
    case K(WAIT):
      return state->owner[line->argument] != slot + 1;
    case K(SECTION_READ_END):
      return !thread->reads_section[line->object];
    case K(SECTION_WRITE_END):
      return !thread->writes_section[line->object];
    case K(GROUP_LEAVE):
      return !thread->entered[line->object];
    default:
      return false;
  }
}

static void begin(model_stepping *s) {
  const model_slot *slot = &s->program->slots[s->slot];
  model_state *state = s->state;
  state->threads[s->slot].has_begun = true;
  s->step->operations[s->step->count++] = (interlock_operation){0};
  interlock_operation *o = &s->step->operations[0];
  state->threads[s->slot].has_begun = false;
  *o = model_pending(s->program, state, s->slot);
  state->threads[s->slot].has_begun = true;
  if (slot->role == MODEL_BLOCK) {
    model_begin_block(s, slot->queue);
    unsigned pool = s->program->pool[slot->queue];
    if (pool) state->free_workers[pool - 1]--;
    if (slot->is_cancellable) {
      model_did(s, K(TEST_ITEM), s->slot);
      if (state->item_cancelled >> s->slot & 1) state->threads[s->slot].line = MODEL_OPERATIONS - 1;
    }
  } else if (slot->role == MODEL_TIMER) {
    // A time is a lower bound.
    if (state->due[s->slot] > state->now) state->now = state->due[s->slot];
    if (slot->wakes) state->threads[slot->wakes - 1].is_timed_out = true;
  }
}

void model_take_step(const model_program *program, model_state *state, unsigned slot,
                     model_picker *picker, void *context, model_step *step) {
  model_stepping s = {program, state, slot, picker, context, step};
  model_thread *thread = &state->threads[slot];
  step->count = 0;
  step->made_count = 0;
  step->picks = 0;
  if (!thread->has_begun) {
    begin(&s);
  } else {
    model_perform(&s, &program->slots[slot].lines[thread->line]);
    if (thread->is_second_half) return;
    thread->line++;
  }
  for (;; thread->line++) {
    const model_line *line = &program->slots[slot].lines[thread->line];
    if (!line->kind) {
      end(&s);
      return;
    }
    if (is_skipped(state, slot, line)) continue;
    if (!(line->flags & MODEL_SILENT)) return;
    model_perform(&s, line);
  }
}

void model_begin(const model_program *program, model_state *state) {
  memset(state, 0, sizeof *state);
  for (unsigned i = 0; i < MODEL_SLOTS; i++) {
    if (program->slots[i].is_root) state->threads[i].status = MODEL_LIVE;
  }
  memcpy(state->semaphores, program->semaphores, sizeof state->semaphores);
  memcpy(state->free_workers, program->width, sizeof state->free_workers);
}

uint64_t model_outcome(const model_state *state) {
  const uint8_t *bytes = (const uint8_t *)state;
  uint64_t hash = 1;
  for (size_t i = 0; i < sizeof *state; i++) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}
