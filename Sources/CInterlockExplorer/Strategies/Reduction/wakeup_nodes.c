#include "wakeup_nodes.h"

#include <stdlib.h>

interlock_wakeup_node *interlock_wakeup_node_create(interlock_step_memory *memory, uint32_t thread,
                                                    interlock_picks picks,
                                                    interlock_step_record *record) {
  interlock_wakeup_node *node = interlock_step_memory_take(memory, sizeof *node);
  if (!node) return NULL;
  *node = (interlock_wakeup_node){
      .thread = thread, .picks = picks, .record = interlock_step_record_retain(record)};
  return node;
}

void interlock_wakeup_node_destroy(interlock_wakeup_node *node) {
  // Recurses only where the tree branches, because chains are as long as executions.
  while (node) {
    interlock_wakeup_node *child = node->first_child;
    while (child && child->next_sibling) {
      interlock_wakeup_node *next = child->next_sibling;
      interlock_wakeup_node_destroy(child);
      child = next;
    }
    while (node->deferred) {
      interlock_deferred_sequence *sequence = node->deferred;
      node->deferred = sequence->next;
      interlock_deferred_sequence_destroy(sequence);
    }
    interlock_step_record_release(node->record);
    interlock_step_memory_give(node);
    node = child;
  }
}

bool interlock_wakeup_node_defer(interlock_wakeup_node *node, const interlock_sequence_step *steps,
                                 uint32_t count, interlock_known_objects known_objects) {
  interlock_deferred_sequence *sequence = malloc(sizeof *sequence + sizeof *steps * count);
  if (!sequence) return false;
  *sequence = (interlock_deferred_sequence){
      .next = node->deferred, .known_objects = known_objects, .count = count};
  for (uint32_t i = 0; i < count; i++) {
    sequence->steps[i] = steps[i];
    interlock_step_record_retain(steps[i].record);
  }
  node->deferred = sequence;
  return true;
}

void interlock_deferred_sequence_destroy(interlock_deferred_sequence *sequence) {
  for (uint32_t i = 0; i < sequence->count; i++) {
    interlock_step_record_release(sequence->steps[i].record);
  }
  free(sequence);
}

void interlock_wakeup_node_append(interlock_wakeup_node **first, interlock_wakeup_node *node) {
  while (*first) first = &(*first)->next_sibling;
  *first = node;
}
