// Optimal DPOR: the races of an execution. Two dependent steps race if the later one could have
// been performed first, and no step that happens between them explains their order. A release
// before an acquire explains nothing: the race is between the acquire before the release and the
// later acquire. Operations that are blocked at the end of an execution race like steps that ran.

#include "dpor.h"

#include <string.h>

static void join(uint16_t *clock, const uint16_t *other) {
  for (unsigned i = 0; i < INTERLOCK_DPOR_THREADS; i++) {
    if (other[i] > clock[i]) clock[i] = other[i];
  }
}

static bool happens_before(const interlock_dpor_frame *frame, const uint16_t *clock) {
  return clock[frame->thread] >= frame->own;
}

static void note_steps(interlock_dpor *dpor) {
  if (dpor->has_steps) return;
  dpor->has_steps = true;
  for (uint32_t i = 0; i < dpor->depth; i++) {
    const interlock_dpor_frame *frame = &dpor->frames[i];
    uint32_t after = i + 1 < dpor->depth ? frame[1].engine_threads : dpor->engine_threads;
    dpor->steps[i] = (interlock_step){.thread = frame->engine_thread,
                                      .first_made = frame->engine_threads,
                                      .made = after - frame->engine_threads,
                                      .operations = frame->record->operations,
                                      .count = frame->record->operation_count};
  }
}

/// The later step of a race. For an operation that never ran, `step` is the number of steps. It
/// races with steps before `limit`.
typedef struct {
  uint32_t step, limit, thread;
  uint16_t own;
  int32_t previous;
  interlock_step_record *pending;
  /// The clock of the thread before the step.
  const uint16_t *before;
} later_step;

static bool is_begin(const interlock_operation *operation) {
  return operation->kind == INTERLOCK_OPERATION_BEGIN ||
         operation->kind == INTERLOCK_OPERATION_BEGIN_BARRIER;
}

// Decides whether the later step could run after the first `at` steps of the execution and the
// sequence.
static interlock_enabledness could_run(interlock_dpor *dpor, const later_step *later, uint32_t at,
                                       const interlock_sequence_step *sequence, uint32_t count) {
  const interlock_operation *pending = &later->pending->operations[0];
  if (!interlock_operation_blocks(pending)) return INTERLOCK_ENABLED;
  bool was_pending = later->previous < (int32_t)at;
  bool was_enabled = dpor->frames[at].enabled >> later->thread & 1;
  bool is_untouched = true;
  for (uint32_t i = 0; i < count && is_untouched; i++) {
    is_untouched = !interlock_steps_depend(later->pending, sequence[i].record);
  }
  bool shows_all = !is_begin(pending) || !(pending->flags & INTERLOCK_OPERATION_NESTED);
  if (was_pending && is_untouched && shows_all) {
    return was_enabled ? INTERLOCK_ENABLED : INTERLOCK_DISABLED;
  }
  // An exact time would not come while the first step could be taken.
  if (pending->kind == INTERLOCK_OPERATION_TIME_UP) return INTERLOCK_DISABLED;
  note_steps(dpor);
  for (uint32_t i = 0; i < at; i++) dpor->chosen[i] = i;
  for (uint32_t i = 0; i < count; i++) dpor->chosen[at + i] = dpor->sequence_steps[i];
  return interlock_enabled_after(dpor->steps, dpor->depth, dpor->chosen, at + count,
                                 dpor->engine_number[later->thread], pending);
}

// Leaves out the steps that hold the later step up and need not come before it.
static uint32_t leave_out_holders(interlock_dpor *dpor, const later_step *later,
                                  interlock_sequence_step *sequence, uint32_t count) {
  uint32_t kept = 0;
  interlock_dpor_clock left_out = {0};
  for (uint32_t i = 0; i < count; i++) {
    const interlock_dpor_frame *frame = &dpor->frames[dpor->sequence_steps[i]];
    bool leave_out = interlock_steps_depend(later->pending, frame->record) &&
                     !happens_before(frame, later->before);
    // A step that happens after a left-out step is left out, too. `left_out` has the first such
    // step of each thread.
    for (unsigned t = 0; t < INTERLOCK_DPOR_THREADS && !leave_out; t++) {
      leave_out = left_out[t] && frame->clock[t] >= left_out[t];
    }
    if (leave_out) {
      if (!left_out[frame->thread]) left_out[frame->thread] = frame->own;
    } else {
      sequence[kept] = sequence[i];
      dpor->sequence_steps[kept++] = dpor->sequence_steps[i];
    }
  }
  return kept;
}

