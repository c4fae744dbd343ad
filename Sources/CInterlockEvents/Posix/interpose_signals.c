// Delays signals while their thread changes Interlock's tables. The handlers that a program sets by
// `sigaction` and `signal` are called by Interlock's own handler. If the thread is in a change,
// that handler blocks the signal for the thread and sends it again, and the end of the change
// unblocks it. So a program's handler never sees a table half changed, never waits for a lock that
// its own thread holds, and never waits for a foreign lock under one of Interlock's; and the reader
// sees each of its calls.
//
// Faults are not delayed, because the instruction would only fault again. Nor is a handler that the
// system resets, because the repeated signal would get the default action.
//
// A handler of the program may also end a wait, when a signal arrives that no event announces.
#include "../Code/code_ranges.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

__thread uint32_t interlock_changes;
__thread uint64_t interlock_waiting_signals;

typedef void handler_function(int, siginfo_t *, void *);

/// For each signal with Interlock's handler: the program's handler, and whether it was set with
/// `SA_SIGINFO`. Written under the lock.
static struct {
  handler_function *function;
  bool takes_info;
} handlers[_NSIG];
static int handlers_lock;

/// The signals with a handler of the program, as the kernel's mask: bit 0 is signal 1. Handlers of
/// faults do not count, because they end no wait. Nor do those of the Swift runtime, which sets
/// them in a constructor, before the ranges of code are known. Written under the lock.
static uint64_t of_program;

bool interlock_events_handles_signals(void) {
  // Relaxed: the mask refers to no other memory.
  return __atomic_load_n(&of_program, __ATOMIC_RELAXED) != 0;
}

static bool is_of_program(const struct sigaction *action, uintptr_t returns_to) {
  return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN &&
         interlock_own_code_size && !interlock_find_range(&interlock_system_code, returns_to);
}

void interlock_deliver_signals(void) {
  int error = errno;
  // Relaxed: only handlers on this thread write it. In one step, because a handler that runs before
  // this step still delays its signal.
  uint64_t waiting = __atomic_exchange_n(&interlock_waiting_signals, 0, __ATOMIC_RELAXED);
  sigset_t signals;
  sigemptyset(&signals);
  for (; waiting; waiting &= waiting - 1) sigaddset(&signals, __builtin_ctzll(waiting) + 1);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  errno = error;
}

typedef long system_call(long, ...);
static system_call *real_syscall(void) { return REAL(system_call, syscall); }

/// Looked up before any signal: a handler's thread may hold the loader's lock.
__attribute__((constructor(101))) static void find_calls(void) { real_syscall(); }

/// Sends the signal again, and blocks it from the handler's return on. Returns false if the system
/// refuses, because its queue of signals is full.
static bool postpone(int signal, siginfo_t *info, void *context) {
  int error = errno;
  system_call *call = real_syscall();
  bool is_sent = call(SYS_rt_tgsigqueueinfo, getpid(), call(SYS_gettid), signal, info) == 0;
  errno = error;
  if (!is_sent) return false;
  sigaddset(&((ucontext_t *)context)->uc_sigmask, signal);
  __atomic_fetch_or(&interlock_waiting_signals, 1ull << (signal - 1), __ATOMIC_RELAXED);
  return true;
}

BETWEEN static void handle(int signal, siginfo_t *info, void *context) {
  // If other signals wait, this one waits too, so that they are delivered in the order of their
  // numbers.
  bool waits = interlock_changes > 0 || interlock_waiting_signals;
  if (waits && postpone(signal, info, context)) return;
  // Acquire: pairs with the release in `sigaction`.
  __atomic_load_n(&handlers[signal].function, __ATOMIC_ACQUIRE)(signal, info, context);
}

static bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGTRAP ||
         signal == SIGFPE || signal == SIGSYS || signal == SIGABRT;
}

/// True if Interlock's handler is set in place of an action's handler.
static bool is_handled(const struct sigaction *action) {
  return action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN &&
         !(action->sa_flags & SA_RESETHAND);
}

typedef int action_call(int, const struct sigaction *, struct sigaction *);

static int set_action(int signal, const struct sigaction *action, struct sigaction *before,
                      uintptr_t returns_to) {
  action_call *real = REAL(action_call, sigaction);
  if (signal <= 0 || signal >= _NSIG || is_fault(signal)) return real(signal, action, before);
  struct sigaction ours, found;
  take(&handlers_lock);
  handler_function *function = handlers[signal].function;
  bool takes_info = handlers[signal].takes_info;
  uint64_t now = of_program;
  if (action) {
    uint64_t bit = 1ull << (signal - 1);
    now = is_of_program(action, returns_to) ? now | bit : now & ~bit;
  }
  if (is_handled(action)) {
    ours = *action;
    // The kernel passes all three arguments to any handler, so one type serves both kinds.
    __atomic_store_n(&handlers[signal].function, action->sa_sigaction, __ATOMIC_RELEASE);
    handlers[signal].takes_info = action->sa_flags & SA_SIGINFO;
    ours.sa_sigaction = handle;
    ours.sa_flags |= SA_SIGINFO;
    action = &ours;
  }
  int result = real(signal, action, &found);
  if (result != 0 && action == &ours) {
    __atomic_store_n(&handlers[signal].function, function, __ATOMIC_RELEASE);
    handlers[signal].takes_info = takes_info;
  }
  if (result == 0) __atomic_store_n(&of_program, now, __ATOMIC_RELAXED);
  give(&handlers_lock);
  if (result != 0 || !before) return result;
  *before = found;
  if (found.sa_sigaction != handle) return result;
  before->sa_sigaction = function;
  if (!takes_info) before->sa_flags &= ~SA_SIGINFO;
  return result;
}

INTERPOSED int sigaction(int signal, const struct sigaction *action, struct sigaction *before) {
  return set_action(signal, action, before, RETURNS_TO);
}

INTERPOSED sighandler_t signal(int number, sighandler_t handler) {
  typedef sighandler_t signal_call(int, sighandler_t);
  struct sigaction before, now;
  uintptr_t returns_to = RETURNS_TO;
  set_action(number, NULL, &before, returns_to);
  if (REAL(signal_call, signal)(number, handler) == SIG_ERR) return SIG_ERR;
  // The C library's `signal` chooses the flags: set Interlock's handler with the same flags.
  if (REAL(action_call, sigaction)(number, NULL, &now) == 0) {
    set_action(number, &now, NULL, returns_to);
  }
  return before.sa_handler;
}

void interlock_signals_forked(void) { handlers_lock = 0; }

#else

bool interlock_events_handles_signals(void) { return false; }

#endif
