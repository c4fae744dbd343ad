// Timer sources and sources of user data in the model. Included by `Dispatch/` only.
#ifndef INTERLOCK_DISPATCH_TIMER_SOURCES_H
#define INTERLOCK_DISPATCH_TIMER_SOURCES_H

#include "Model/items.h"

#ifdef INTERLOCK_INTERPOSES

void *interlock_model_source_made(const void *type, void *queue) HIDDEN;
bool interlock_model_is_source(void *object) HIDDEN;
/// Notes a source of another kind, which stays libdispatch's.
void interlock_model_source_is_outside(void *object) HIDDEN;
bool interlock_model_is_outside(void *object) HIDDEN;
/// True if the object is a source that is suspended, or not active.
bool interlock_model_source_is_stopped(const interlock_object *object) HIDDEN;
bool interlock_model_source_is_active(const interlock_object *object) HIDDEN;
/// Returns the number of references that sources have to the object.
int interlock_model_source_references(const void *object) HIDDEN;
void interlock_model_source_set_timer(void *source, uint64_t due, uint64_t interval,
                                      interlock_site site) HIDDEN;
void interlock_model_source_set_handler(void *source, void (*function)(void *), void *context,
                                        bool is_block, bool on_cancel,
                                        interlock_site site) HIDDEN;
void interlock_model_source_suspend(void *source, interlock_site site) HIDDEN;
/// Resumes the source, or activates it. A resume of an inactive source activates it, as in
/// libdispatch.
void interlock_model_source_resume(void *source, bool activates, interlock_site site) HIDDEN;
void interlock_model_source_merge(void *source, uintptr_t data, interlock_site site) HIDDEN;
/// Returns the data of the source's last event.
uintptr_t interlock_model_source_data(void *source) HIDDEN;
void interlock_model_source_set_target(void *source, void *queue) HIDDEN;
void interlock_model_source_cancel(void *source, interlock_site site) HIDDEN;
bool interlock_model_source_is_cancelled(void *source, interlock_site site) HIDDEN;

#endif
#endif
