// Work items in the model. Included by `Dispatch/` only.
#ifndef INTERLOCK_DISPATCH_WORK_ITEMS_H
#define INTERLOCK_DISPATCH_WORK_ITEMS_H

#include "items.h"

#ifdef INTERLOCK_INTERPOSES

void interlock_model_item_made(void *item) HIDDEN;
/// Called when libdispatch leaves a group. True if the group is private to a work item, which has
/// then run for the first time.
bool interlock_model_item_called(void *group, uintptr_t place) HIDDEN;
long interlock_model_item_wait(void *item, uint64_t due, interlock_site site) HIDDEN;
void interlock_model_item_notify(void *item, const interlock_dispatch_request *request,
                                 interlock_site site) HIDDEN;
void interlock_model_ask_item(void *item, bool cancels, interlock_site site) HIDDEN;

#endif
#endif
