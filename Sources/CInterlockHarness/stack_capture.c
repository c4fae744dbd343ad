#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "interlock_stack_capture.h"

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <ucontext.h>
#endif

// In C because it runs in a signal handler, on any thread and at any instruction. Swift code may
// allocate, take the runtime's locks or retain; this code does not.

static interlock_stack_area *captured;
/// The state of a slot while a handler writes it.
static const uint32_t is_written = UINT32_MAX;

static interlock_stack_slot *slot_at(const interlock_stack_area *area, uint32_t index) {
  return (interlock_stack_slot *)(area + 1) + index;
}

static uint32_t this_thread(void) {
#if defined(__linux__)
  return (uint32_t)syscall(SYS_gettid);
#else
  uint64_t thread = 0;
  pthread_threadid_np(NULL, &thread);
  return (uint32_t)thread;
#endif
}

/// The address that the signal interrupted; 0 if it is not known.
static uintptr_t interrupted_address(void *context) {
#if defined(__linux__) && defined(__x86_64__)
  return (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__linux__) && defined(__aarch64__)
  return (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

/// Takes the next slot that no handler writes, for the current round. Returns NULL if none is left.
static interlock_stack_slot *take_slot(interlock_stack_area *area, uint32_t *state) {
  while (true) {
    // Acquire: pairs with the release in `interlock_stack_area_reset`. One word has the round and
    // the number, so a handler that comes late takes part in the round in which it runs.
    uint64_t taken = __atomic_fetch_add(&area->next, 1, __ATOMIC_ACQUIRE);
    if ((uint32_t)taken >= area->capacity) return NULL;
    interlock_stack_slot *slot = slot_at(area, (uint32_t)taken);
    // Acquire: pairs with the release in `capture`, by the slot's last handler.
    uint32_t found = __atomic_exchange_n(&slot->state, is_written, __ATOMIC_ACQUIRE);
    *state = (uint32_t)(taken >> 32) + 1;
    if (found != is_written) return slot;
  }
}

static void capture(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  int before = errno;
  interlock_stack_area *area = captured;
  uint32_t state;
  interlock_stack_slot *slot = take_slot(area, &state);
  if (slot) {
    void *frames[INTERLOCK_STACK_FRAMES + 8];
    int count = backtrace(frames, INTERLOCK_STACK_FRAMES + 8);
    // The first frames are this handler and the system's trampoline: the thread's stack begins at
    // the interrupted instruction.
    uintptr_t address = interrupted_address(context);
    int first = 0;
    for (int i = 0; i < count && address != 0; i++) {
      if ((uintptr_t)frames[i] == address) {
        first = i;
        break;
      }
    }
    uint32_t kept = 0;
    for (int i = first; i < count && kept < INTERLOCK_STACK_FRAMES; i++)
      slot->frames[kept++] = (uintptr_t)frames[i];
    slot->count = kept;
    slot->thread = this_thread();
    // Release: a reader that sees the state sees the frames.
    __atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
  }
  errno = before;
}

#if defined(__linux__) && defined(__GLIBC__)
// glibc's own `sigaction`: ThreadSanitizer interposes it, and then delays signals of threads that
// wait in calls it does not know, such as libdispatch's futex.
extern int __sigaction(int, const struct sigaction *, struct sigaction *);
#define own_sigaction __sigaction
#else
#define own_sigaction sigaction
#endif

bool interlock_stack_capture_install(interlock_stack_area *area) {
  captured = area;
  // The first call loads the unwinder, which allocates: do it here, not in the handler.
  void *frames[4];
  backtrace(frames, 4);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = capture;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  return own_sigaction(SIGPROF, &action, NULL) == 0;
}

void interlock_stack_area_reset(interlock_stack_area *area) {
  // Relaxed: only the parent changes the round. Release: see `take_slot`.
  uint64_t round = __atomic_load_n(&area->next, __ATOMIC_RELAXED) >> 32;
  __atomic_store_n(&area->next, (round + 1) << 32, __ATOMIC_RELEASE);
}

uint32_t interlock_stack_area_used(const interlock_stack_area *area, uint32_t capacity) {
  // Relaxed: the slot's state publishes its contents.
  uint32_t used = (uint32_t)__atomic_load_n(&area->next, __ATOMIC_RELAXED);
  return used < capacity ? used : capacity;
}

const interlock_stack_slot *interlock_stack_area_slot(const interlock_stack_area *area,
                                                      uint32_t capacity, uint32_t index) {
  if (index >= capacity) return NULL;
  const interlock_stack_slot *slot = slot_at(area, index);
  // Relaxed: as in `interlock_stack_area_reset`. Acquire: pairs with the release in the handler.
  uint32_t round = (uint32_t)(__atomic_load_n(&area->next, __ATOMIC_RELAXED) >> 32);
  if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != round + 1) return NULL;
  return slot->count <= INTERLOCK_STACK_FRAMES ? slot : NULL;
}

// In C because Swift does not import the variadic `syscall`.
bool interlock_signal_thread(int process, int64_t thread, int signal) {
#if defined(__linux__)
  return syscall(SYS_tgkill, process, (pid_t)thread, signal) == 0;
#else
  (void)process;
  (void)thread;
  (void)signal;
  return false;
#endif
}