// Collects the steps that do not happen after step `at`, except the later step.
static uint32_t collect(interlock_dpor *dpor, uint32_t at, const later_step *later) {
  const interlock_dpor_frame *first = &dpor->frames[at];
  uint32_t count = 0;
  for (uint32_t i = at + 1; i < dpor->depth; i++) {
    const interlock_dpor_frame *frame = &dpor->frames[i];
    if (i == later->step || happens_before(first, frame->clock)) continue;
    dpor->sequence_steps[count] = i;
    dpor->sequence[count++] = (interlock_sequence_step){
        .thread = frame->thread, .own = frame->own, .picks = frame->picks, .record = frame->record};
  }
  return count;
}

static void insert_reversal(interlock_dpor *dpor, uint32_t at, const later_step *later,
                            uint32_t count) {
  dpor->sequence[count++] = (interlock_sequence_step){
      .thread = later->thread, .is_reversed = true, .own = later->own, .record = later->pending};
  interlock_dpor_insert(dpor, at, dpor->sequence, count, dpor->frames[at].known_objects);
}

// Reverses the race of step `at` and `later`: runs all steps that do not happen after `at`, then
// `later`. Returns false if `later` cannot run without step `at`.
static bool reverse(interlock_dpor *dpor, uint32_t at, const later_step *later) {
  uint32_t count = collect(dpor, at, later);
  interlock_enabledness whole = could_run(dpor, later, at, dpor->sequence, count);
  if (whole == INTERLOCK_ENABLED) {
    insert_reversal(dpor, at, later, count);
    return true;
  }
  // In doubt, insert both sequences: a superfluous order costs an execution, a missing order loses
  // a bug.
  uint32_t kept = leave_out_holders(dpor, later, dpor->sequence, count);
  bool is_reversed =
      kept < count && could_run(dpor, later, at, dpor->sequence, kept) != INTERLOCK_DISABLED;
  if (is_reversed) insert_reversal(dpor, at, later, kept);
  if (whole == INTERLOCK_ENABLEDNESS_UNKNOWN) {
    insert_reversal(dpor, at, later, collect(dpor, at, later));
  }
  return is_reversed;
}

static void reverse_races_of(interlock_dpor *dpor, const later_step *later,
                             const interlock_step_record *record) {
  interlock_dpor_clock explained;
  memcpy(explained, later->before, sizeof explained);
  for (uint32_t i = later->limit; i-- > 0;) {
    const interlock_dpor_frame *frame = &dpor->frames[i];
    if (frame->thread == later->thread || happens_before(frame, explained)) continue;
    if (!interlock_steps_depend(frame->record, record)) continue;
    if (reverse(dpor, i, later)) join(explained, frame->clock);
  }
}

// Reverses the races of an operation that was pending at the end, or until the step before `limit`
// withdrew it.
static void reverse_races_of_waiting(interlock_dpor *dpor, uint32_t thread,
                                     const interlock_operation *operation, uint32_t limit) {
  static const interlock_dpor_clock zero;
  interlock_step_record *pending =
      interlock_step_record_create(&dpor->memory, operation, 1, interlock_all_objects_known);
  if (!pending) {
    interlock_dpor_abandon(dpor, "no memory");
    return;
  }
  int32_t previous = dpor->last_step[thread];
  uint16_t own = (uint16_t)(dpor->steps_taken[thread] + 1);
  later_step later = {dpor->depth, limit, thread, own, previous, pending,
                      previous < 0 ? zero : dpor->frames[previous].clock};
  uint32_t bit = interlock_dpor_dependent_bit(thread, own);
  for (uint32_t i = 0; i < limit; i++) {
    if (!interlock_steps_depend(dpor->frames[i].record, pending)) continue;
    dpor->frames[i].explored->dependents[bit / 64] |= 1ull << bit % 64;
  }
  reverse_races_of(dpor, &later, pending);
  interlock_step_record_release(pending);
}

void interlock_dpor_reverse_races(interlock_dpor *dpor, const interlock_exploration_state *last) {
  static const interlock_dpor_clock zero;
  dpor->has_steps = false;
  for (uint32_t i = 1; i < dpor->depth; i++) {
    const interlock_dpor_frame *frame = &dpor->frames[i];
    later_step later = {i, i, frame->thread, frame->own, frame->previous, frame->pending,
                        frame->previous < 0 ? zero : dpor->frames[frame->previous].clock};
    reverse_races_of(dpor, &later, frame->record);
  }
  for (uint32_t i = 0; i < dpor->withdrawn_count; i++) {
    reverse_races_of_waiting(dpor, dpor->withdrawn[i].thread, &dpor->withdrawn[i].operation,
                             dpor->withdrawn[i].step + 1);
  }
  uint32_t next_enabled = 0;
  for (uint32_t number = 0; last && number < last->threads; number++) {
    bool enabled = next_enabled < last->enabled_count && last->enabled[next_enabled] == number;
    next_enabled += enabled;
    if (enabled || !last->pending[number].kind) continue;
    reverse_races_of_waiting(dpor, dpor->identity[number], &last->pending[number], dpor->depth);
  }
}
