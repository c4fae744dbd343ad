// The main thread, and polls of run loops. Included by the explorer's files only.
#ifndef INTERLOCK_DISPATCH_RUN_LOOPS_H
#define INTERLOCK_DISPATCH_RUN_LOOPS_H

#include "Model/items.h"

#ifdef INTERLOCK_INTERPOSES

/// Make the first thread of the execution the main thread, and end that.
void interlock_model_main_begins(void) HIDDEN;
void interlock_model_main_ends(void) HIDDEN;
/// True if the thread is the main thread, or runs a block of the main queue.
bool interlock_model_is_main(const interlock_logical_thread *thread) HIDDEN;

/// True while the calling thread is in a waiter of XCTest.
bool interlock_model_is_waiter(void) HIDDEN;
void interlock_model_waiter_begins(void) HIDDEN;
bool interlock_model_waiter_ends_at(void *queue, uint64_t due) HIDDEN;
/// Records a call on a queue of XCTest in the caller's step.
void interlock_model_waiter_did(const model_queue *queue) HIDDEN;
/// Ends the calling thread's waiter, which calls on this queue.
void interlock_model_waiter_ends(const model_queue *queue) HIDDEN;
bool interlock_model_poll(void *run_loop, const struct timespec *before, interlock_poll_kind kind,
                          interlock_site site) HIDDEN;
/// Called when a block of the queue has run: ends a poll that handles one block of the main queue.
void interlock_model_main_ran(const model_queue *queue) HIDDEN;
void interlock_model_stop_poll(void *run_loop) HIDDEN;

#endif
#endif
