// Optimal DPOR: the frames of the stack.

#include "dpor.h"

#include <stdlib.h>
#include <string.h>

void interlock_dpor_explored_release(interlock_dpor_explored *explored) {
  if (!explored || --explored->references) return;
  interlock_step_record_release(explored->record);
  free(explored->walks);
  interlock_step_memory_give(explored);
}

void interlock_dpor_wake_all(interlock_dpor_frame *frame) {
  for (uint64_t left = frame->asleep; left; left &= left - 1) {
    interlock_dpor_explored_release(frame->sleeping[__builtin_ctzll(left)]);
  }
  frame->asleep = 0;
}

void interlock_dpor_clear_frame(interlock_dpor_frame *frame) {
  interlock_step_record_release(frame->record);
  interlock_step_record_release(frame->pending);
  interlock_dpor_explored_release(frame->explored);
  interlock_dpor_wake_all(frame);
  while (frame->children) {
    interlock_wakeup_node *node = frame->children;
    frame->children = node->next_sibling;
    interlock_wakeup_node_destroy(node);
  }
  while (frame->variants) {
    interlock_dpor_variant *variant = frame->variants;
    frame->variants = variant->next;
    free(variant);
  }
}

static interlock_known_objects note_objects(const interlock_operation *operations, size_t count,
                                            interlock_known_objects known) {
  for (size_t i = 0; i < count; i++) {
    interlock_effect effects[2];
    unsigned effect_count = interlock_effects(&operations[i], effects);
    for (unsigned k = 0; k < effect_count; k++) {
      uint32_t object = effects[k].object;
      if (object == UINT32_MAX) continue;  // the clock
      uint32_t *highest = object < INTERLOCK_FIRST_LIBRARY_OBJECT ? &known.own : &known.library;
      if (object > *highest) *highest = object;
    }
  }
  return known;
}

// Fills the sleep set: a thread stays asleep while no taken step depends on its step.
static void inherit(interlock_dpor *dpor, interlock_dpor_frame *frame) {
  if (dpor->depth == 0) return;
  interlock_dpor_frame *before = &dpor->frames[dpor->depth - 1];
  for (uint64_t left = before->asleep; left; left &= left - 1) {
    unsigned thread = (unsigned)__builtin_ctzll(left);
    interlock_dpor_explored *explored = before->sleeping[thread];
    if (interlock_dpor_wakes(dpor, explored)) continue;
    frame->asleep |= 1ull << thread;
    frame->sleeping[thread] = explored;
    explored->references++;
  }
  frame->children = before->children->first_child;
  before->children->first_child = NULL;
}

// Makes room for one more step in every list with an element for each step.
static bool grow(interlock_dpor *dpor) {
  uint32_t capacity = dpor->capacity ? dpor->capacity * 2 : 64;
  struct {
    void **elements;
    size_t size;
  } lists[] = {
      {(void **)&dpor->frames, sizeof *dpor->frames},
      {(void **)&dpor->sequence, sizeof *dpor->sequence},
      {(void **)&dpor->sequence_steps, sizeof *dpor->sequence_steps},
      {(void **)&dpor->steps, sizeof *dpor->steps},
      {(void **)&dpor->chosen, sizeof *dpor->chosen},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    // One more element, because a sequence also holds the reversed step.
    void *larger = realloc(*lists[i].elements, lists[i].size * (capacity + 1));
    if (!larger) return false;
    *lists[i].elements = larger;
  }
  dpor->capacity = capacity;
  return true;
}

bool interlock_dpor_open_frame(interlock_dpor *dpor, const interlock_exploration_state *state,
                               uint64_t enabled) {
  if (dpor->depth == INTERLOCK_DPOR_STEPS) {
    interlock_dpor_abandon(dpor, "more than 4,096 steps");
    return false;
  }
  if (dpor->depth == dpor->capacity && !grow(dpor)) {
    interlock_dpor_abandon(dpor, "no memory");
    return false;
  }
  interlock_dpor_frame *frame = &dpor->frames[dpor->depth];
  memset(frame, 0, sizeof *frame);
  frame->enabled = enabled;
  inherit(dpor, frame);
  dpor->open++;
  frame->known_objects = interlock_all_objects_known;
  if (!dpor->options.objects_keep_their_numbers) {
    interlock_known_objects known = {0, 0};
    if (dpor->depth > 0) {
      const interlock_dpor_frame *before = frame - 1;
      known = note_objects(before->record->operations, before->record->operation_count,
                             before->known_objects);
    }
    frame->known_objects = note_objects(state->pending, state->threads, known);
  }
  return !interlock_dpor_is_sharded(dpor) || interlock_dpor_open_in_shard(dpor, frame, state);
}
