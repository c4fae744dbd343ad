// Whether the process can allocate memory after a fault in a library. If the fault was within
// malloc or free, the lock of the heap may be held by the code that the execution leaves, or the
// heap may be destroyed: then the next allocation hangs, or faults again.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <malloc.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Blocks that the heap keeps in different lists.
static const size_t sizes[] = {24, 500, 2000, 20000, 100000};
enum { size_count = sizeof sizes / sizeof *sizes };

_Noreturn static void try_heap(void) {
  for (int signal = 1; signal < 32; signal++) {
    struct sigaction end = {.sa_handler = SIG_DFL};
    sigaction(signal, &end, NULL);
  }
  // The C library may say what is wrong with the heap, which it has said already.
  close(STDERR_FILENO);
  // Takes the lock of each heap of the process: threads have several.
  malloc_trim(0);
  // Volatile: the compiler would leave the calls out.
  void *volatile blocks[size_count];
  for (int index = 0; index < size_count; index++) blocks[index] = malloc(sizes[index]);
  for (int index = 0; index < size_count; index++) free(blocks[index]);
  _exit(0);
}

typedef enum { HEAP_IS_USABLE, HEAP_IS_LOCKED, HEAP_IS_DESTROYED } heap_state;

static heap_state look_at_copy(void) {
  enum { most_tries = 300 };
  const struct timespec pause = {0, 1000000};
  // Not `fork`, whose handlers allocate; and without a signal to the user's code when it ends.
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

/// Called in a handler of signals: a copy of the process tries, since a lock that is held is held
/// in the copy too. A thread that is not explored may hold it for a moment: several copies try.
bool interlock_heap_is_usable(void) {
  enum { most_copies = 8 };
  heap_state state = HEAP_IS_LOCKED;
  for (int copies = 0; copies < most_copies && state == HEAP_IS_LOCKED; copies++) {
    state = look_at_copy();
  }
  return state == HEAP_IS_USABLE;
}

#endif
