// Dispatch semaphores in the model. Included by `Dispatch/` only.
#ifndef INTERLOCK_DISPATCH_SEMAPHORES_H
#define INTERLOCK_DISPATCH_SEMAPHORES_H

#include "Model/items.h"

#ifdef INTERLOCK_INTERPOSES

void interlock_model_semaphore_made(void *semaphore, intptr_t value) HIDDEN;
intptr_t interlock_model_semaphore_wait(void *semaphore, uint64_t due, interlock_site site) HIDDEN;
void interlock_model_ask_signal(void *semaphore, interlock_site site) HIDDEN;
intptr_t interlock_model_semaphore_signal(void *semaphore) HIDDEN;

#endif
#endif
