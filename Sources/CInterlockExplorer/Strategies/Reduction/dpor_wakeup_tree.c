// Optimal DPOR: insertion into wake-up trees, and backtracking to the next execution.

#include "dpor.h"

#include <stdlib.h>

enum { NOT_FIRST = -2, ABSENT = -1 };

// Decides whether the step `record` of `thread` can begin an execution equivalent to the sequence
// or to an extension of it ("weak initials" in the paper). Returns the step's index in the
// sequence; ABSENT if the step is not in the sequence and commutes with all of it; otherwise
// NOT_FIRST. The thread exists, so only a dependency can order a step of the sequence before the
// thread's first.
static int32_t weak_initial(uint32_t thread, const interlock_step_record *record,
                            interlock_known_objects known_objects,
                            const interlock_sequence_step *sequence, uint32_t count) {
  uint32_t at = 0;
  while (at < count && sequence[at].thread != thread) at++;
  if (at < count) {
    for (uint32_t i = 0; i < at; i++) {
      if (interlock_steps_depend(sequence[at].record, sequence[i].record)) return NOT_FIRST;
    }
    if (!sequence[at].is_reversed) return (int32_t)at;
  }
  // For a reversed last step, only its first operation is compared. If its other operations depend
  // on the record, the branch taken to cover the sequence will show a race with it.
  for (uint32_t i = 0; i < at; i++) {
    if (interlock_steps_may_depend(record, sequence[i].record, known_objects)) return NOT_FIRST;
  }
  return at < count ? (int32_t)at : ABSENT;
}

// True if the executions that began with the step of a sleeping thread cover the sequence. They
// have all been run, so `dependents` shows whether any part of the reversed last step depends on
// that step.
static bool covers(const interlock_dpor_explored *explored, uint32_t thread,
                   const interlock_sequence_step *sequence, uint32_t count,
                   interlock_known_objects known_objects) {
  interlock_known_objects known =
      interlock_known_at_both(explored->record->known_objects, known_objects);
  int32_t place = weak_initial(thread, explored->record, known, sequence, count);
  const interlock_sequence_step *last = &sequence[count - 1];
  if (place != ABSENT || !last->is_reversed) return place != NOT_FIRST;
  uint32_t bit = interlock_dpor_dependent_bit(last->thread, last->own);
  return !(explored->dependents[bit / 64] >> bit % 64 & 1);
}

static bool add_branch(interlock_dpor *dpor, interlock_wakeup_node **children,
                       const interlock_sequence_step *sequence, uint32_t count,
                       interlock_known_objects known_objects) {
  for (uint32_t i = 0; i < count; i++) {
    interlock_wakeup_node *node = interlock_wakeup_node_create(
        &dpor->memory, sequence[i].thread, sequence[i].picks, sequence[i].record);
    if (!node) return false;
    node->is_reversed = sequence[i].is_reversed;
    node->known_objects = known_objects;
    interlock_wakeup_node_append(children, node);
    children = &node->first_child;
  }
  return true;
}

// Returns the first of the siblings that covers the sequence or may cover it; NULL for none.
static interlock_wakeup_node *covering(interlock_wakeup_node *node,
                                       const interlock_sequence_step *sequence, uint32_t count,
                                       interlock_known_objects known_objects, int32_t *place) {
  for (; node; node = node->next_sibling) {
    interlock_known_objects known = interlock_known_at_both(node->known_objects, known_objects);
    *place = weak_initial(node->thread, node->record, known, sequence, count);
    if (*place == NOT_FIRST) continue;
    if (*place < 0 || node->is_reversed || sequence[*place].is_reversed) return node;
    if (interlock_picks_equal(&node->picks, &sequence[*place].picks)) return node;
  }
  return NULL;
}

