// What logical threads run on: the stacks and the thread-local storage of parked pthreads.
#ifndef INTERLOCK_STACKS_H
#define INTERLOCK_STACKS_H

#include "../control.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <setjmp.h>

/// A place to switch to: the carrier's own, or a parked pthread whose stack and FS base the carrier
/// takes. With OS threads, the thread itself, which waits until `is_its_turn`.
typedef struct interlock_stack {
  void *stack_pointer;
  uintptr_t thread_base;
  int is_its_turn;
  /// Of a parked pthread: its handle, the system's number of it, and where frames begin.
  pthread_t handle;
  uint32_t system_number;
  uintptr_t top, low;
  size_t size;
  /// Its execution was cut off, so thread-local state may be inconsistent and the pthread must end.
  /// `is_torn`: cut off at any instruction, so the pthread must end without the C library.
  bool is_spoiled, is_torn;
  /// Where the parked thread continues when it is cut off in a hand-over. Only with OS threads.
  jmp_buf home;
  /// What the parked pthread is to unlock, as the kernel lets only the owner do; and the futex
  /// operation for that.
  uint32_t *unlocks;
  int unlock_operation;
  /// The thread that runs on it.
  interlock_logical_thread *thread;
  struct interlock_stack *next_free, *next;
} interlock_stack;

/// Whether the processor and the kernel let a program set the FS base, without a shadow stack.
bool interlock_can_switch(void) HIDDEN;
/// Chooses how hand-overs are made from now on: stacks of the other kind are not used again.
void interlock_stacks_use_os_threads(bool uses) HIDDEN;
bool interlock_stacks_are_os_threads(void) HIDDEN;

/// Keeps the calling thread, and those that it makes, on one processor until `leave`, if the system
/// lets it. For OS threads.
void interlock_processor_enter(void) HIDDEN;
void interlock_processor_leave(void) HIDDEN;
/// Keeps the calling thread, and the threads that it makes, on its processor. Returns false if it
/// is kept on one already; else `interlock_processor_leave` ends that for the calling thread.
bool interlock_processor_stay(void) HIDDEN;

/// A stack that is free, or a new one; NULL if there is no memory. On its first switch it calls
/// `interlock_logical_main`, which may not return except with OS threads.
interlock_stack *interlock_stack_take(void) HIDDEN;
void interlock_stack_give(interlock_stack *stack) HIDDEN;
/// Returns how many stacks have been taken and not given back or discarded.
uint32_t interlock_stacks_taken(void) HIDDEN;
/// Lets a stack's pthread end, which `interlock_stack_discard` waits for. So several end at once.
void interlock_stack_spoil(interlock_stack *stack) HIDDEN;
/// Ends a stack's pthread; its memory serves another one. If a signal has `torn` the thread away,
/// perhaps out of malloc, a page and the pthread's own memory are lost.
void interlock_stack_discard(interlock_stack *stack, bool torn) HIDDEN;
/// Forgets all stacks, in the child of a fork: it has none of the parked pthreads, and would wait
/// for their ends for ever.
void interlock_stacks_forget(void) HIDDEN;
/// Sorts the free stacks, so that each execution takes them in the same order.
void interlock_stacks_sort(void) HIDDEN;
interlock_stack *interlock_stack_of(pthread_t handle) HIDDEN;
/// True if the system's number of a thread is that of a stack's pthread.
bool interlock_stack_has_number(uint32_t system_number) HIDDEN;

/// Unlocks a futex that the stack's pthread owns and that a thread waits for in the kernel.
void interlock_stack_unlock(interlock_stack *stack, uint32_t *word, int operation) HIDDEN;

/// Empties the thread-specific data of the thread base that is in use, and runs no destructor.
void interlock_forget_specific_data(void) HIDDEN;

/// Switches the carrier to `to`; returns once the carrier switches back to `from`.
void interlock_switch(interlock_stack *from, interlock_stack *to) HIDDEN;
/// Switches away from a thread that has ended. With OS threads the function returns, and then
/// `interlock_logical_main` must return too; else it does not return.
void interlock_switch_away(interlock_stack *from, interlock_stack *to) HIDDEN;

/// The engine's: what runs on a stack.
void interlock_logical_main(interlock_stack *stack) HIDDEN;

// The platform's part.

/// Saves the registers that calls keep and the floating-point control words, and switches to `to`.
void interlock_platform_switch(void **from, void *to, uintptr_t thread_base) HIDDEN;
/// Makes a stack whose first switch calls `function`.
void *interlock_platform_prepare(uintptr_t top, void (*function)(void)) HIDDEN;
bool interlock_platform_can_switch(void) HIDDEN;

#endif
#endif
