// The list of a queue's entries. Included by `Dispatch/` only.
#ifndef INTERLOCK_DISPATCH_ENTRIES_H
#define INTERLOCK_DISPATCH_ENTRIES_H

#include "model.h"

#ifdef INTERLOCK_INTERPOSES

static inline void append(model_queue *queue, model_entry *entry) {
  entry->in = queue;
  entry->next = NULL;
  entry->previous = queue->last;
  if (queue->last) {
    queue->last->next = entry;
  } else {
    queue->first = entry;
  }
  queue->last = entry;
}

static inline void unlink_entry(model_entry *entry) {
  model_queue *queue = entry->in;
  if (entry->previous) {
    entry->previous->next = entry->next;
  } else {
    queue->first = entry->next;
  }
  if (entry->next) {
    entry->next->previous = entry->previous;
  } else {
    queue->last = entry->previous;
  }
  entry->next = entry->previous = NULL;
}

#endif
#endif
