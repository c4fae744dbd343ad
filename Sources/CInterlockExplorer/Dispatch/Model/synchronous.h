// Synchronous calls on queues. Included by `Dispatch/` only.
#ifndef INTERLOCK_DISPATCH_SYNCHRONOUS_H
#define INTERLOCK_DISPATCH_SYNCHRONOUS_H

#include "items.h"

#ifdef INTERLOCK_INTERPOSES

void interlock_model_ask_sync(void *queue, bool is_barrier, interlock_site site) HIDDEN;
void interlock_model_sync(void *queue, void (*function)(void *), void *context, bool is_barrier,
                          interlock_site site) HIDDEN;
/// The two halves of a synchronous call: the calling thread comes to the queue, and leaves it.
void interlock_model_enter(model_queue *queue, model_entry *entry, bool is_barrier,
                           uintptr_t place) HIDDEN;
void interlock_model_leave(model_queue *queue, model_entry *entry, bool is_barrier) HIDDEN;
void interlock_model_apply(size_t count, void *queue, void (*function)(void *, size_t),
                           void *context,
                           interlock_site site) HIDDEN;

#endif
#endif
