// Optimal DPOR: insertion into wake-up trees, and the way to the next execution.

#include "dpor.h"

#include <stdlib.h>

enum { NOT_FIRST = -2, ABSENT = -1 };

// True if nothing in the sequence happens before its element `at`.
static bool is_initial(const interlock_dpor *dpor, const interlock_dpor_element *sequence,
                       uint32_t at, const uint16_t *before_reversed) {
  const interlock_dpor_element *element = &sequence[at];
  const uint16_t *clock =
      element->is_reversed ? before_reversed : dpor->frames[element->step].clock;
  for (uint32_t i = 0; i < at; i++) {
    const interlock_dpor_frame *earlier = &dpor->frames[sequence[i].step];
    if (clock[earlier->thread] >= earlier->own) return false;
    if (element->is_reversed && interlock_steps_depend(element->record, earlier->record)) {
      return false;
    }
  }
  return true;
}

// Whether a step of `thread` that does `record` can begin an execution equivalent to the sequence
// or to an extension of it: its place in the sequence, or ABSENT if it is not in it and
// commutes with all of it; else NOT_FIRST ("weak initials" in the paper). Of a reversed step only
// the first operation counts. Taking too few operations into account loses nothing: the race
// shows in the branch that was taken to cover the sequence.
static int32_t weak_initial(const interlock_dpor *dpor, uint32_t thread,
                            const interlock_step_record *record, uint32_t known_objects,
                            const interlock_dpor_element *sequence, uint32_t count,
                            const uint16_t *before_reversed) {
  uint32_t at = 0;
  while (at < count && sequence[at].thread != thread) at++;
  if (at < count && !is_initial(dpor, sequence, at, before_reversed)) return NOT_FIRST;
  if (at < count && !sequence[at].is_reversed) return (int32_t)at;
  for (uint32_t i = 0; i < at; i++) {
    if (interlock_steps_may_depend(record, sequence[i].record, known_objects)) return NOT_FIRST;
  }
  return at < count ? (int32_t)at : ABSENT;
}

static bool add_branch(const interlock_dpor *dpor, interlock_wakeup_node **children,
                       const interlock_dpor_element *sequence, uint32_t count,
                       uint32_t known_objects) {
  for (uint32_t i = 0; i < count; i++) {
    const interlock_dpor_element *element = &sequence[i];
    interlock_picks picks = {0};
    if (!element->is_reversed) picks = dpor->frames[element->step].picks;
    interlock_wakeup_node *node =
        interlock_wakeup_node_create(element->thread, picks, element->record);
    if (!node) return false;
    node->is_reversed = element->is_reversed;
    node->known_objects = known_objects;
    interlock_wakeup_node_append(children, node);
    children = &node->first_child;
  }
  return true;
}

void interlock_dpor_insert(interlock_dpor *dpor, uint32_t at, interlock_dpor_element *sequence,
                           uint32_t count, const uint16_t *before_reversed) {
  interlock_dpor_frame *frame = &dpor->frames[at];
  for (uint64_t left = frame->asleep; left; left &= left - 1) {
    unsigned thread = (unsigned)__builtin_ctzll(left);
    const interlock_step_record *record = frame->sleeping[thread];
    if (weak_initial(dpor, thread, record, record->known_objects, sequence, count,
                     before_reversed) != NOT_FIRST) {
      return;
    }
  }
  // The first branch is the one that ran: the race excludes it.
  interlock_wakeup_node **children = &frame->children->next_sibling;
  for (;;) {
    interlock_wakeup_node *node = *children;
    int32_t place = NOT_FIRST;
    for (; node; node = node->next_sibling) {
      place = weak_initial(dpor, node->thread, node->record, node->known_objects, sequence, count,
                           before_reversed);
      if (place == NOT_FIRST) continue;
      if (place < 0 || node->is_reversed || sequence[place].is_reversed) break;
      if (interlock_picks_equal(&node->picks, &dpor->frames[sequence[place].step].picks)) break;
    }
    if (!node) break;
    if (place >= 0) {
      count--;
      for (uint32_t i = (uint32_t)place; i < count; i++) sequence[i] = sequence[i + 1];
    }
    if (!node->first_child || count == 0) return;
    children = &node->first_child;
  }
  if (!add_branch(dpor, children, sequence, count, frame->known_objects)) interlock_dpor_abandon(dpor, "no memory");
}

