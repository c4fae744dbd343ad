// Parked pthreads, and the hand-over from one to another. In C, for stacks and thread-local
// storage.
#include "stacks.h"

#ifdef INTERLOCK_INTERPOSES

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// The explorer allocates the stacks: after a fork, glibc would reclaim its own stacks of the
// threads that are gone, and zero the thread numbers in them.
enum { stack_size = 1 << 20, guard_size = 1 << 14, room_of_parked = 4096 };

static bool os_threads;
/// The entry point of a logical thread on its stack.
static void (*logical_main)(interlock_stack *);
static interlock_stack *all_stacks, *free_stacks;
/// The number of stacks that run a logical thread or keep the handle of one.
static uint32_t taken_count;
/// The memory of pthreads that have ended.
static interlock_stack *bare_stacks;
/// The last number that `interlock_stack_has_number` found, because many threads may wait for one
/// owner.
static uint32_t last_found;

bool interlock_can_switch(void) { return interlock_platform_can_switch(); }
bool interlock_stacks_are_os_threads(void) { return os_threads; }

void interlock_stacks_use(bool uses, void (*main)(interlock_stack *)) {
  logical_main = main;
  if (uses == os_threads) return;
  // Parked pthreads of the two kinds wait in different loops, so none can be used again.
  while (free_stacks) {
    interlock_stack *stack = free_stacks;
    free_stacks = stack->next_free;
    interlock_stack_discard(stack, false);
  }
  os_threads = uses;
}

typedef long system_call(long, ...);
/// The real `syscall`. A parked thread shares its thread-local state with the logical thread on its
/// stack, so an interposed call would be taken for a call of that thread.
static system_call *call_system;

