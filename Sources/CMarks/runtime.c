#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "interlock_explored_sections.h"
#include "interlock_runtime.h"
#include "interlock_stack_walk.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#ifdef __linux__
#include <link.h>
#endif
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#include <sys/syscall.h>
#endif

_Thread_local void *interlock_thread_home;
uintptr_t interlock_buckets[INTERLOCK_BUCKETS * INTERLOCK_BUCKET_WORDS]
    __attribute__((aligned(INTERLOCK_BUCKET_WORDS * sizeof(uintptr_t))));
uintptr_t interlock_histories[INTERLOCK_HISTORIES];
uintptr_t interlock_remembers_parts;
uintptr_t interlock_hot_settings;
_Thread_local uint32_t interlock_tracker_locks;
const interlock_order_source *interlock_order_source_now;

void interlock_set_order_source(const interlock_order_source *source) {
  // Release: pairs with the acquire in `interlock_get_order_source`.
  __atomic_store_n(&interlock_order_source_now, source, __ATOMIC_RELEASE);
}

// Swift's side: `Sources/SectionTable/Owner/ForkedChild.swift`,
// `Sources/Interlock/Conflict/ProcessEnd.swift`.
void interlock_process_forked(void);
void interlock_thread_exited(void *home);
void interlock_process_ends(int status);

static pthread_key_t home_key;
static pthread_once_t home_key_once = PTHREAD_ONCE_INIT;

static void home_destroyed(void *home) {
  // A section in a later destructor sets a new context, and so this function is called again.
  interlock_thread_home = NULL;
  const interlock_explored_sections *explorer = interlock_get_explored_sections();
  if (explorer) explorer->hide();
  interlock_thread_exited(home);
  if (explorer) explorer->done();
}

static void make_home_key(void) {
  pthread_key_create(&home_key, home_destroyed);
  pthread_atfork(NULL, NULL, interlock_process_forked);
}

void interlock_set_home(void *home) {
  pthread_once(&home_key_once, make_home_key);
  pthread_setspecific(home_key, home);
  interlock_thread_home = home;
}

static pid_t watched_process;

// The child of a fork inherits the handlers, but neither threads nor findings: do nothing there.
#ifdef __GLIBC__
static void process_ends(int status, void *unused) {
  (void)unused;
  if (getpid() == watched_process) interlock_process_ends(status);
}

static void watch_exit(void) {
  watched_process = getpid();
  on_exit(process_ends, NULL);
}
#else
static void process_ends(void) {
  if (getpid() == watched_process) interlock_process_ends(0);
}

static void watch_exit(void) {
  watched_process = getpid();
  atexit(process_ends);
}
#endif

void interlock_watch_exit(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_exit);
}

// Written only before main, by one thread.
static interlock_options *declared_options;

void interlock_declare_options(interlock_options *options) {
  options->next = declared_options;
  declared_options = options;
}

void interlock_collect_options(void *list) {
  for (interlock_options *options = declared_options; options; options = options->next) {
    options->declare(list);
  }
}

#ifdef INTERLOCK_TRACKING
// Runs even in a program without sections, so that a misspelt option is reported. In C because it
// must run before main. A build without section tracking has no such constructor.
__attribute__((constructor)) static void read_options(void) {
  const char *options = getenv("INTERLOCK_OPTIONS");
  if (options && *options) interlock_read_options();
}
#endif

interlock_lock_listener interlock_current_lock_listener;

size_t interlock_unwind_frames(uintptr_t *frames, size_t limit) {
  enum { most = 64 };
  void *found[most];
  int count = backtrace(found, most);
  // The first two frames are this function and its caller in the tracker.
  size_t kept = 0;
  for (int index = 2; index < count && kept < limit; index++) {
    __atomic_store_n(&frames[kept++], (uintptr_t)found[index], __ATOMIC_RELAXED);
  }
  return kept;
}

void interlock_stack_bounds(uintptr_t *low, uintptr_t *high) {
  *low = *high = 0;
#ifdef __linux__
  pthread_attr_t attributes;
  void *start;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
    *low = (uintptr_t)start;
    *high = (uintptr_t)start + size;
  }
  pthread_attr_destroy(&attributes);
#else
  *high = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
  *low = *high - pthread_get_stacksize_np(pthread_self());
#endif
}

uint64_t interlock_thread_number(void) {
#ifdef __linux__
  return (uint64_t)syscall(SYS_gettid);
#else
  uint64_t number = 0;
  pthread_threadid_np(NULL, &number);
  return number;
#endif
}

#ifdef __linux__
static int note_loaded(struct dl_phdr_info *info, size_t size, void *count) {
  (void)size;
  *(uint64_t *)count = info->dlpi_adds;
  return 1;
}
#endif

uint64_t interlock_libraries_loaded(void) {
  uint64_t count = 0;
#ifdef __linux__
  dl_iterate_phdr(note_loaded, &count);
#endif
  return count;
}

const char *interlock_image_of(uintptr_t address, uintptr_t *base) {
  Dl_info info;
  if (!dladdr((const void *)address, &info) || !info.dli_fbase) return NULL;
  *base = (uintptr_t)info.dli_fbase;
#ifdef __linux__
  // The loader knows the executable by the name of its call, which may be any.
  Dl_info own;
  bool is_known = dladdr((const void *)getauxval(AT_ENTRY), &own) != 0;
  if (is_known && own.dli_fbase == info.dli_fbase) return "/proc/self/exe";
#endif
  return info.dli_fname;
}

char *interlock_demangled(const char *symbol) {
  return swift_demangle ? swift_demangle(symbol, strlen(symbol), NULL, NULL, 0) : NULL;
}

void interlock_free_demangled(char *name) { free(name); }

char *interlock_backtrace_name(const char *symbol) {
  if (!_swift_backtrace_demangle) return NULL;
  return _swift_backtrace_demangle(symbol, strlen(symbol), NULL, NULL);
}

bool interlock_is_thunk(const char *symbol) {
  if (_swift_backtrace_isThunkFunction && _swift_backtrace_isThunkFunction(symbol)) return true;
  // The toolchain does not treat a key path's accessors as thunks.
  size_t length = strlen(symbol);
  const char *end = length > 2 ? symbol + length - 2 : "";
  return strcmp(end, "TK") == 0 || strcmp(end, "Tk") == 0;
}

void interlock_write_error(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(STDERR_FILENO, bytes, length);
    if (written < 0) {
      if (errno == EINTR) continue;
      return;
    }
    bytes += written;
    length -= (size_t)written;
  }
}

void interlock_trap(void) { __builtin_trap(); }

void interlock_exit_from_handler(int code) {
#ifdef __linux__
  // glibc runs the remaining handlers, and takes the newest status.
  exit(code);
#else
  fflush(NULL);
  _exit(code);
#endif
}
