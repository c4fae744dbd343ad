#include "hostile.h"

#if defined(__linux__)

#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Actions that make the process hard to watch, or forbid what the harness does at the end.

static void forbid_all(int argument) {
  (void)argument;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
  getppid();
}

/// Makes a system call fail on all threads.
static void forbid(int call) {
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof program / sizeof program[0], program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0)
    _exit(96);
}

/// Waits once without the call: the C library then ends the process, which could otherwise go on
/// if threads never contend. Disables the toolchain's backtracer, whose threads would wait.
static void forbid_futex(int argument) {
  (void)argument;
  signal(SIGABRT, SIG_DFL);
  forbid(SYS_futex);
  sem_t never;
  sem_init(&never, 0, 0);
  sem_wait(&never);
}

static void forbid_clock(int argument) {
  (void)argument;
  signal(SIGSEGV, SIG_DFL);
  prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

static void exit_on_capture(int signal) {
  (void)signal;
  _exit(0);
}

static void refuse_capture(int argument) {
  (void)argument;
  signal(SIGPROF, exit_on_capture);
  hostile_hang();
}

static void *capture_always(void *nothing) {
  for (;;) kill(getpid(), SIGPROF);
  return nothing;
}

static void capture_itself(int argument) {
  (void)argument;
  pthread_t thread;
  pthread_create(&thread, NULL, capture_always, NULL);
  hostile_hang();
}

static void open_descriptors(int count) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  for (int index = 0; index < count; index++)
    if (dup(1) < 0) break;
  hostile_hang();
}

static void set_timers(int count) {
  static const time_t times[] = {1, INT_MAX, LONG_MAX, 1L << 40};
  static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME};
  for (int index = 0; index < count; index++) {
    int timer = timerfd_create(clocks[index % 3], TFD_CLOEXEC);
    struct itimerspec when = {{times[index % 4], 999999999}, {times[index / 4 % 4], 999999999}};
    timerfd_settime(timer, index % 2 != 0 ? TFD_TIMER_ABSTIME : 0, &when, NULL);
  }
  hostile_hang();
}

static void *rename_and_sleep(void *number) {
  static const char *const names[] = {") R 1 1 (", "\n\n\n", "\xff\xfe\x80", "", "%s%n", " 0 0 0"};
  prctl(PR_SET_NAME, names[(uintptr_t)number % 6]);
  hostile_hang();
  return NULL;
}

static void start_threads(int count) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16 << 10);
  for (int index = 0; index < count; index++) {
    pthread_t thread;
    void *number = (void *)(uintptr_t)index;
    if (pthread_create(&thread, &attributes, rename_and_sleep, number) != 0) break;
  }
  hostile_hang();
}

static void *end_at_once(void *nothing) { return nothing; }

static void start_and_end_threads(int argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  for (;;) {
    pthread_t thread;
    pthread_create(&thread, &attributes, end_at_once, NULL);
    if (argument != 0) usleep(100);
  }
}

