// Optimal DPOR: the calls of the strategy.

#include "dpor.h"

#include <stdlib.h>
#include <string.h>

static interlock_dpor *of(interlock_strategy *strategy) { return (interlock_dpor *)strategy; }

static bool begin(interlock_strategy *strategy) {
  interlock_dpor *dpor = of(strategy);
  if (dpor->finished) return false;
  dpor->started = true;
  dpor->depth = 0;
  dpor->engine_threads = 0;
  dpor->withdrawn_count = 0;
  memset(dpor->made, 0, sizeof dpor->made);
  return true;
}

// Takes the next branch of the wake-up tree. After the end of a branch any thread may continue;
// choose the current thread, so that executions switch seldom. A branch normally ends where it has
// woken every thread. If a thread is still asleep, the branch was added in doubt: wake all threads,
// so that no order is left out. In a shard, such a thread stays asleep: other shards run the
// executions that begin with it.
static bool choose_child(interlock_dpor *dpor, interlock_dpor_frame *frame, bool is_new,
                         const interlock_exploration_state *state) {
  while (frame->children) {
    uint64_t bit = 1ull << frame->children->thread;
    if (frame->enabled & ~frame->asleep & bit) return true;
    dpor->statistics.blocked++;
    interlock_wakeup_node *node = frame->children;
    interlock_dpor_settle(dpor, node, NULL);
    frame->children = node->next_sibling;
    interlock_wakeup_node_destroy(node);
  }
  if (!is_new) return false;
  if (!interlock_dpor_is_sharded(dpor)) interlock_dpor_wake_all(frame);
  uint64_t awake = frame->enabled & ~frame->asleep;
  if (!awake) return false;
  uint32_t thread = (uint32_t)__builtin_ctzll(awake);
  // Use the engine's order of threads: shards assign identities in different orders, but must
  // search in the same order.
  for (uint32_t i = 0; interlock_dpor_is_sharded(dpor) && i < state->enabled_count; i++) {
    thread = dpor->identity[state->enabled[i]];
    if (awake >> thread & 1) break;
  }
  if (state->current >= 0) {
    uint32_t current = dpor->identity[state->current];
    if (awake >> current & 1) thread = current;
  }
  frame->children = interlock_wakeup_node_create(&dpor->memory, thread, (interlock_picks){0}, NULL);
  if (!frame->children) interlock_dpor_abandon(dpor, "no memory");
  return frame->children;
}

static int32_t choose(interlock_strategy *strategy, const interlock_exploration_state *state) {
  interlock_dpor *dpor = of(strategy);
  if (!interlock_dpor_note_threads(dpor, state)) return INTERLOCK_CHOICE_CUT;
  uint64_t enabled = 0;
  for (uint32_t i = 0; i < state->enabled_count; i++) {
    enabled |= 1ull << dpor->identity[state->enabled[i]];
  }
  bool is_new = dpor->depth == dpor->open;
  if (is_new && !interlock_dpor_open_frame(dpor, state, enabled)) return INTERLOCK_CHOICE_CUT;
  interlock_dpor_frame *frame = &dpor->frames[dpor->depth];
  if (frame->enabled != enabled) {
    interlock_dpor_abandon(dpor, "the program is not deterministic: other threads are enabled");
    return INTERLOCK_CHOICE_CUT;
  }
  if (dpor->depth >= dpor->repeated) {
    if (!choose_child(dpor, frame, is_new, state)) return INTERLOCK_CHOICE_CUT;
    frame->thread = frame->children->thread;
    frame->picks = frame->children->picks;
    frame->engine_thread = dpor->engine_number[frame->thread];
    frame->engine_threads = state->threads;
  }
  dpor->pick_index = 0;
  return (int32_t)frame->engine_thread;
}

