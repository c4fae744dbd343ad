// Timer sources in the model. Included by `Dispatch/` only.
#ifndef INTERLOCK_DISPATCH_TIMER_SOURCES_H
#define INTERLOCK_DISPATCH_TIMER_SOURCES_H

#include "Model/items.h"

#ifdef INTERLOCK_INTERPOSES

void *interlock_model_source_made(const void *type, void *queue) HIDDEN;
bool interlock_model_is_source(void *object) HIDDEN;
void interlock_model_source_set_timer(void *source, uint64_t due, uint64_t interval,
                                      interlock_site site) HIDDEN;
void interlock_model_source_set_handler(void *source, void (*function)(void *), void *context,
                                        bool is_block, bool on_cancel) HIDDEN;
/// Suspends the source once more (1), resumes it (-1), or activates it (0).
void interlock_model_source_change(void *source, int change) HIDDEN;
void interlock_model_source_set_target(void *source, void *queue) HIDDEN;
void interlock_model_source_cancel(void *source, interlock_site site) HIDDEN;
bool interlock_model_source_is_cancelled(void *source, interlock_site site) HIDDEN;

#endif
#endif
