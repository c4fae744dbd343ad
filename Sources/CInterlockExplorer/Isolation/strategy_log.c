// Records the calls on a strategy as words. Each call begins with its kind. Of the pending
// operations, only those that have changed since the last call are written.
#include "strategy_log.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>
#include <string.h>

enum { call_choose = 1, call_pick, call_performed, call_end };

typedef interlock_pending_list pending_list;

static bool reserve(pending_list *list, size_t count) {
  if (count > list->room) {
    interlock_operation *grown = realloc(list->items, 2 * count * sizeof *grown);
    if (!grown) return false;
    list->items = grown;
    list->room = 2 * count;
  }
  return true;
}

// The child's half: logs the calls.

typedef interlock_logged_strategy logged;

static logged *of(interlock_strategy *strategy) { return (logged *)strategy; }

static void put(logged *self, uint32_t word) {
  interlock_strategy_log *log = self->log;
  if (log->count == INTERLOCK_LOG_WORDS) {
    log->is_full = true;
  } else {
    log->words[log->count++] = word;
  }
}

static void put_operation(logged *self, const interlock_operation *operation) {
  put(self, operation->kind | (uint32_t)operation->flags << 16);
  put(self, operation->object);
  put(self, operation->other);
}

static void put_state(logged *self, const interlock_exploration_state *state) {
  pending_list *last = &self->pending;
  if (!reserve(last, state->threads)) {
    self->log->is_full = true;
    return;
  }
  put(self, state->threads);
  put(self, (uint32_t)state->current);
  for (uint32_t thread = 0; thread < state->threads; thread++) {
    const interlock_operation *operation = &state->pending[thread];
    bool is_known = thread < last->count;
    if (is_known && memcmp(operation, &last->items[thread], sizeof *operation) == 0) continue;
    put(self, thread);
    put_operation(self, operation);
    last->items[thread] = *operation;
  }
  last->count = state->threads;
  put(self, UINT32_MAX);
  put(self, state->enabled_count);
  for (uint32_t index = 0; index < state->enabled_count; index++) put(self, state->enabled[index]);
}

static bool begin(interlock_strategy *strategy) {
  logged *self = of(strategy);
  bool is_first = !self->has_begun;
  self->has_begun = true;
  return is_first;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  logged *self = of(strategy);
  int32_t chosen = self->inner->choose(self->inner, state);
  put(self, call_choose);
  put_state(self, state);
  put(self, (uint32_t)chosen);
  return chosen;
}

static uint32_t pick_from(interlock_strategy *strategy, uint32_t count, uint64_t useful) {
  return strategy->pick_useful ? strategy->pick_useful(strategy, count, useful)
                               : strategy->pick(strategy, count);
}

static uint32_t pick_useful(interlock_strategy *strategy, uint32_t count, uint64_t useful) {
  logged *self = of(strategy);
  uint32_t picked = pick_from(self->inner, count, useful);
  put(self, call_pick);
  put(self, count);
  put(self, (uint32_t)useful);
  put(self, (uint32_t)(useful >> 32));
  put(self, picked);
  return picked;
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return pick_useful(strategy, count, UINT64_MAX);
}

static bool orders(const interlock_strategy *strategy, size_t step) {
  const interlock_strategy *inner = ((const logged *)strategy)->inner;
  return !inner->orders || inner->orders(inner, step);
}

static void performed(interlock_strategy *strategy, uint32_t thread,
                      const interlock_operation *operations, size_t count) {
  logged *self = of(strategy);
  self->inner->performed(self->inner, thread, operations, count);
  put(self, call_performed);
  put(self, thread);
  put(self, (uint32_t)count);
  for (size_t index = 0; index < count; index++) put_operation(self, &operations[index]);
}

static bool is_own(interlock_strategy *strategy) {
  interlock_strategy *inner = of(strategy)->inner;
  return !inner->is_own || inner->is_own(inner);
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  logged *self = of(strategy);
  self->inner->end(self->inner, end, last);
  self->log->end = end;
  self->log->has_ended = true;
  put(self, call_end);
  put_state(self, last);
  put(self, end);
}

static bool is_complete(const interlock_strategy *self) {
  (void)self;
  return false;
}

static void destroy(interlock_strategy *strategy) { free(of(strategy)->pending.items); }

interlock_strategy *interlock_strategy_logged(interlock_logged_strategy *self,
                                              interlock_strategy *inner,
                                              interlock_strategy_log *log) {
  self->strategy = (interlock_strategy){.name = inner->name, .begin = begin, .choose = choose,
                                        .pick = pick, .pick_useful = pick_useful,
                                        .orders = orders, .performed = performed,
                                        .is_own = is_own, .end = end,
                                        .is_complete = is_complete, .destroy = destroy};
  self->inner = inner;
  self->log = log;
  self->has_begun = false;
  self->pending.count = 0;
  return &self->strategy;
}

// The parent's half. The explored body can write into the log, so each word is read once and
// checked. A strategy gets only what an engine could have passed, and need not check it again.

typedef struct {
  const volatile uint32_t *next, *end;
  pending_list pending;
  interlock_operation *operations;
  uint32_t *enabled;
  size_t operation_room, enabled_room;
  /// The thread of the running step; -1 between two steps.
  int64_t stepping;
  bool is_cut, has_ended;
} reader;

static bool take_word(reader *reader, uint32_t *word) {
  if (reader->next == reader->end) return false;
  *word = *reader->next++;
  return true;
}

static size_t words_left(const reader *reader) { return (size_t)(reader->end - reader->next); }

static bool take_operation(reader *reader, interlock_operation *operation) {
  if (words_left(reader) < 3) return false;
  uint32_t kind = *reader->next++;
  *operation = (interlock_operation){.kind = (uint16_t)kind, .flags = (uint16_t)(kind >> 16)};
  operation->object = *reader->next++;
  operation->other = *reader->next++;
  return operation->kind < INTERLOCK_OPERATION_COUNT;
}