static uint32_t pick_useful(interlock_strategy *strategy, uint32_t count, uint64_t useful) {
  interlock_dpor *dpor = of(strategy);
  interlock_dpor_frame *frame = &dpor->frames[dpor->depth];
  if (count > UINT8_MAX || dpor->pick_index == INTERLOCK_MAX_PICKS) {
    interlock_dpor_abandon(dpor, "a step with too many values to pick from");
    return 0;
  }
  uint32_t index = dpor->pick_index++;
  frame->pick_counts[index] = (uint8_t)count;
  frame->pick_useful[index] = useful;
  if (index >= frame->picks.count) {
    frame->picks.count = (uint8_t)(index + 1);
    frame->picks.values[index] = 0;
  }
  if (frame->picks.values[index] >= count) frame->picks.values[index] = 0;
  return frame->picks.values[index];
}

static uint32_t pick(interlock_strategy *strategy, uint32_t count) {
  return pick_useful(strategy, count, UINT64_MAX);
}

static bool orders(const interlock_strategy *strategy, size_t step) {
  const interlock_dpor *dpor = (const interlock_dpor *)strategy;
  const interlock_dpor_frame *frame = &dpor->frames[dpor->depth];
  if (dpor->finished || step >= dpor->depth) return true;
  int32_t previous = dpor->last_step[frame->thread];
  if (previous < 0) return false;
  const interlock_dpor_frame *earlier = &dpor->frames[step];
  return dpor->frames[previous].clock[earlier->thread] >= earlier->own;
}

static void join(uint16_t *clock, const uint16_t *other) {
  for (unsigned i = 0; i < INTERLOCK_DPOR_THREADS; i++) {
    if (other[i] > clock[i]) clock[i] = other[i];
  }
}

static void order(interlock_dpor *dpor, interlock_dpor_frame *frame) {
  if (frame->previous >= 0) {
    memcpy(frame->clock, dpor->frames[frame->previous].clock, sizeof frame->clock);
  } else {
    memset(frame->clock, 0, sizeof frame->clock);
  }
  uint32_t bit = interlock_dpor_dependent_bit(frame->thread, frame->own);
  for (uint32_t i = dpor->depth; i-- > 0;) {
    const interlock_dpor_frame *earlier = &dpor->frames[i];
    if (!interlock_steps_depend(earlier->record, frame->record)) continue;
    earlier->explored->dependents[bit / 64] |= 1ull << bit % 64;
    if (frame->clock[earlier->thread] < earlier->own) join(frame->clock, earlier->clock);
  }
  frame->clock[frame->thread] = frame->own;
  if (frame->is_top) interlock_dpor_note_walks(dpor);
}

// Adds the operations of the step to those of the step's other variants.
static bool note_explored(interlock_dpor *dpor, interlock_dpor_frame *frame) {
  if (!frame->explored) {
    frame->explored = interlock_step_memory_take(&dpor->memory, sizeof *frame->explored);
    if (!frame->explored) return false;
    *frame->explored = (interlock_dpor_explored){
        .references = 1, .record = interlock_step_record_retain(frame->record),
        .at = dpor->depth, .has_picks = dpor->pick_index > 0};
    // Assume that every step depends on this one: the shard does not run all executions that begin
    // with the step, so it may not see which steps do.
    if (frame->is_top) {
      memset(frame->explored->dependents, 0xff, sizeof frame->explored->dependents);
    }
    return true;
  }
  frame->explored->has_picks = true;
  interlock_step_record *both = interlock_step_record_union(frame->explored->record, frame->record);
  interlock_step_record_release(frame->explored->record);
  frame->explored->record = both;
  return both;
}

static bool record(interlock_dpor *dpor, interlock_dpor_frame *frame,
                   const interlock_operation *operations, size_t count) {
  interlock_step_record_release(frame->record);
  interlock_step_record_release(frame->pending);
  frame->pending = NULL;
  frame->record =
      interlock_step_record_create(&dpor->memory, operations, count, frame->known_objects);
  // Record the declared operation, not the performed one, whose result may differ after other
  // steps.
  if (frame->record) {
    frame->pending = interlock_step_record_create(
        &dpor->memory, &dpor->awaited[frame->thread], 1, frame->known_objects);
  }
  if (!frame->pending) {
    interlock_dpor_abandon(dpor, "no memory");
    return false;
  }
  if (frame->record->has_unknown_kind && !dpor->statistics.incomplete) {
    dpor->statistics.incomplete = "an operation has no row in the dependency table";
  }
  if (!note_explored(dpor, frame)) {
    interlock_dpor_abandon(dpor, "no memory");
    return false;
  }
  frame->picks.count = (uint8_t)dpor->pick_index;
  interlock_wakeup_node *node = frame->children;
  node->picks = frame->picks;
  node->is_reversed = false;
  interlock_step_record_release(node->record);
  node->record = interlock_step_record_retain(frame->record);
  interlock_dpor_settle(dpor, node, frame->record);
  return !dpor->finished;
}

