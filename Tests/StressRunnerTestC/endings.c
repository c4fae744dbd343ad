#include "hostile.h"

#if defined(__linux__)

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Actions that end the process, end a thread of it, or stop it.

static void exit_with(int code) { exit(code); }

static void end_quickly(int code) { quick_exit(code); }

static void end_at_once(int code) { _exit(code); }

static void *exit_there(void *code) { _exit((int)(intptr_t)code); }

static void exit_on_another_thread(int code) {
  pthread_t thread;
  pthread_create(&thread, NULL, exit_there, (void *)(intptr_t)code);
  hostile_hang();
}

static void hang_at_exit(int code) {
  atexit(hostile_hang);
  exit(code);
}

static void end_this_thread(int argument) {
  (void)argument;
  syscall(SYS_exit, 0);
}

static void *end_main_thread(void *main) {
  (void)main;
  hostile_hang();
  return NULL;
}

static void leave_a_zombie_leader(int argument) {
  (void)argument;
  pthread_t thread;
  pthread_create(&thread, NULL, end_main_thread, NULL);
  // The signal's handler ends the first thread by the system call; the process continues without
  // that thread.
  struct sigaction action = {.sa_handler = end_this_thread};
  sigaction(SIGUSR2, &action, NULL);
  syscall(SYS_tgkill, getpid(), getpid(), SIGUSR2);
  hostile_hang();
}

static void signal_itself(int number) {
  signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  kill(getpid(), number);
  hostile_hang();
}

static void signal_harmlessly(int number) { kill(getpid(), number); }

static void take_all_signals(int how) {
  for (int number = 1; number < 65; number++) signal(number, how == 0 ? SIG_IGN : SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  hostile_hang();
}

static void stop_main_thread(int argument) {
  (void)argument;
  syscall(SYS_tgkill, getpid(), getpid(), SIGSTOP);
  // This thread may run for a little longer.
  hostile_hang();
}

static void read_nothing(int argument) {
  (void)argument;
  // Without a crash report, because one subject with a report is enough.
  signal(SIGSEGV, SIG_DFL);
  *(volatile char *)(uintptr_t)8 = 0;
}

static void free_twice(int argument) {
  (void)argument;
  signal(SIGABRT, SIG_DFL);
  void *volatile block = malloc(2000);
  void *guard = malloc(16);
  free(block);
  free(block);
  free(guard);
  abort();
}

static int descend(volatile int depth) {
  char room[4096];
  memset(room, depth, sizeof room);
  return depth < 0 ? 0 : descend(depth + 1) + room[17];
}

static void use_up_the_stack(int argument) {
  signal(SIGSEGV, SIG_DFL);
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  descend(argument);
}

static void become(int argument) {
  char *program = argument == 0 ? "/bin/true" : argument == 1 ? "/bin/sleep" : "/proc/self/exe";
  char *arguments[] = {program, argument == 1 ? "1000" : NULL, NULL};
  execv(program, arguments);
}

static void become_a_trial_again(int argument) {
  (void)argument;
  // Both descriptors are closed on exec, so the new trial has no shared memory.
  setenv("INTERLOCK_TRIAL", "1", 1);
  char *arguments[] = {"again", NULL};
  execv("/proc/self/exe", arguments);
}

static void unmap_its_code(int argument) {
  (void)argument;
  signal(SIGSEGV, SIG_DFL);
  uintptr_t page = (uintptr_t)&unmap_its_code & ~(uintptr_t)4095;
  munmap((void *)page, 8192);
}

static void spin(int argument) {
  for (volatile int turn = argument;; turn++) {}
}

static void *sleep_there(void *nothing) {
  hostile_hang();
  return nothing;
}

static void start_threads(int count) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  for (int index = 0; index < count; index++) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, sleep_there, NULL) != 0) break;
  }
  hostile_hang();
}

const hostile_action hostile_endings[] = {
    {"exit-0", exit_with, 0},
    {"exit-66", exit_with, 66},
    {"exit-70", exit_with, 70},
    {"exit-255", exit_with, 255},
    {"quick-exit", end_quickly, 1},
    {"exit-at-once", end_at_once, 0},
    {"exit-on-another-thread", exit_on_another_thread, 0},
    {"exit-hangs", hang_at_exit, 0},
    {"thread-ends", end_this_thread, 0},
    {"main-thread-ends", leave_a_zombie_leader, 0},
    {"main-thread-stops", stop_main_thread, 0},
    {"signal-hup", signal_itself, SIGHUP},
    {"signal-int", signal_itself, SIGINT},
    {"signal-quit", signal_itself, SIGQUIT},
    {"signal-ill", signal_itself, SIGILL},
    {"signal-trap", signal_itself, SIGTRAP},
    {"signal-abrt", signal_itself, SIGABRT},
    {"signal-bus", signal_itself, SIGBUS},
    {"signal-fpe", signal_itself, SIGFPE},
    {"signal-kill", signal_itself, SIGKILL},
    {"signal-segv", signal_itself, SIGSEGV},
    {"signal-pipe", signal_itself, SIGPIPE},
    {"signal-alrm", signal_itself, SIGALRM},
    {"signal-term", signal_itself, SIGTERM},
    {"signal-xcpu", signal_itself, SIGXCPU},
    {"signal-xfsz", signal_itself, SIGXFSZ},
    {"signal-sys", signal_itself, SIGSYS},
    {"signal-rt", signal_itself, 40},
    {"signal-stop", signal_itself, SIGSTOP},
    {"signal-tstp", signal_itself, SIGTSTP},
    {"signal-ttin", signal_itself, SIGTTIN},
    {"signal-chld", signal_harmlessly, SIGCHLD},
    {"signals-ignored", take_all_signals, 0},
    {"signals-default", take_all_signals, 1},
    {"bad-address", read_nothing, 0},
    {"free-twice", free_twice, 0},
    {"stack-overflow", use_up_the_stack, 0},
    {"exec-true", become, 0},
    {"exec-sleep", become, 1},
    {"exec-itself", become, 2},
    {"exec-as-trial", become_a_trial_again, 0},
    {"unmap-code", unmap_its_code, 0},
    {"spin-for-ever", spin, 0},
    {"many-threads", start_threads, 400},
    {NULL, NULL, 0},
};

#endif
