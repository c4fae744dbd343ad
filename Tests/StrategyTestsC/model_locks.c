// Steps of the model: the lines for locks, conditions, barriers and semaphores.

#include "model_stepping.h"

#include <string.h>

static void leave(uint8_t *waiters, unsigned slot) {
  unsigned index = 0;
  while (waiters[index] != slot + 1) index++;
  memmove(waiters + index, waiters + index + 1, MODEL_SLOTS - 1 - index);
  waiters[MODEL_SLOTS - 1] = 0;
}

static void wake(model_state *state, unsigned condition, unsigned index) {
  uint8_t *waiters = state->waiters[condition];
  state->threads[waiters[index] - 1].is_woken = true;
  leave(waiters, waiters[index] - 1);
}

void model_on_condition(model_stepping *s, const model_line *line) {
  model_state *state = s->state;
  model_thread *thread = &state->threads[s->slot];
  uint8_t *waiters = state->waiters[line->object];
  unsigned count = 0;
  while (count < MODEL_SLOTS && waiters[count]) count++;
  if (line->kind == K(WAIT)) {
    interlock_operation *o = model_did(s, thread->is_second_half ? K(LOCK) : K(WAIT), 0);
    o->object = model_object(o->kind, thread->is_second_half ? line->argument : line->object);
    o->other = thread->is_second_half ? model_object(K(WAIT), line->object)
                                      : model_object(K(LOCK), line->argument);
    if (thread->is_second_half) {
      state->owner[line->argument] = (uint8_t)(s->slot + 1);
      bool may = s->program->wakes_without_signal &&
                 !(thread->woken_without_signal >> line->object & 1);
      if (may) o->flags = INTERLOCK_OPERATION_NEEDS_NO_SIGNAL;
      if (!thread->is_woken) {
        thread->woken_without_signal |= (uint8_t)(1u << line->object);
        leave(waiters, s->slot);
      }
      thread->is_woken = false;
    } else {
      state->owner[line->argument] = 0;
      waiters[count] = (uint8_t)(s->slot + 1);
    }
    thread->is_second_half = !thread->is_second_half;
    return;
  }
  interlock_operation *o = model_did(s, line->kind, line->object);
  if (line->kind == K(BROADCAST)) {
    while (waiters[0]) wake(state, line->object, 0);
  } else if (count) {
    uint32_t index = count > 1 ? s->picker(s->context, count) : 0;
    s->step->picks = s->step->picks * 9 + index + 1;
    // A slot of the model, plus 1: the caller translates it into the strategy's number.
    o->other = waiters[index];
    wake(state, line->object, index);
  }
}

void model_on_barrier(model_stepping *s, const model_line *line) {
  model_state *state = s->state;
  model_thread *thread = &state->threads[s->slot];
  interlock_operation *o = model_did(s, K(BARRIER_WAIT), line->object);
  thread->is_second_half = !thread->is_second_half;
  if (!thread->is_second_half) {
    o->flags = INTERLOCK_OPERATION_LEAVES_BARRIER;
    thread->is_open = false;
    return;
  }
  bool is_last = ++state->arrived[line->object] == s->program->parties[line->object];
  model_returned(thread, is_last);
  if (!is_last) return;
  o->flags = INTERLOCK_OPERATION_ARRIVES_LAST;
  state->arrived[line->object] = 0;
  for (unsigned i = 0; i < MODEL_SLOTS; i++) {
    const model_thread *t = &state->threads[i];
    const model_line *at = &s->program->slots[i].lines[t->line];
    if (t->status == MODEL_LIVE && t->has_begun && t->is_second_half &&
        at->kind == K(BARRIER_WAIT) && at->object == line->object) {
      state->threads[i].is_open = true;
    }
  }
}

void model_on_semaphore(model_stepping *s, const model_line *line) {
  model_state *state = s->state;
  model_thread *thread = &state->threads[s->slot];
  uint8_t *value = &state->semaphores[line->object];
  interlock_operation *o = model_did(s, line->kind, line->object);
  o->other = *value + 1u;
  if (line->kind == K(SEMAPHORE_SIGNAL)) {
    ++*value;
    return;
  }
  bool got = *value;
  *value -= got;
  if (!got) o->flags = INTERLOCK_OPERATION_FAILED;
  if (line->kind == K(SEMAPHORE_TRY) || line->flags & MODEL_TIMED) model_returned(thread, got);
  if (!(line->flags & MODEL_TIMED)) return;
  model_thread *timer = &state->threads[line->argument];
  thread->is_timed_out = false;
  if (timer->status != MODEL_LIVE || timer->has_begun) return;
  timer->status = MODEL_ENDED;
}

void model_on_lock(model_stepping *s, const model_line *line) {
  model_state *state = s->state;
  model_thread *thread = &state->threads[s->slot];
  uint8_t *owner = &state->owner[line->object], *readers = &state->readers[line->object];
  interlock_operation *o = model_did(s, line->kind, line->object);
  bool is_free = !*owner && !*readers;
  switch (line->kind) {
    case K(LOCK):
      *owner = (uint8_t)(s->slot + 1);
      break;
    case K(TRY_LOCK):
      if (is_free) *owner = (uint8_t)(s->slot + 1);
      if (!is_free) o->flags = INTERLOCK_OPERATION_FAILED;
      model_returned(thread, is_free);
      break;
    case K(UNLOCK):
      *owner = 0;
      break;
    case K(LOCK_SHARED):
      ++*readers;
      thread->reads_lock[line->object]++;
      break;
    case K(TRY_LOCK_SHARED):
      if (*owner) o->flags = INTERLOCK_OPERATION_FAILED;
      if (!*owner) ++*readers, thread->reads_lock[line->object]++;
      model_returned(thread, !*owner);
      break;
    default:
      --*readers;
      thread->reads_lock[line->object]--;
  }
}
