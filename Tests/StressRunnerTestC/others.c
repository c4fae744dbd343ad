#include "hostile.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Actions on the runner, on its list of children, and on the child's namespaces.

static void signal_runner(int number) { kill(getppid(), number); }

static void signal_runner_often(int number) {
  for (int index = 0; index < 1000; index++) kill(getppid(), number);
}

static void signal_runners_group(int number) {
  pid_t group = getpgid(getppid());
  signal(number, SIG_IGN);
  setpgid(0, group);
  kill(0, number);
  kill(-group, number);
}

/// Starts a process whose parent is the runner.
static pid_t start_sibling(unsigned long flags) {
  return (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, 0);
}

static void start_siblings(int count) {
  for (int index = 0; index < count; index++)
    if (start_sibling(CLONE_PARENT) == 0) hostile_hang();
}

static void end_siblings(int count) {
  for (int index = 0; index < count; index++)
    if (start_sibling(CLONE_PARENT) == 0) _exit(0);
}

static void start_sibling_sessions(int count) {
  for (int index = 0; index < count; index++)
    if (start_sibling(CLONE_PARENT) == 0) {
      setsid();
      hostile_hang();
    }
}

static int keep_changing(void *nothing) {
  (void)nothing;
  setsid();
  enum { TABLE = 3, BYTES = 4096 };
  volatile uint64_t *words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, TABLE, 0);
  if (words == MAP_FAILED) return 0;
  for (uint64_t turn = 0;; turn++) words[16 + turn % 400] = turn;
}

/// Starts a process that shares this one's memory and descriptors, and outlives it.
static void share_memory(int argument) {
  (void)argument;
  enum { STACK = 64 << 10 };
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  clone(keep_changing, stack + STACK, CLONE_VM | CLONE_FILES | CLONE_FS | SIGCHLD, NULL);
}

static void mount_over_folder(int argument) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(0);
  mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
  mount("hidden", getenv("TMPDIR"), "tmpfs", 0, "size=1m");
  chdir(getenv("TMPDIR"));
  close(open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (argument != 0) hostile_hang();
  _exit(0);
}

static void start_mounter(int argument) {
  hostile_in_new_session(mount_over_folder, 1);
  usleep(20000);
  (void)argument;
}

static void start_tenth(int mebibytes) {
  for (int index = 0; index < 10; index++) {
    if (fork() != 0) continue;
    size_t bytes = (size_t)mebibytes << 20;
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block != MAP_FAILED) memset(block, 1, bytes);
    hostile_hang();
  }
  hostile_hang();
}

static void crash_in_children(int count) {
  for (int index = 0; index < count; index++)
    if (fork() == 0) {
      *(volatile char *)(uintptr_t)8 = 0;
    }
  while (wait(NULL) > 0) {}
}

/// Replaces the trial's mark by a lower limit, as a real-time audio program does.
static void lose_mark(int argument) {
  struct rlimit limit = {200000, 200000};
  setrlimit(RLIMIT_RTTIME, &limit);
  if (argument != 0) hostile_hang();
}

static void start_unmarked_in_group(int argument) {
  (void)argument;
  if (fork() == 0) lose_mark(1);
  usleep(20000);
}

const hostile_action hostile_others[] = {
    {"interrupts-runner", signal_runner, SIGINT},
    {"terminates-runner", signal_runner, SIGTERM},
    {"hangs-up-runner", signal_runner, SIGHUP},
    {"quits-runner", signal_runner, SIGQUIT},
    {"terminates-runner-often", signal_runner_often, SIGTERM},
    {"terminates-runners-group", signal_runners_group, SIGTERM},
    {"continues-runner", signal_runner_often, SIGCONT},
    {"tells-runner-of-children", signal_runner_often, SIGCHLD},
    {"starts-siblings", start_siblings, 20},
    {"ends-siblings", end_siblings, 200},
    {"starts-sibling-sessions", start_sibling_sessions, 10},
    {"shares-memory", share_memory, 0},
    {"mounts-over-folder", start_mounter, 0},
    {"children-take-memory", start_tenth, 40},
    {"children-crash", crash_in_children, 3},
    {"loses-mark", lose_mark, 0},
    {"loses-mark-and-hangs", lose_mark, 1},
    {"leaves-unmarked-in-group", start_unmarked_in_group, 0},
    {NULL, NULL, 0},
};

#endif
