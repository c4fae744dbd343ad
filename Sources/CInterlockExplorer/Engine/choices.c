// The choices and the steps of the running execution, and choices of a value.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#define ENGINE interlock_the_engine

void interlock_engine_note_choice(uint32_t choice) {
  if (ENGINE.shown_choices && ENGINE.choices.count == ENGINE.choices.room) {
    interlock_execution_fail(INTERLOCK_EXPLORED_LIVELOCK,
                             "the execution reached the limit of choices");
    return;
  }
  INTERLOCK_PUSH(&ENGINE.choices, choice);
  if (ENGINE.shown_choices) *ENGINE.shown_choices = ENGINE.choices.count;
}

void interlock_engine_note_step(const interlock_exploration_step *step) {
  INTERLOCK_PUSH(&ENGINE.trace, *step);
  if (ENGINE.shown_steps) *ENGINE.shown_steps = ENGINE.trace.count;
}

static uint32_t pick_of(interlock_strategy *strategy, uint32_t count, uint64_t useful) {
  bool is_asked = strategy->pick_useful && useful != UINT64_MAX;
  return is_asked ? strategy->pick_useful(strategy, count, useful)
                  : strategy->pick(strategy, count);
}

uint32_t interlock_pick_useful(uint32_t count, uint64_t useful) {
  if (count <= 1 || ENGINE.is_warming_up) return 0;
  if (ENGINE.is_cut) {
    interlock_engine_note_choice(0);
    return 0;
  }
  if (ENGINE.is_repeating) {
    if (ENGINE.next_repeated == ENGINE.repeated.count) return 0;
    uint32_t repeated = ENGINE.repeated.items[ENGINE.next_repeated++];
    return repeated < count ? repeated : 0;
  }
  interlock_marks.hidden++;
  uint32_t picked = pick_of(ENGINE.strategy, count, useful);
  if (picked >= count) picked = 0;
  interlock_engine_note_choice(picked);
  ENGINE.choice_count++;
  interlock_marks.hidden--;
  return picked;
}

uint32_t interlock_pick(uint32_t count) { return interlock_pick_useful(count, UINT64_MAX); }

#endif
