#include "stretches.h"

bool interlock_stretches_add(interlock_stretches *list, uint32_t thread, uint32_t steps) {
  if (list->count > 0 && list->stretches[list->count - 1].thread == thread) {
    list->stretches[list->count - 1].steps += steps;
    return true;
  }
  if (!interlock_reserve((void **)&list->stretches, &list->capacity, list->count + 1,
                         sizeof *list->stretches)) {
    return false;
  }
  list->stretches[list->count++] = (interlock_stretch){thread, steps};
  return true;
}

static bool begin(interlock_strategy *strategy) {
  interlock_guide *self = (interlock_guide *)strategy;
  bool is_first = !self->has_begun;
  self->has_begun = true;
  return is_first;
}

static bool is_enabled(const interlock_exploration_state *state, uint32_t thread) {
  for (uint32_t i = 0; i < state->enabled_count; i++) {
    if (state->enabled[i] == thread) return true;
  }
  return false;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  interlock_guide *self = (interlock_guide *)strategy;
  while (self->next < self->list->count) {
    const interlock_stretch *stretch = &self->list->stretches[self->next];
    if (self->taken < stretch->steps && is_enabled(state, stretch->thread)) {
      self->taken++;
      return (int32_t)stretch->thread;
    }
    self->next++;
    self->taken = 0;
  }
  if (state->current >= 0 && is_enabled(state, (uint32_t)state->current)) return state->current;
  return (int32_t)state->enabled[0];
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  interlock_guide *self = (interlock_guide *)strategy;
  if (self->next_pick >= self->picks->count) return 0;
  return self->picks->choices[self->next_pick++] % count;
}

// Frees nothing: the guide lies on the stack of the function that made it.
static void destroy(interlock_strategy *strategy) { (void)strategy; }

interlock_guide interlock_guide_make(const interlock_stretches *list,
                                     const interlock_schedule *picks) {
  return (interlock_guide){
      .strategy = {.name = "shrink", .begin = begin, .choose = choose, .pick = pick,
                   .performed = interlock_ignore_step, .end = interlock_ignore_end,
                   .is_complete = interlock_never_complete, .destroy = destroy},
      .list = list,
      .picks = picks};
}
