// Calls that would end or damage the process, and not only the execution. Made by an explored
// thread, such a call is a finding, and is not performed.
#include "../../CInterlockEvents/interpose.h"
#include "../Calls/Files/files.h"
#include "../Engine/engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENGINE interlock_the_engine
#define ONLY_CONTROL 0u

static bool is_explored_call(void) { return interlock_is_controlled() && !ENGINE.is_forked; }

static void end_execution(const char *what) {
  char text[192];
  // Reports call the first thread the body, which it runs.
  uint32_t number = ENGINE.current->number;
  if (number == 0) {
    snprintf(text, sizeof text, "the body %s", what);
  } else {
    snprintf(text, sizeof text, "thread %u %s", number, what);
  }
  interlock_execution_fail(INTERLOCK_EXPLORED_MISUSE, text);
  interlock_execution_abandon();
}

static void end_by_exit(const char *name, int code) {
  char what[96];
  snprintf(what, sizeof what, "called %s(%d), which ends the process", name, code);
  end_execution(what);
}

typedef void exit_call(int);

INTERPOSED __attribute__((noreturn)) void exit(int code) {
  if (is_explored_call()) end_by_exit("exit", code);
  REAL(exit_call, exit)(code);
  __builtin_unreachable();
}

INTERPOSED __attribute__((noreturn)) void _exit(int code) {
  if (is_explored_call()) end_by_exit("_exit", code);
  REAL(exit_call, _exit)(code);
  __builtin_unreachable();
}

INTERPOSED __attribute__((noreturn)) void _Exit(int code) {
  if (is_explored_call()) end_by_exit("_Exit", code);
  REAL(exit_call, _Exit)(code);
  __builtin_unreachable();
}

INTERPOSED __attribute__((noreturn)) void quick_exit(int code) {
  if (is_explored_call()) end_by_exit("quick_exit", code);
  REAL(exit_call, quick_exit)(code);
  __builtin_unreachable();
}

// The exec functions with an array of arguments. The variadic ones (`execl`) call these inside the
// C library, where they are not seen.

static void end_by_exec(const char *name, const char *path) {
  char what[160];
  snprintf(what, sizeof what, "called %s(\"%.100s\"), which replaces the process", name,
           path ? path : "");
  end_execution(what);
}

INTERPOSED int execve(const char *path, char *const arguments[], char *const environment[]) {
  typedef int call(const char *, char *const[], char *const[]);
  if (is_explored_call()) end_by_exec("execve", path);
  return REAL(call, execve)(path, arguments, environment);
}

INTERPOSED int execv(const char *path, char *const arguments[]) {
  typedef int call(const char *, char *const[]);
  if (is_explored_call()) end_by_exec("execv", path);
  return REAL(call, execv)(path, arguments);
}

INTERPOSED int execvp(const char *file, char *const arguments[]) {
  typedef int call(const char *, char *const[]);
  if (is_explored_call()) end_by_exec("execvp", file);
  return REAL(call, execvp)(file, arguments);
}

INTERPOSED int execvpe(const char *file, char *const arguments[], char *const environment[]) {
  typedef int call(const char *, char *const[], char *const[]);
  if (is_explored_call()) end_by_exec("execvpe", file);
  return REAL(call, execvpe)(file, arguments, environment);
}

// Descriptors.

/// The descriptors that were open when the exploration began, with the identity of their files: a
/// number may be given to another file meanwhile.
enum { most_descriptors = 256 };
static struct {
  int number;
  dev_t device;
  ino_t inode;
} outer[most_descriptors];
static size_t outer_count;

void interlock_descriptors_note(void) {
  outer_count = 0;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder)) && outer_count < most_descriptors;) {
    int number = atoi(entry->d_name);
    struct stat status;
    if (entry->d_name[0] == '.' || number == dirfd(folder) || fstat(number, &status) != 0) continue;
    outer[outer_count].number = number;
    outer[outer_count].device = status.st_dev;
    outer[outer_count++].inode = status.st_ino;
  }
  closedir(folder);
}

static bool is_outer(int descriptor) {
  struct stat status;
  for (size_t index = 0; index < outer_count; index++) {
    if (outer[index].number != descriptor) continue;
    return fstat(descriptor, &status) == 0 && status.st_dev == outer[index].device &&
           status.st_ino == outer[index].inode;
  }
  return false;
}

static void end_by_close(const char *name, int descriptor) {
  char what[128];
  snprintf(what, sizeof what, "called %s(%d) on a descriptor that it did not open", name,
           descriptor);
  end_execution(what);
}

INTERPOSED_FAST(int, close, ONLY_CONTROL, (int descriptor), (descriptor)) {
  if (is_explored_call()) {
    if (is_outer(descriptor)) end_by_close("close", descriptor);
    interlock_close_point(descriptor, THIS_SITE);
  }
  return FOUND(close)(descriptor);
}

INTERPOSED int close_range(unsigned int first, unsigned int last, int flags) {
  typedef int call(unsigned int, unsigned int, int);
  if (is_explored_call()) {
    for (size_t index = 0; index < outer_count; index++) {
      unsigned int number = (unsigned int)outer[index].number;
      if (number >= first && number <= last && is_outer((int)number)) {
        end_by_close("close_range", (int)number);
      }
    }
  }
  call *real = REAL(call, close_range);
  if (real) return real(first, last, flags);
  errno = ENOSYS;
  return -1;
}

INTERPOSED void closefrom(int first) {
  typedef void call(int);
  if (is_explored_call()) {
    for (size_t index = 0; index < outer_count; index++) {
      if (outer[index].number >= first && is_outer(outer[index].number)) {
        end_by_close("closefrom", outer[index].number);
      }
    }
  }
  call *real = REAL(call, closefrom);
  if (real) real(first);
}

#endif