/// Reads the changed operations. Each new thread must have one; a thread that has ended must have
/// none.
static bool take_pending(reader *reader, uint32_t threads) {
  pending_list *pending = &reader->pending;
  // Each new thread takes words of the log, so a false number cannot make the parent take much
  // memory.
  if (threads < pending->count || threads - pending->count > words_left(reader) / 4) return false;
  if (!reserve(pending, threads)) return false;
  int64_t last = -1;
  uint32_t thread;
  while (take_word(reader, &thread) && thread != UINT32_MAX) {
    interlock_operation operation;
    bool is_new = thread == pending->count;
    if (thread <= last || thread > pending->count || thread >= threads) return false;
    if (!take_operation(reader, &operation)) return false;
    if (is_new ? !operation.kind : !pending->items[thread].kind) return false;
    pending->items[thread] = operation;
    pending->count += is_new;
    last = thread;
  }
  return pending->count == threads && thread == UINT32_MAX;
}

static bool take_enabled(reader *reader, interlock_exploration_state *state) {
  uint32_t count;
  if (!take_word(reader, &count) || count > words_left(reader)) return false;
  if (count > state->threads) return false;
  if (count > reader->enabled_room) {
    uint32_t *grown = realloc(reader->enabled, 2 * count * sizeof *grown);
    if (!grown) return false;
    reader->enabled = grown;
    reader->enabled_room = 2 * count;
  }
  for (uint32_t index = 0; index < count; index++) {
    uint32_t thread = *reader->next++;
    if (thread >= state->threads) return false;
    if (index > 0 && thread <= reader->enabled[index - 1]) return false;
    reader->enabled[index] = thread;
  }
  state->enabled = reader->enabled;
  state->enabled_count = count;
  return true;
}

static bool take_state(reader *reader, interlock_exploration_state *state) {
  uint32_t current;
  if (!take_word(reader, &state->threads) || !take_word(reader, &current)) return false;
  state->current = (int32_t)current;
  if (state->current < -1 || state->current >= (int64_t)state->threads) return false;
  if (state->threads == 0 || !take_pending(reader, state->threads)) return false;
  state->pending = reader->pending.items;
  return take_enabled(reader, state);
}

static bool follow_choice(interlock_strategy *strategy, reader *reader) {
  interlock_exploration_state state;
  uint32_t chosen;
  if (reader->stepping >= 0 || reader->is_cut) return false;
  if (!take_state(reader, &state) || !take_word(reader, &chosen)) return false;
  if (!state.enabled_count) return false;
  for (uint32_t index = 0; index < state.enabled_count; index++) {
    if (!state.pending[state.enabled[index]].kind) return false;
  }
  if (strategy->choose(strategy, &state) != (int32_t)chosen) return false;
  reader->stepping = (int32_t)chosen;
  reader->is_cut = (int32_t)chosen < 0;
  return true;
}

static bool follow_pick(interlock_strategy *strategy, reader *reader) {
  uint32_t count, low, high, picked;
  if (!take_word(reader, &count) || !take_word(reader, &low)) return false;
  if (!take_word(reader, &high) || !take_word(reader, &picked)) return false;
  if (reader->stepping < 0 || count < 2 || !(low & 1)) return false;
  return pick_from(strategy, count, (uint64_t)high << 32 | low) == picked;
}

static bool follow_performed(interlock_strategy *strategy, reader *reader) {
  uint32_t thread, count;
  if (!take_word(reader, &thread) || !take_word(reader, &count)) return false;
  // After the strategy has cut an execution off, `stepping` is -1 and no step may follow.
  if (reader->stepping != thread || !count || count > words_left(reader) / 3) return false;
  if (count > reader->operation_room) {
    interlock_operation *grown = realloc(reader->operations, 2 * count * sizeof *grown);
    if (!grown) return false;
    reader->operations = grown;
    reader->operation_room = 2 * count;
  }
  for (uint32_t index = 0; index < count; index++) {
    interlock_operation *operation = &reader->operations[index];
    if (!take_operation(reader, operation) || !operation->kind) return false;
  }
  strategy->performed(strategy, thread, reader->operations, count);
  reader->stepping = -1;
  return true;
}

static bool follow_end(interlock_strategy *strategy, reader *reader) {
  interlock_exploration_state state;
  uint32_t end;
  if (!take_state(reader, &state) || !take_word(reader, &end)) return false;
  if (end > INTERLOCK_EXECUTION_LIMITED) return false;
  strategy->end(strategy, (interlock_execution_end)end, &state);
  reader->has_ended = true;
  return true;
}

static bool follow_call(interlock_strategy *strategy, reader *reader) {
  switch (*reader->next++) {
    case call_choose: return follow_choice(strategy, reader);
    case call_pick: return follow_pick(strategy, reader);
    case call_performed: return follow_performed(strategy, reader);
    case call_end: return follow_end(strategy, reader);
    default: return false;
  }
}

bool interlock_strategy_follow(interlock_strategy *strategy, const interlock_strategy_log *log) {
  size_t count = log->count;
  unsigned char is_full;
  memcpy(&is_full, &log->is_full, sizeof is_full);
  if (is_full || count > INTERLOCK_LOG_WORDS) return false;
  reader reader = {.next = log->words, .end = log->words + count, .stepping = -1};
  bool follows = true;
  while (follows && !reader.has_ended && reader.next < reader.end) {
    follows = follow_call(strategy, &reader);
  }
  free(reader.pending.items);
  free(reader.operations);
  free(reader.enabled);
  return follows && reader.next == reader.end;
}

#endif