// A beginning of picks that no explored variant has, or false.
static bool next_variant(const interlock_dpor_frame *frame, interlock_picks *picks) {
  for (const interlock_dpor_variant *from = frame->variants; from; from = from->next) {
    for (unsigned at = from->picks.count; at-- > 0;) {
      *picks = from->picks;
      picks->count = (uint8_t)(at + 1);
      for (unsigned value = 0; value < from->counts[at]; value++) {
        picks->values[at] = (uint8_t)value;
        bool is_known = false;
        for (const interlock_dpor_variant *v = frame->variants; v && !is_known; v = v->next) {
          interlock_picks beginning = v->picks;
          if (beginning.count > at + 1) beginning.count = (uint8_t)(at + 1);
          is_known = interlock_picks_equal(&beginning, picks);
        }
        if (!is_known) return true;
      }
    }
  }
  return false;
}

static bool note_variant(interlock_dpor_frame *frame) {
  interlock_step_record *record = frame->variants_record;
  if (!record) {
    frame->variants_record = interlock_step_record_retain(frame->record);
  } else {
    frame->variants_record = interlock_step_record_union(record, frame->record);
    interlock_step_record_release(record);
  }
  if (!frame->picks.count) return frame->variants_record;
  interlock_dpor_variant *variant = malloc(sizeof *variant);
  if (!variant) return false;
  *variant = (interlock_dpor_variant){.picks = frame->picks, .next = frame->variants};
  for (unsigned i = 0; i < frame->picks.count; i++) variant->counts[i] = frame->pick_counts[i];
  frame->variants = variant;
  return frame->variants_record;
}

static bool is_explored(const interlock_dpor_frame *frame, const interlock_wakeup_node *node) {
  if (!frame->variants || node->is_reversed) return true;
  for (const interlock_dpor_variant *v = frame->variants; v; v = v->next) {
    if (interlock_picks_equal(&v->picks, &node->picks)) return true;
  }
  return false;
}

// The explored child makes room for another variant of its thread, if there is one.
static bool next_of_thread(interlock_dpor *dpor, interlock_dpor_frame *frame, uint32_t thread) {
  for (interlock_wakeup_node **place = &frame->children; *place;) {
    interlock_wakeup_node *node = *place;
    if (node->thread != thread) {
      place = &node->next_sibling;
      continue;
    }
    *place = node->next_sibling;
    if (!is_explored(frame, node)) {
      node->next_sibling = frame->children;
      frame->children = node;
      return true;
    }
    interlock_wakeup_node_destroy(node);
  }
  interlock_picks picks;
  if (!next_variant(frame, &picks)) return false;
  interlock_wakeup_node *node = interlock_wakeup_node_create(thread, picks, NULL);
  if (!node) {
    interlock_dpor_abandon(dpor, "no memory");
    return false;
  }
  node->next_sibling = frame->children;
  frame->children = node;
  return true;
}

bool interlock_dpor_backtrack(interlock_dpor *dpor) {
  while (dpor->open > 0) {
    interlock_dpor_frame *frame = &dpor->frames[dpor->open - 1];
    dpor->repeated = dpor->open - 1;
    uint32_t thread = frame->thread;
    if (!note_variant(frame)) {
      interlock_dpor_abandon(dpor, "no memory");
      return false;
    }
    interlock_wakeup_node *explored = frame->children;
    frame->children = explored->next_sibling;
    interlock_wakeup_node_destroy(explored);
    if (next_of_thread(dpor, frame, thread)) return true;
    if (dpor->finished) return false;
    frame->asleep |= 1ull << thread;
    frame->sleeping[thread] = frame->variants_record;
    frame->variants_record = NULL;
    while (frame->variants) {
      interlock_dpor_variant *variant = frame->variants;
      frame->variants = variant->next;
      free(variant);
    }
    if (frame->children) return true;
    interlock_dpor_clear_frame(frame);
    dpor->open--;
  }
  return false;
}
