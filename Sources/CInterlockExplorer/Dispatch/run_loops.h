// The main thread, and polls of run loops. Not for users of the target.
#ifndef INTERLOCK_DISPATCH_RUN_LOOPS_H
#define INTERLOCK_DISPATCH_RUN_LOOPS_H

#include "items.h"

#ifdef INTERLOCK_INTERPOSES

/// The first thread of an execution is the main thread from here on, until the other.
void interlock_model_main_begins(void) HIDDEN;
void interlock_model_main_ends(void) HIDDEN;
/// True if the thread is the main thread, or runs a block of the main queue.
bool interlock_model_is_main(const interlock_logical_thread *thread) HIDDEN;

/// True while the calling thread is in a waiter of XCTest.
bool interlock_model_is_waiter(void) HIDDEN;
void interlock_model_waiter_begins(void) HIDDEN;
bool interlock_model_waiter_ends_at(void *queue, uint64_t due) HIDDEN;
/// The calling thread makes a call on a queue of XCTest's; the waiter of the thread ends.
void interlock_model_waiter_did(const model_queue *queue) HIDDEN;
void interlock_model_waiter_ends(void) HIDDEN;
bool interlock_model_poll(void *run_loop, const struct timespec *before, bool is_waiter,
                          interlock_site site) HIDDEN;
void interlock_model_stop_poll(void *run_loop) HIDDEN;

#endif
#endif
