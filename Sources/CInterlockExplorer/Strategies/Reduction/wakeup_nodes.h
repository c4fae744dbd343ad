/// Wake-up trees: the prefixes of executions that are still to be run from a state. Included by
/// `Strategies/` only.
///
/// Source: Abdulla, Aronis, Jonsson, Sagonas, "Source Sets: A Foundation for Optimal Dynamic
/// Partial Order Reduction", J. ACM 64(4), 2017, section 6.
#ifndef INTERLOCK_WAKEUP_NODES_H
#define INTERLOCK_WAKEUP_NODES_H

#include "step_record.h"

enum { INTERLOCK_MAX_PICKS = 7 };

/// The values that `pick` returned in a step, in order. Steps with different picks are different
/// steps.
typedef struct {
  uint8_t count;
  uint8_t values[INTERLOCK_MAX_PICKS];
} interlock_picks;

static inline bool interlock_picks_equal(const interlock_picks *a, const interlock_picks *b) {
  if (a->count != b->count) return false;
  for (unsigned i = 0; i < a->count; i++) {
    if (a->values[i] != b->values[i]) return false;
  }
  return true;
}

/// A step that is to run: a step of the last execution, or the later step of a race. For the latter
/// only the first operation is known, because the step will run after other steps than before.
typedef struct {
  uint32_t thread;
  bool is_reversed;
  /// The number of the thread's steps, this step included.
  uint16_t own;
  interlock_picks picks;
  interlock_step_record *record;
} interlock_sequence_step;

/// A sequence that waits until a reversed step has run, which decides whether that step's branch
/// covers the sequence.
typedef struct interlock_deferred_sequence {
  struct interlock_deferred_sequence *next;
  interlock_known_objects known_objects;
  uint32_t count;
  interlock_sequence_step steps[];
} interlock_deferred_sequence;

typedef struct interlock_wakeup_node {
  uint32_t thread;
  /// True for the later step of a race. Such a node is a leaf.
  bool is_reversed;
  /// The objects known where the branch begins.
  interlock_known_objects known_objects;
  interlock_picks picks;
  interlock_step_record *record;
  interlock_deferred_sequence *deferred;
  struct interlock_wakeup_node *first_child, *next_sibling;
} interlock_wakeup_node;

/// Returns a leaf that retains `record`, which may be NULL; or NULL without memory.
interlock_wakeup_node *interlock_wakeup_node_create(interlock_step_memory *memory, uint32_t thread,
                                                    interlock_picks picks,
                                                    interlock_step_record *record);

/// Destroys a node with everything below it, but not its siblings.
void interlock_wakeup_node_destroy(interlock_wakeup_node *node);

/// Keeps a copy of the sequence at `node`. Returns false without memory.
bool interlock_wakeup_node_defer(interlock_wakeup_node *node, const interlock_sequence_step *steps,
                                 uint32_t count, interlock_known_objects known_objects);

void interlock_deferred_sequence_destroy(interlock_deferred_sequence *sequence);

/// Appends `node` to the list of siblings that `*first` begins.
void interlock_wakeup_node_append(interlock_wakeup_node **first, interlock_wakeup_node *node);

#endif
