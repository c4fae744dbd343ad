// Interruptions of an execution: a signal that the explored code causes, and the limit of real
// time.
#include "../Engine/engine.h"
#include "interlock_strategies.h"

#ifdef INTERLOCK_INTERPOSES

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define ENGINE interlock_the_engine

/// The C library's own function. The interposed `sigaction` would delay a tick, which must see the
/// code that it interrupts.
extern int __sigaction(int, const struct sigaction *, struct sigaction *);

static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
enum { fault_count = sizeof faults / sizeof *faults, alternate_size = 1 << 16 };

static struct sigaction before[fault_count], before_tick;
static stack_t stack_before;
static sigset_t blocked_before;
static char alternate_stack[alternate_size];
static timer_t ticks;
static bool has_ticks;
enum { tick_interval = 50000000 };
/// The step that the last tick saw, the time that the explored code has spent in it, and the time
/// of the last tick, in nanoseconds.
static uint64_t seen_execution, seen_step, spent, last_tick;
static volatile bool is_in_execution;

/// True while the explored code runs, and not the engine on the same stack.
static bool is_in_explored_code(void) {
  return is_in_execution && interlock_marks.controlled && !interlock_marks.hidden;
}

/// A signal that programs seldom use.
static int tick_signal(void) { return SIGRTMAX - 3; }

uint64_t interlock_real_now(void) {
  // The system call itself, to bypass the interposed function.
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void interlock_interruptions_note_execution(bool runs) { is_in_execution = runs; }

// A body that forks or ends the process.

static void before_fork(void) {
  if (is_in_explored_code()) interlock_escaped("fork");
}

/// In the child of a fork that the body made. The child has no other thread and is not explored: it
/// makes real calls, and ends where its copy of the body would end.
static void in_forked_child(void) {
  if (!is_in_explored_code()) return;
  interlock_marks.controlled = 0;
  interlock_control_end();
  interlock_processor_leave();
  ENGINE.is_forked = true;
}

static void note_exit(void) {
  if (!is_in_execution || ENGINE.is_forked) return;
  static const char line[] =
      "interlock: an explored body ended the process; explore it in a process of its own\n";
  // If standard error cannot be written, there is nowhere to report that.
  if (write(STDERR_FILENO, line, sizeof line - 1) < 0) return;
}

static void follow_process(void) {
  static bool follows;
  if (follows) return;
  follows = true;
  pthread_atfork(before_fork, NULL, in_forked_child);
  atexit(note_exit);
}

static const char *name_of(int signal) {
  switch (signal) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGFPE: return "SIGFPE";
    default: return "SIGABRT";
  }
}

/// Leaves the handler for the controller. The handler's frame is never returned to.
_Noreturn static void leave_handler(const ucontext_t *context) {
  ENGINE.torn = ENGINE.current;
  // The fault may lie in a reader of the events, which will not continue to end its change.
  interlock_changes = 0;
  pthread_sigmask(SIG_SETMASK, &context->uc_sigmask, NULL);
  interlock_engine_leave();
}

/// Lets the signal end the process after the handler returns: the faulting instruction runs again,
/// or the signal that was sent is raised again.
static void end_process(int signal, const siginfo_t *info) {
  struct sigaction end = {.sa_handler = SIG_DFL};
  sigaction(signal, &end, NULL);
  if (info->si_code <= 0) raise(signal);
}

