// Decides whether the process can allocate memory after a fault in a library. If the fault was
// within malloc or free, the code that the execution leaves may hold the heap's lock, or the heap
// may be corrupt: then the next allocation hangs, or faults again.
#include "../Engine/engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <malloc.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Block sizes that the heap keeps in different lists.
static const size_t sizes[] = {24, 500, 2000, 20000, 100000};
enum { size_count = sizeof sizes / sizeof *sizes };

_Noreturn static void try_heap(void) {
  for (int signal = 1; signal < 32; signal++) {
    struct sigaction end = {.sa_handler = SIG_DFL};
    sigaction(signal, &end, NULL);
  }
  // The C library would print its complaint about the heap a second time.
  close(STDERR_FILENO);
  // malloc_trim takes the lock of each heap of the process: threads have several heaps.
  malloc_trim(0);
  // Volatile, because the compiler would remove the calls.
  void *volatile blocks[size_count];
  for (int index = 0; index < size_count; index++) blocks[index] = malloc(sizes[index]);
  for (int index = 0; index < size_count; index++) free(blocks[index]);
  _exit(0);
}

typedef enum { HEAP_IS_USABLE, HEAP_IS_LOCKED, HEAP_IS_DESTROYED } heap_state;

static heap_state look_at_copy(void) {
  enum { most_tries = 300 };
  const struct timespec pause = {0, 1000000};
  // `clone` without an exit signal: `fork` would run handlers that allocate, and the end of the
  // copy would send SIGCHLD to the user's code.
  pid_t copy = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
  if (copy == 0) try_heap();
  if (copy < 0) return HEAP_IS_LOCKED;
  int status = 0;
  for (int tries = 0; tries < most_tries; tries++) {
    if (waitpid(copy, &status, WNOHANG | __WALL) != 0) {
      return WIFEXITED(status) ? HEAP_IS_USABLE : HEAP_IS_DESTROYED;
    }
    syscall(SYS_nanosleep, &pause, NULL);
  }
  kill(copy, SIGKILL);
  waitpid(copy, &status, __WALL);
  return HEAP_IS_LOCKED;
}

/// Called in a signal handler. Tries in a copy of the process, in which a held lock is held as
/// well. A thread that is not explored may hold a lock for a moment, so several copies try.
bool interlock_heap_is_usable(void) {
  enum { most_copies = 8 };
  heap_state state = HEAP_IS_LOCKED;
  for (int copies = 0; copies < most_copies && state == HEAP_IS_LOCKED; copies++) {
    state = look_at_copy();
  }
  return state == HEAP_IS_USABLE;
}

#endif
