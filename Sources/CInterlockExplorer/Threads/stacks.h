// The stacks on which logical threads run: the stacks and the thread-local storage of parked
// pthreads. Included by the explorer's files only.
#ifndef INTERLOCK_STACKS_H
#define INTERLOCK_STACKS_H

#include "../control.h"

#ifdef INTERLOCK_INTERPOSES

#include <pthread.h>
#include <setjmp.h>

/// A target of a switch: the carrier's own stack, or a parked pthread whose stack and FS base the
/// carrier takes. With OS threads, the thread itself, which waits until `is_its_turn`.
typedef struct interlock_stack {
  void *stack_pointer;
  uintptr_t thread_base;
  int is_its_turn;
  /// For a parked pthread: its handle, its thread number in the system, and the address at which
  /// frames begin.
  pthread_t handle;
  uint32_t system_number;
  uintptr_t top, low;
  size_t size;
  /// `is_spoiled`: the execution was cut off, so thread-local state may be inconsistent and the
  /// pthread must end. `is_torn`: cut off at any instruction, so the pthread must end without the C
  /// library.
  bool is_spoiled, is_torn;
  /// With OS threads: where the thread continues when it is cut off in a hand-over.
  jmp_buf home;
  /// A futex that the parked pthread must unlock, because the kernel lets only the owner do so; and
  /// the futex operation for that.
  uint32_t *unlocks;
  int unlock_operation;
  /// The logical thread that runs on the stack.
  interlock_logical_thread *thread;
  struct interlock_stack *next_free, *next;
} interlock_stack;

/// True if the processor and the kernel let a program set the FS base, and there is no shadow
/// stack.
bool interlock_can_switch(void) HIDDEN;
/// Chooses how hand-overs are made from now on, and what a stack calls on its first switch. Stacks
/// of the other kind are not used again. `main` may not return except with OS threads.
void interlock_stacks_use(bool os_threads, void (*main)(interlock_stack *)) HIDDEN;
bool interlock_stacks_are_os_threads(void) HIDDEN;

/// Keeps the calling thread, and the threads that it makes, on one processor until `leave`, if the
/// system allows it. For OS threads.
void interlock_processor_enter(void) HIDDEN;
void interlock_processor_leave(void) HIDDEN;
/// Keeps the calling thread, and the threads that it makes, on its current processor. Returns false
/// if the thread is kept on one already; otherwise `interlock_processor_leave` ends it for the
/// calling thread.
bool interlock_processor_stay(void) HIDDEN;

/// Returns a free or new stack; NULL if there is no memory.
interlock_stack *interlock_stack_take(void) HIDDEN;
void interlock_stack_give(interlock_stack *stack) HIDDEN;
/// Returns how many stacks have been taken and not given back or discarded.
uint32_t interlock_stacks_taken(void) HIDDEN;
/// Lets a stack's pthread end; `interlock_stack_discard` waits for that. So several pthreads end at
/// once.
void interlock_stack_spoil(interlock_stack *stack) HIDDEN;
/// Ends a stack's pthread and keeps its memory for another stack. If a signal has `torn` the thread
/// away, perhaps out of malloc, a page and the pthread's own memory are lost.
void interlock_stack_discard(interlock_stack *stack, bool torn) HIDDEN;
/// Forgets all stacks. Called in the child of a fork, which has none of the parked pthreads and
/// would wait for their ends for ever.
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
/// the stack's `main` must return too; else it does not return.
void interlock_switch_away(interlock_stack *from, interlock_stack *to) HIDDEN;

// The platform's part of the switch.

/// Saves the callee-saved registers and the floating-point control words, and switches to `to`.
void interlock_platform_switch(void **from, void *to, uintptr_t thread_base) HIDDEN;
/// Makes a stack whose first switch calls `function`.
void *interlock_platform_prepare(uintptr_t top, void (*function)(void)) HIDDEN;
bool interlock_platform_can_switch(void) HIDDEN;

#endif
#endif
