#include "wakeup_tree.h"

#include <stdlib.h>

interlock_wakeup_node *interlock_wakeup_node_create(uint32_t thread, interlock_picks picks,
                                                    interlock_step_record *record) {
  interlock_wakeup_node *node = malloc(sizeof *node);
  if (!node) return NULL;
  *node = (interlock_wakeup_node){
      .thread = thread, .picks = picks, .record = interlock_step_record_retain(record)};
  return node;
}

void interlock_wakeup_node_destroy(interlock_wakeup_node *node) {
  // Chains are as long as executions: recursion only where the tree branches.
  while (node) {
    interlock_wakeup_node *child = node->first_child;
    while (child && child->next_sibling) {
      interlock_wakeup_node *next = child->next_sibling;
      interlock_wakeup_node_destroy(child);
      child = next;
    }
    interlock_step_record_release(node->record);
    free(node);
    node = child;
  }
}

void interlock_wakeup_node_append(interlock_wakeup_node **first, interlock_wakeup_node *node) {
  while (*first) first = &(*first)->next_sibling;
  *first = node;
}
