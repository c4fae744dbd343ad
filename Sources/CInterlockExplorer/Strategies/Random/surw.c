// SURW: draws uniformly among the interleavings of a subset of the operations. One thread is
// intended to perform the next operation of the subset. Its chance to become that thread is
// proportional to the number of such operations left, its own and those of the threads that it has
// yet to make. The other threads run freely until their next such operation. The subset consists of
// the operations on one object, drawn for each execution; the counts come from the last execution.
// The first execution is a random walk.
//
// Source: Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS
// 2025.

#include "sampling.h"

enum { MAX_OBJECTS = 1024, NONE = UINT32_MAX };

typedef struct {
  interlock_strategy strategy;
  interlock_random random;
  size_t capacity, before_capacity;
  /// The threads of this execution (`threads`) and of the last one (`before`): the operations of
  /// the subset left, and performed in all; and 1 + the thread's maker.
  struct surw_thread {
    uint32_t left, done, maker;
    // In `before`: the operations of the threads that this thread is still expected to make, and of
    // those that they make.
    uint32_t below;
  } * threads, *before;
  uint32_t thread_count, before_count;
  /// The operations of the execution, from which the next subset and its counts come.
  struct surw_use {
    uint32_t thread, object;
  } * uses;
  size_t use_count, use_capacity;
  uint32_t subset, intended;
  int32_t last;
  uint64_t looks;
} surw;

// Draws an object that at least two operations use, with equal chances.
static uint32_t draw_subset(surw *self) {
  uint32_t counts[MAX_OBJECTS] = {0}, candidates = 0, subset = NONE;
  for (size_t i = 0; i < self->use_count; i++) {
    uint32_t object = self->uses[i].object;
    self->looks++;
    if (object == 0 || object >= MAX_OBJECTS || ++counts[object] != 2) continue;
    if (interlock_random_below(&self->random, ++candidates) == 0) subset = object;
  }
  return subset;
}

// Adds the operations of the thread and of those below it to `below` of its maker; subtracts them
// for a `sign` of -1.
static void add_to_maker(surw *self, uint32_t thread, int sign) {
  self->looks++;
  const struct surw_thread *own = &self->before[thread];
  if (own->maker == 0 || own->maker > thread) return;
  self->before[own->maker - 1].below += (uint32_t)sign * (own->done + own->below);
}

static bool begin(interlock_strategy *strategy) {
  surw *self = (surw *)strategy;
  self->subset = draw_subset(self);
  for (uint32_t i = 0; i < self->before_count; i++) {
    self->before[i].done = self->before[i].below = 0;
  }
  for (size_t i = 0; i < self->use_count; i++) {
    const struct surw_use *use = &self->uses[i];
    if (use->object == self->subset && use->thread < self->before_count) {
      self->before[use->thread].done++;
    }
  }
  // From the last thread to the first, because a thread has a higher number than its maker.
  for (uint32_t i = self->before_count; i-- > 0;) add_to_maker(self, i, 1);
  self->use_count = 0;
  self->thread_count = 0;
  self->intended = NONE;
  self->last = -1;
  return true;
}

// The operations left to the thread and to the threads that it is expected to make. A thread may
// have more than expected: its weight is then small, but not 0.
static uint64_t weight(surw *self, uint32_t thread) {
  self->looks++;
  uint32_t sum = self->threads[thread].left;
  if (thread < self->before_count) sum += self->before[thread].below;
  return (uint64_t)sum * 64 + 1;
}

// Gives each new thread its expected operations, and takes them from its maker. In proportion to
// them, the new thread also becomes the intended thread if its maker was.
static bool note_threads(surw *self, const interlock_exploration_state *state) {
  if (!interlock_reserve((void **)&self->threads, &self->capacity, state->threads,
                         sizeof *self->threads)) {
    return false;
  }
  while (self->thread_count < state->threads) {
    uint32_t thread = self->thread_count++;
    self->threads[thread] = (struct surw_thread){.maker = (uint32_t)(self->last + 1)};
    if (thread < self->before_count) {
      self->threads[thread].left = self->before[thread].done;
      add_to_maker(self, thread, -1);
    }
    if (self->intended == NONE || self->last != (int32_t)self->intended) continue;
    uint64_t own = weight(self, thread), of_maker = weight(self, self->intended);
    if (interlock_random_next(&self->random) % (own + of_maker) < own) self->intended = thread;
  }
  return true;
}

static void intend(surw *self, const interlock_exploration_state *state, bool only_enabled) {
  uint64_t sum = 0;
  uint32_t count = only_enabled ? state->enabled_count : state->threads;
  self->intended = NONE;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t thread = only_enabled ? state->enabled[i] : i;
    if (!state->pending[thread].kind) continue;
    uint64_t own = weight(self, thread);
    sum += own;
    if (interlock_random_next(&self->random) % sum < own) self->intended = thread;
  }
}

static bool is_held_back(surw *self, const interlock_exploration_state *state, uint32_t thread) {
  self->looks++;
  return self->subset != NONE && state->pending[thread].object == self->subset &&
         thread != self->intended;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  surw *self = (surw *)strategy;
  if (!note_threads(self, state)) return (int32_t)state->enabled[0];
  if (self->intended == NONE || !state->pending[self->intended].kind) intend(self, state, false);
  uint32_t chosen = NONE, candidates = 0;
  for (int round = 0; round < 2 && chosen == NONE; round++) {
    for (uint32_t i = 0; i < state->enabled_count; i++) {
      if (is_held_back(self, state, state->enabled[i])) continue;
      if (interlock_random_below(&self->random, ++candidates) == 0) chosen = state->enabled[i];
    }
    // Every enabled thread is held back: one of them becomes the intended thread.
    if (chosen == NONE) intend(self, state, true);
  }
  if (chosen == NONE) chosen = state->enabled[0];
  self->last = (int32_t)chosen;
  return (int32_t)chosen;
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return count > 1 ? interlock_random_below(&((surw *)strategy)->random, count) : 0;
}

static void performed(interlock_strategy *strategy, uint32_t thread,
                      const interlock_operation *operations, size_t count) {
  surw *self = (surw *)strategy;
  if (count == 0 || thread >= self->thread_count) return;
  uint32_t object = operations[0].object;
  if (interlock_reserve((void **)&self->uses, &self->use_capacity, self->use_count + 1,
                        sizeof *self->uses)) {
    self->uses[self->use_count++] = (struct surw_use){thread, object};
  }
  if (self->subset == NONE || object != self->subset) return;
  struct surw_thread *own = &self->threads[thread];
  if (own->left > 0) own->left--;
  self->intended = NONE;
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  (void)end, (void)last;
  surw *self = (surw *)strategy;
  if (!interlock_reserve((void **)&self->before, &self->before_capacity, self->thread_count,
                         sizeof *self->before)) {
    return;
  }
  memcpy(self->before, self->threads, self->thread_count * sizeof *self->before);
  self->before_count = self->thread_count;
}

static void destroy(interlock_strategy *strategy) {
  free(((surw *)strategy)->threads);
  free(((surw *)strategy)->before);
  free(((surw *)strategy)->uses);
  free(strategy);
}

uint64_t interlock_surw_looks(const interlock_strategy *strategy) {
  return ((const surw *)strategy)->looks;
}

interlock_strategy *interlock_surw_create(uint64_t seed) {
  surw *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->random.state = seed;
  self->strategy = (interlock_strategy){.name = "surw", .begin = begin, .choose = choose,
                                        .pick = pick, .performed = performed, .end = end,
                                        .is_complete = interlock_never_complete,
                                        .destroy = destroy};
  return &self->strategy;
}