/// Maps a file with a path of 4,000 characters until `/proc/self/maps` has 100 MB.
static void map_often(int count) {
  char name[251];
  memset(name, 'm', sizeof name - 1);
  name[sizeof name - 1] = 0;
  chdir(getenv("TMPDIR"));
  for (int level = 0; level < 15; level++)
    if (mkdir(name, 0755) != 0 || chdir(name) != 0) break;
  int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  ftruncate(file, 8192);
  for (int index = 0; index < count; index++)
    // The system does not merge neighbouring mappings with different rights.
    mmap(NULL, 4096, index % 2 != 0 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  hostile_hang();
}

static int descend(volatile int depth) {
  char room[256];
  memset(room, depth, sizeof room);
  return depth < 0 ? 0 : descend(depth + 1) + room[17];
}

static void recurse(int argument) { descend(argument); }

static void say_terminal_codes(int argument) {
  static const char text[] = "\x1b[2J\x1b]0;title\a\r::error file=a::b\n::set-output name=x::y\n"
                             "\xe2\x80\xae<script>alert(1)</script>]]>&\x01\x7f\xc2\x9b\n";
  write(2, text, sizeof text - 1);
  _exit(argument);
}

static void end_inside_character(int argument) {
  for (int index = 0; index < 8192; index++) write(2, "\xf0\x9f\x98\x80", 4);
  write(2, "\xf0\x9f", 2);
  _exit(argument);
}

static void exit_again(void) { _exit(0); }

static void exit_twice(int code) {
  atexit(exit_again);
  exit(code);
}

static void crash_again(void) { raise(SIGKILL); }

static void exit_and_die(int code) {
  atexit(crash_again);
  exit(code);
}

static void become_shell(int which) {
  static const char *const commands[] = {
      "echo '{\"finished\":{}}' >&4; exec sleep 1000",
      "echo '{\"finished\":{}}' >&4",
      "while :; do :; done",
      "trap '' TERM HUP INT; kill -STOP $$",
  };
  fcntl(4, F_SETFD, 0);
  execl("/bin/sh", "sh", "-c", commands[which], NULL);
  _exit(95);
}

static void lock_memory(int argument) {
  (void)argument;
  mlockall(MCL_CURRENT | MCL_FUTURE);
}

/// Fills memory that no process has mapped.
static void fill_memory_file(int mebibytes) {
  static char block[1 << 20];
  memset(block, 1, sizeof block);
  int file = memfd_create("hidden", MFD_CLOEXEC);
  for (int index = 0; index < mebibytes; index++) write(file, block, sizeof block);
  hostile_hang();
}

static void stop_other_thread(int argument) {
  (void)argument;
  for (int index = 0; index < 200; index++) {
    if (fork() == 0) {
      kill(getppid(), SIGSTOP);
      usleep(1000);
      kill(getppid(), SIGCONT);
      _exit(0);
    }
    usleep(500);
  }
}

// Actions before `main`: the child is this executable, and runs its constructors.

enum { EXITS, HANGS, CRASHES, CLOSES, STARTS };

static void do_nothing(int argument) { (void)argument; }

static void act_before_main(int what) {
  switch (what) {
  case EXITS: _exit(0);
  case HANGS: hostile_hang(); break;
  case CRASHES: raise(SIGKILL); break;
  case CLOSES:
    for (int number = 0; number < 5; number++) close(number);
    break;
  case STARTS:
    // The child has no mark yet, only the process group.
    if (fork() == 0) hostile_hang();
    break;
  default: break;
  }
}

__attribute__((constructor)) static void construct(void) {
  // The trial as JSON, which lies behind the first two pages of the file in memory.
  static char trial[8192];
  if (getenv("INTERLOCK_TRIAL") == NULL) return;
  if (pread(3, trial, sizeof trial - 1, 8192) <= 0) return;
  for (const hostile_action *action = hostile_tricks; action->name != NULL; action++) {
    char subject[128];
    snprintf(subject, sizeof subject, "\"subject\":\"%s\"", action->name);
    if (action->run == do_nothing && strstr(trial, subject) != NULL)
      act_before_main(action->argument);
  }
}

const hostile_action hostile_tricks[] = {
    {"constructor-exits", do_nothing, EXITS},
    {"constructor-hangs", do_nothing, HANGS},
    {"constructor-crashes", do_nothing, CRASHES},
    {"constructor-closes-all", do_nothing, CLOSES},
    {"constructor-starts-process", do_nothing, STARTS},
    {"forbids-all-calls", forbid_all, 0},
    {"forbids-write", forbid, SYS_write},
    {"forbids-exit", forbid, SYS_exit_group},
    {"forbids-futex", forbid_futex, 0},
#ifdef SYS_epoll_wait
    {"forbids-poll", forbid, SYS_epoll_wait},
#else
    {"forbids-poll", forbid, SYS_epoll_pwait},
#endif
    {"forbids-tgkill", forbid, SYS_tgkill},
    {"forbids-close", forbid, SYS_close},
    {"forbids-clock", forbid_clock, 0},
    {"exits-when-captured", refuse_capture, 0},
    {"captures-itself", capture_itself, 0},
    {"opens-20000-descriptors", open_descriptors, 20000},
    {"sets-2000-timers", set_timers, 2000},
    {"starts-1000-threads", start_threads, 1000},
    {"starts-and-ends-threads", start_and_end_threads, 1},
    {"starts-and-ends-threads-quickly", start_and_end_threads, 0},
    {"maps-25000-long-names", map_often, 25000},
    {"recurses-with-report", recurse, 0},
    {"says-terminal-codes", say_terminal_codes, 3},
    {"ends-inside-character", end_inside_character, 3},
    {"exits-twice", exit_twice, 5},
    {"exits-and-dies", exit_and_die, 0},
    {"shell-says-finished", become_shell, 0},
    {"shell-says-finished-and-ends", become_shell, 1},
    {"shell-spins", become_shell, 2},
    {"shell-stops", become_shell, 3},
    {"locks-memory", lock_memory, 0},
    {"fills-memory-file", fill_memory_file, 300},
    {"stops-and-continues", stop_other_thread, 0},
    {NULL, NULL, 0},
};

#endif