static void insert_into_tree(interlock_dpor *dpor, interlock_wakeup_node **children,
                             interlock_sequence_step *sequence, uint32_t count,
                             interlock_known_objects known_objects) {
  int32_t place;
  for (interlock_wakeup_node *node;
       (node = covering(*children, sequence, count, known_objects, &place));
       children = &node->first_child) {
    if (node->is_reversed && place != 0) {
      // Defer the sequence: the node's other operations are not known yet, and may depend on the
      // sequence.
      if (!interlock_wakeup_node_defer(node, sequence, count, known_objects)) {
        interlock_dpor_abandon(dpor, "no memory");
      }
      return;
    }
    if (place >= 0) {
      count--;
      for (uint32_t i = (uint32_t)place; i < count; i++) sequence[i] = sequence[i + 1];
    }
    if (!node->first_child || count == 0) return;
  }
  if (!add_branch(dpor, children, sequence, count, known_objects)) {
    interlock_dpor_abandon(dpor, "no memory");
  }
}

void interlock_dpor_insert(interlock_dpor *dpor, uint32_t at, interlock_sequence_step *sequence,
                           uint32_t count, interlock_known_objects known_objects) {
  interlock_dpor_frame *frame = &dpor->frames[at];
  // At the top, every thread has its branch already.
  if (frame->is_top) return;
  for (uint64_t left = frame->asleep; left; left &= left - 1) {
    unsigned thread = (unsigned)__builtin_ctzll(left);
    if (covers(frame->sleeping[thread], thread, sequence, count, known_objects)) return;
  }
  // Skip the first branch, which is the step that ran: the race excludes it.
  insert_into_tree(dpor, &frame->children->next_sibling, sequence, count, known_objects);
}

void interlock_dpor_settle(interlock_dpor *dpor, interlock_wakeup_node *node,
                           const interlock_step_record *record) {
  while (node->deferred) {
    interlock_deferred_sequence *deferred = node->deferred;
    node->deferred = deferred->next;
    interlock_known_objects known =
        interlock_known_at_both(deferred->known_objects, node->known_objects);
    if (!record || weak_initial(node->thread, record, known, deferred->steps, deferred->count) ==
                       NOT_FIRST) {
      // Threads that fell asleep since the sequence was deferred do not cover it, because their
      // branches come before it in the tree.
      for (uint32_t i = 0; i < deferred->count; i++) dpor->sequence[i] = deferred->steps[i];
      insert_into_tree(dpor, &node->next_sibling, dpor->sequence, deferred->count,
                       deferred->known_objects);
    }
    interlock_deferred_sequence_destroy(deferred);
  }
}

// Finds a prefix of picks that no explored variant has. Returns false if there is none.
static bool next_variant(const interlock_dpor_frame *frame, interlock_picks *picks) {
  for (const interlock_dpor_variant *from = frame->variants; from; from = from->next) {
    for (unsigned at = from->picks.count; at-- > 0;) {
      *picks = from->picks;
      picks->count = (uint8_t)(at + 1);
      for (unsigned value = 0; value < from->counts[at]; value++) {
        if (value < 64 && !(from->useful[at] >> value & 1)) continue;
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
  if (!frame->picks.count) return true;
  interlock_dpor_variant *variant = malloc(sizeof *variant);
  if (!variant) return false;
  *variant = (interlock_dpor_variant){.picks = frame->picks, .next = frame->variants};
  for (unsigned i = 0; i < frame->picks.count; i++) {
    variant->counts[i] = frame->pick_counts[i];
    variant->useful[i] = frame->pick_useful[i];
  }
  frame->variants = variant;
  return true;
}

static bool is_explored(const interlock_dpor_frame *frame, const interlock_wakeup_node *node) {
  if (!frame->variants || node->is_reversed) return true;
  for (const interlock_dpor_variant *v = frame->variants; v; v = v->next) {
    if (interlock_picks_equal(&v->picks, &node->picks)) return true;
  }
  return false;
}

// Replaces the explored child by another variant of its thread. Returns false if there is none.
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
    node->next_sibling = frame->children;
    interlock_dpor_settle(dpor, node, frame->explored->record);
    frame->children = node->next_sibling;
    interlock_wakeup_node_destroy(node);
  }
  interlock_picks picks;
  if (!next_variant(frame, &picks)) return false;
  interlock_wakeup_node *node = interlock_wakeup_node_create(&dpor->memory, thread, picks, NULL);
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
    frame->sleeping[thread] = frame->explored;
    frame->explored = NULL;
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
