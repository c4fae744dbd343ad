#include "hostile.h"

#if defined(__linux__)

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

// Actions on the process's own limits and on the machine's memory.

static void lower(int which, rlim_t value) {
  struct rlimit limit = {value, value};
  setrlimit(which, &limit);
}

static void no_descriptors(int count) { lower(RLIMIT_NOFILE, (rlim_t)count); }
static void no_processes(int count) { lower(RLIMIT_NPROC, (rlim_t)count); }
static void no_stack(int bytes) { lower(RLIMIT_STACK, (rlim_t)bytes); }

/// Leaves enough for the harness to end the trial; the amount that malloc has in store varies.
static void no_data(int bytes) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1) _exit(3);
  fclose(file);
  lower(RLIMIT_DATA, (rlim_t)pages * 4096 + (rlim_t)bytes);
  void *volatile block = malloc(64 << 20);
  if (block != NULL) _exit(3);
}

static void no_addresses(int bytes) {
  signal(SIGABRT, SIG_DFL);
  signal(SIGILL, SIG_DFL);
  signal(SIGSEGV, SIG_DFL);
  lower(RLIMIT_AS, (rlim_t)bytes);
  void *volatile block = malloc(64 << 20);
  memset(block, 1, 64 << 20);
}

static void no_files(int bytes) {
  lower(RLIMIT_FSIZE, (rlim_t)bytes);
  // Ends the process by SIGXFSZ.
  if (ftruncate(3, 1 << 30) != 0) _exit(3);
}

static void no_time(int seconds) {
  lower(RLIMIT_CPU, (rlim_t)seconds);
  for (volatile int turn = 0;; turn++) {}
}

static void core_files(int argument) {
  (void)argument;
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &all);
  signal(SIGABRT, SIG_DFL);
  abort();
}

static void take_memory(int argument) {
  (void)argument;
  for (;;) {
    void *block = mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) hostile_hang();
    memset(block, 1, 8 << 20);
    usleep(2000);
  }
}

static void take_addresses(int argument) {
  (void)argument;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  for (size_t size = (size_t)1 << 46; size > 1 << 20; size /= 2)
    mmap(NULL, size, PROT_NONE, flags, -1, 0);
}

static void yield_to_all(int argument) {
  (void)argument;
  nice(19);
  struct sched_param none = {0};
  sched_setscheduler(0, SCHED_IDLE, &none);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void hide(int argument) {
  prctl(PR_SET_DUMPABLE, 0);
  if (argument != 0) hostile_hang();
}

static void forget_environment(int argument) {
  (void)argument;
  clearenv();
  setenv("TMPDIR", "/", 1);
}

static void *profile(void *nothing) {
  for (;;) {
    signal(SIGPROF, SIG_IGN);
    usleep(1000);
  }
  return nothing;
}

static void answer_no_signal(int argument) {
  (void)argument;
  pthread_t thread;
  pthread_create(&thread, NULL, profile, NULL);
  hostile_hang();
}

const hostile_action hostile_limits[] = {
    {"limits-descriptors", no_descriptors, 0},
    {"limits-descriptors-to-5", no_descriptors, 5},
    {"limits-processes", no_processes, 0},
    {"limits-stack", no_stack, 4096},
    {"limits-data", no_data, 16 << 20},
    {"limits-addresses", no_addresses, 1 << 20},
    {"limits-files", no_files, 0},
    {"limits-time", no_time, 1},
    {"asks-for-core-files", core_files, 0},
    {"takes-memory", take_memory, 0},
    {"takes-addresses", take_addresses, 0},
    {"yields-to-all", yield_to_all, 0},
    {"hides", hide, 0},
    {"hides-and-hangs", hide, 1},
    {"forgets-environment", forget_environment, 0},
    {"answers-no-signal", answer_no_signal, 0},
    {NULL, NULL, 0},
};

#endif