static void unlock(uint32_t *word, int operation) {
  // Release: stands for the kernel's unlock.
  if (call_system(SYS_futex, word, operation) != 0) __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static void wait_for_turn(interlock_stack *stack) {
  // Acquire: pairs with the release in `give_turn`, so that this thread sees what the last thread
  // did.
  while (!__atomic_load_n(&stack->is_its_turn, __ATOMIC_ACQUIRE)) {
    // Acquire: pairs with the release in `interlock_stack_unlock`. The release store below pairs
    // with the acquire in its loop.
    uint32_t *word = __atomic_load_n(&stack->unlocks, __ATOMIC_ACQUIRE);
    if (word) {
      unlock(word, stack->unlock_operation);
      __atomic_store_n(&stack->unlocks, NULL, __ATOMIC_RELEASE);
      continue;
    }
    call_system(SYS_futex, &stack->is_its_turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  }
  stack->is_its_turn = 0;
}

static void give_turn(interlock_stack *stack) {
  __atomic_store_n(&stack->is_its_turn, 1, __ATOMIC_RELEASE);
  call_system(SYS_futex, &stack->is_its_turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void interlock_stack_unlock(interlock_stack *stack, uint32_t *word, int operation) {
  if (os_threads) {
    unlock(word, operation);
    return;
  }
  stack->unlock_operation = operation;
  __atomic_store_n(&stack->unlocks, word, __ATOMIC_RELEASE);
  // Wake until the parked thread has unlocked: it may be just about to wait.
  while (__atomic_load_n(&stack->unlocks, __ATOMIC_ACQUIRE)) {
    call_system(SYS_futex, &stack->is_its_turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    give_way();
  }
}

typedef struct {
  interlock_stack *stack;
  int is_ready;
  bool is_os_thread;
} parking;

static void *park(void *argument) {
  parking *parking = argument;
  interlock_stack *stack = parking->stack;
  bool is_os_thread = parking->is_os_thread;
  stack->thread_base = (uintptr_t)__builtin_thread_pointer();
  stack->handle = pthread_self();
  stack->system_number = interlock_thread_id();
  stack->top = ((uintptr_t)__builtin_frame_address(0) - room_of_parked) & ~(uintptr_t)63;
  __atomic_store_n(&parking->is_ready, 1, __ATOMIC_RELEASE);
  call_system(SYS_futex, &parking->is_ready, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  // With OS threads, a thread whose execution was cut off jumps from its hand-over to here.
  if (setjmp(stack->home) == 0) {
    for (;;) {
      wait_for_turn(stack);
      if (!is_os_thread || stack->is_spoiled) break;
      logical_main(stack);
    }
  }
  while (stack->is_torn) call_system(SYS_exit, 0);
  // Clean up nothing that the logical thread has left: it may have been in the middle of a change.
  interlock_marks.hidden++;
  if (interlock_record_cut) interlock_record_cut();
  interlock_forget_specific_data();
  return NULL;
}

/// Makes the pthread, and waits until it is parked.
static bool make_thread(parking *parking, const pthread_attr_t *attributes) {
  pthread_t handle;
  if (pthread_create(&handle, attributes, park, parking) != 0) return false;
  while (!__atomic_load_n(&parking->is_ready, __ATOMIC_ACQUIRE)) {
    call_system(SYS_futex, &parking->is_ready, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  }
  return true;
}

static bool start(interlock_stack *stack) {
  if (!call_system) call_system = (system_call *)interlock_find_real("syscall");
  parking parking = {stack, 0, os_threads};
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstack(&attributes, (void *)(stack->low + guard_size), stack->size - guard_size);
  // Signals must go to the program's own threads. Faults stay unblocked: the kernel ends a process
  // whose thread blocks a signal that the thread itself causes.
  sigset_t blocked, before;
  sigfillset(&blocked);
  const int own_faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
  for (size_t index = 0; index < sizeof own_faults / sizeof *own_faults; index++) {
    sigdelset(&blocked, own_faults[index]);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  bool stays = interlock_processor_stay();
  bool is_made = make_thread(&parking, &attributes);
  if (stays) interlock_processor_leave();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return is_made;
}

/// Returns memory for a stack, new or from a pthread that has ended; NULL if there is none.
static interlock_stack *bare_stack(void) {
  interlock_stack *stack = bare_stacks;
  if (stack) {
    bare_stacks = stack->next;
    return stack;
  }
  stack = calloc(1, sizeof *stack);
  if (!stack) return NULL;
  void *memory = mmap(NULL, stack_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  stack->low = (uintptr_t)memory;
  stack->size = stack_size;
  if (memory != MAP_FAILED && mprotect(memory, guard_size, PROT_NONE) == 0) return stack;
  if (memory != MAP_FAILED) munmap(memory, stack_size);
  free(stack);
  return NULL;
}

static void keep_bare(interlock_stack *stack) {
  *stack = (interlock_stack){.low = stack->low, .size = stack->size, .next = bare_stacks};
  bare_stacks = stack;
}

static interlock_stack *make(void) {
  interlock_stack *stack = bare_stack();
  if (!stack) return NULL;
  if (!start(stack)) {
    keep_bare(stack);
    return NULL;
  }
  stack->next = all_stacks;
  all_stacks = stack;
  return stack;
}

static void begin_logical(void);

interlock_stack *interlock_stack_take(void) {
  interlock_stack *stack = free_stacks;
  if (stack) {
    free_stacks = stack->next_free;
  } else {
    stack = make();
    if (!stack) return NULL;
  }
  taken_count++;
  if (!os_threads) stack->stack_pointer = interlock_platform_prepare(stack->top, begin_logical);
  return stack;
}

uint32_t interlock_stacks_taken(void) { return taken_count; }

void interlock_stack_give(interlock_stack *stack) {
  taken_count--;
  stack->thread = NULL;
  stack->next_free = free_stacks;
  free_stacks = stack;
}

void interlock_stack_spoil(interlock_stack *stack) {
  stack->is_spoiled = true;
  give_turn(stack);
}

void interlock_stack_discard(interlock_stack *stack, bool torn) {
  interlock_stack **at = &all_stacks;
  while (*at && *at != stack) at = &(*at)->next;
  if (*at) *at = stack->next;
  last_found = 0;
  if (stack->thread) taken_count--;
  stack->thread = NULL;
  stack->is_spoiled = true;
  stack->is_torn = torn;
  give_turn(stack);
  if (!torn) {
    pthread_join(stack->handle, NULL);
    keep_bare(stack);
    return;
  }
  // The C library still reads the pthread's memory, which is at the top of the stack, so keep that
  // part.
  uintptr_t end = (stack->top - room_of_parked) & ~(uintptr_t)4095;
  madvise((void *)(stack->low + guard_size), end - stack->low - guard_size, MADV_DONTNEED);
}

void interlock_stacks_forget(void) {
  all_stacks = free_stacks = NULL;
  taken_count = 0;
  last_found = 0;
}

void interlock_stacks_sort(void) {
  // Sort by creation, the newest first.
  free_stacks = NULL;
  interlock_stack **end = &free_stacks;
  for (interlock_stack *stack = all_stacks; stack; stack = stack->next) {
    if (stack->thread || stack->is_spoiled) continue;
    *end = stack;
    end = &stack->next_free;
  }
  *end = NULL;
}

interlock_stack *interlock_stack_of(pthread_t handle) {
  for (interlock_stack *stack = all_stacks; stack; stack = stack->next) {
    if (stack->handle == handle && !stack->is_spoiled) return stack;
  }
  return NULL;
}

bool interlock_stack_has_number(uint32_t system_number) {
  if (last_found && system_number == last_found) return true;
  for (interlock_stack *stack = all_stacks; stack; stack = stack->next) {
    if (stack->system_number != system_number) continue;
    last_found = system_number;
    return true;
  }
  return false;
}

// Hand-over.

/// The stack of the running switch, for a logical thread that begins with it.
static interlock_stack *target;
static void begin_logical(void) {
  logical_main(target);
  __builtin_trap();
}

void interlock_switch(interlock_stack *from, interlock_stack *to) {
  if (os_threads) {
    give_turn(to);
    wait_for_turn(from);
    if (from->is_spoiled) longjmp(from->home, 1);
    return;
  }
  target = to;
  interlock_platform_switch(&from->stack_pointer, to->stack_pointer, to->thread_base);
}

void interlock_switch_away(interlock_stack *from, interlock_stack *to) {
  if (os_threads) {
    give_turn(to);
    return;
  }
  target = to;
  interlock_platform_switch(&from->stack_pointer, to->stack_pointer, to->thread_base);
  __builtin_trap();
}

#endif
