// The marks of the calling thread, and the look-up of real functions, which every interposed call
// needs.
#include "interpose.h"
#include "Lives/task_lives.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint32_t interlock_wanted;
bool interlock_items_have_clocks;
__thread interlock_thread_marks interlock_marks;
static __thread uint32_t own_number __attribute__((tls_model("initial-exec")));
/// The number of the process, which is also its main thread's; 0 before the first look-up.
static uint32_t own_process;

interlock_only_reader interlock_only;
/// Set before threads are explored, and read only by their calls.
const interlock_posix_performer *interlock_posix;
bool interlock_follows_lives;

void interlock_events_hide_thread(bool hidden) {
  if (hidden) {
    interlock_marks.hidden++;
  } else {
    interlock_marks.hidden--;
  }
}

void *interlock_find_real(const char *name) {
  interlock_foreign_call("dlsym");
  // A look-up without a version returns glibc's oldest condition variables, which have another
  // layout.
#if defined(__x86_64__)
  if (strncmp(name, "pthread_cond_", 13) == 0) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (found) return found;
  }
#endif
  return dlsym(RTLD_NEXT, name);
}

uint32_t interlock_thread_id(void) {
  if (!own_number) own_number = (uint32_t)syscall(SYS_gettid);
  return own_number;
}

bool interlock_is_main_thread(void) {
  // Relaxed: threads that look the number up at the same time find the same one.
  uint32_t process = __atomic_load_n(&own_process, __ATOMIC_RELAXED);
  if (!process) {
    process = (uint32_t)getpid();
    __atomic_store_n(&own_process, process, __ATOMIC_RELAXED);
  }
  return interlock_thread_id() == process;
}

void interlock_thread_forked(void) { own_number = own_process = 0; }

#endif