static void performed(interlock_strategy *strategy, uint32_t thread,
                      const interlock_operation *operations, size_t count) {
  (void)thread;
  interlock_dpor *dpor = of(strategy);
  if (dpor->finished) return;
  interlock_dpor_frame *frame = &dpor->frames[dpor->depth];
  uint32_t self = frame->thread;
  if (dpor->depth < dpor->repeated) {
    if (count != frame->record->operation_count ||
        memcmp(operations, frame->record->operations, count * sizeof *operations) != 0) {
      interlock_dpor_abandon(dpor, "the program is not deterministic: a step did something else");
      return;
    }
  } else {
    frame->previous = dpor->last_step[self];
    frame->own = (uint16_t)(dpor->steps_taken[self] + 1);
    if (!record(dpor, frame, operations, count)) return;
    order(dpor, frame);
  }
  dpor->steps_taken[self]++;
  dpor->last_step[self] = (int32_t)dpor->depth;
  dpor->depth++;
}

static void end(interlock_strategy *strategy, interlock_execution_end end,
                const interlock_exploration_state *last) {
  interlock_dpor *dpor = of(strategy);
  if (dpor->finished) return;
  if (end == INTERLOCK_EXECUTION_CUT) {
    dpor->statistics.cut++;
  } else if (interlock_dpor_is_own(dpor)) {
    dpor->statistics.executions++;
    if (dpor->jobs && dpor->part) interlock_job_count(dpor->jobs, dpor->part);
  }
  if (end == INTERLOCK_EXECUTION_LIMITED && !dpor->statistics.incomplete) {
    dpor->statistics.incomplete = "an execution reached a limit";
  }
  if (last && !interlock_dpor_note_threads(dpor, last)) return;
  // If the execution was cut off, the frames above `depth` have no step.
  while (dpor->open > dpor->depth) interlock_dpor_clear_frame(&dpor->frames[--dpor->open]);
  interlock_dpor_reverse_races(dpor, last);
  if (!dpor->finished && !interlock_dpor_backtrack(dpor)) dpor->finished = true;
}

static bool is_own(interlock_strategy *strategy) { return interlock_dpor_is_own(of(strategy)); }

static bool is_complete(const interlock_strategy *strategy) {
  const interlock_dpor *dpor = (const interlock_dpor *)strategy;
  return dpor->started && dpor->finished && !dpor->statistics.incomplete;
}

interlock_dpor_statistics interlock_dpor_get_statistics(const interlock_strategy *strategy) {
  return ((const interlock_dpor *)strategy)->statistics;
}

static void destroy(interlock_strategy *strategy) {
  interlock_dpor *dpor = of(strategy);
  while (dpor->open) interlock_dpor_clear_frame(&dpor->frames[--dpor->open]);
  interlock_step_memory_clear(&dpor->memory);
  free(dpor->frames);
  free(dpor->sequence);
  free(dpor->sequence_steps);
  free(dpor->steps);
  free(dpor->chosen);
  free(dpor);
}

interlock_strategy *interlock_dpor_create(interlock_dpor_options options) {
  interlock_dpor *dpor = calloc(1, sizeof *dpor);
  if (!dpor) return NULL;
  dpor->options = options;
  dpor->strategy = (interlock_strategy){.name = "dpor", .begin = begin, .choose = choose,
                                        .pick = pick, .pick_useful = pick_useful,
                                        .orders = orders, .performed = performed,
                                        .is_own = is_own, .end = end,
                                        .is_complete = is_complete, .destroy = destroy};
  return &dpor->strategy;
}