/// Calls the handler that was installed before. The explorer's handler stays installed for the
/// explored code.
static void pass_on(int signal, siginfo_t *info, void *context) {
  int index = 0;
  while (faults[index] != signal) index++;
  const struct sigaction found = before[index];
  bool is_sent = info->si_code <= 0;
  if (found.sa_handler == SIG_IGN && is_sent) return;
  // The system never ignores a fault.
  if (found.sa_handler == SIG_DFL || found.sa_handler == SIG_IGN) {
    end_process(signal, info);
    return;
  }
  if (found.sa_flags & SA_RESETHAND) before[index].sa_handler = SIG_DFL;
  sigset_t mask, own;
  sigemptyset(&own);
  sigaddset(&own, signal);
  pthread_sigmask(SIG_BLOCK, &found.sa_mask, &mask);
  if (found.sa_flags & SA_NODEFER) pthread_sigmask(SIG_UNBLOCK, &own, NULL);
  if (found.sa_flags & SA_SIGINFO) {
    found.sa_sigaction(signal, info, context);
  } else {
    found.sa_handler(signal);
  }
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/// Prints the order on standard error, without allocating.
static void print_order(int signal) {
  static char text[1 << 16];
  const interlock_exploration_options *options = &ENGINE.options;
  size_t length = (size_t)snprintf(
      text, sizeof text,
      "interlock: thread %u of an explored body was ended by %s, and the process can allocate no"
      " memory any more: it ends. Explore the body in a process of its own for a report.\n",
      ENGINE.current->number, name_of(signal));
  if (options->token_body) {
    interlock_schedule schedule = {.choices = ENGINE.choices.items,
                                   .count = ENGINE.choices.count,
                                   .accesses = (uint64_t *)options->point_keys,
                                   .access_count = options->point_count};
    length += (size_t)snprintf(text + length, sizeof text - length, "interlock: its order is ");
    size_t room = sizeof text - length - 1;
    size_t written = interlock_token_write(text + length, room, options->token_body,
                                           options->token_width, &schedule);
    // A part of a token is of no use.
    if (written < room) {
      length += written;
    } else {
      length += (size_t)snprintf(text + length, room, "too long to be written here");
    }
    text[length++] = '\n';
  }
  // If standard error cannot be written, there is nowhere to report that.
  if (write(STDERR_FILENO, text, length) < 0) return;
}

static uintptr_t instruction_of(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

static void handle_fault(int signal, siginfo_t *info, void *context) {
  if (!is_in_explored_code()) {
    pass_on(signal, info, context);
    return;
  }
  interlock_marks.hidden++;
  bool can_go_on = interlock_is_own_code(instruction_of(context)) || interlock_heap_is_usable();
  // If this process is isolated, its parent sees the end and has the order.
  if (!can_go_on && !ENGINE.shown_choices) print_order(signal);
  interlock_marks.hidden--;
  if (!can_go_on) {
    end_process(signal, info);
    return;
  }
  char text[128];
  ENGINE.signal = signal;
  snprintf(text, sizeof text, "thread %u was ended by %s", ENGINE.current->number, name_of(signal));
  interlock_execution_fail(INTERLOCK_EXPLORED_CRASHED, text);
  leave_handler(context);
}

/// True if the thread waits in a system call: its address is just behind the call instruction, or
/// at the instruction, if the kernel will begin the call again.
static bool is_in_system_call(uintptr_t instruction) {
#if defined(__x86_64__)
  static const unsigned char system_call[] = {0x0f, 0x05};
  const unsigned char *code = (const unsigned char *)instruction;
  return memcmp(code, system_call, sizeof system_call) == 0 ||
         memcmp(code - sizeof system_call, system_call, sizeof system_call) == 0;
#else
  (void)instruction;
  return false;
#endif
}

static void handle_tick(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  uint64_t now = interlock_real_now(), since_tick = now - last_tick;
  last_tick = now;
  if (seen_execution != ENGINE.execution || seen_step != ENGINE.steps) {
    seen_execution = ENGINE.execution;
    seen_step = ENGINE.steps;
    spent = 0;
  }
  // Count the time of the explored code only: the engine and a strategy that reads symbols may take
  // seconds. A late tick counts as one interval, because the machine was busy or stood still.
  if (!is_in_explored_code()) return;
  spent += since_tick < 2 * tick_interval ? since_tick : tick_interval;
  if (spent < ENGINE.options.execution_time || is_in_change()) return;
  // In a library the thread may hold a lock that every thread needs, such as malloc's. The next
  // tick may find it elsewhere.
  uintptr_t instruction = instruction_of(context);
  bool waits = is_in_system_call(instruction);
  if (!waits && !interlock_is_own_code(instruction)) return;
  if (waits) interlock_escaped("a wait in a system call");
  interlock_execution_fail(INTERLOCK_EXPLORED_TIMED_OUT,
                           waits ? "a thread waits in a system call that is not controlled"
                                 : "a thread ran for the whole time limit and reached no point");
  ENGINE.is_limited = true;
  leave_handler(context);
}

void interlock_interruptions_begin(void) {
  follow_process();
  // The process may have been started with signals blocked, for example by a thread of libdispatch.
  sigset_t needed;
  sigemptyset(&needed);
  for (int index = 0; index < fault_count; index++) sigaddset(&needed, faults[index]);
  sigaddset(&needed, tick_signal());
  pthread_sigmask(SIG_UNBLOCK, &needed, &blocked_before);
  stack_t alternate = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
  sigaltstack(&alternate, &stack_before);
  struct sigaction fault = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&fault.sa_mask);
  for (int index = 0; index < fault_count; index++) {
    // Read the old handler first: another thread may fault as soon as the new handler is set.
    sigaction(faults[index], NULL, &before[index]);
    sigaction(faults[index], &fault, NULL);
  }
  // With OS threads, the code does not run on this thread. Then only the limit of steps, checked
  // between points, ends an execution.
  has_ticks = false;
  if (interlock_stacks_are_os_threads()) return;
  int signal = tick_signal();
  struct sigaction tick = {.sa_sigaction = handle_tick,
                           .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
  sigemptyset(&tick.sa_mask);
  __sigaction(signal, &tick, &before_tick);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  if (timer_create(CLOCK_MONOTONIC, &event, &ticks) != 0) return;
  struct itimerspec every = {{0, tick_interval}, {0, tick_interval}};
  seen_execution = 0;
  last_tick = interlock_real_now();
  timer_settime(ticks, 0, &every, NULL);
  has_ticks = true;
}

void interlock_interruptions_end(void) {
  if (has_ticks) {
    timer_delete(ticks);
    __sigaction(tick_signal(), &before_tick, NULL);
  }
  for (int index = 0; index < fault_count; index++) sigaction(faults[index], &before[index], NULL);
  sigaltstack(&stack_before, NULL);
  pthread_sigmask(SIG_SETMASK, &blocked_before, NULL);
}

#endif
