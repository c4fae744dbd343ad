// Calls that start a process: nothing of it is controlled.
#include "doors.h"
#include "interpose_posix.h"

#ifdef INTERLOCK_INTERPOSES

#include <spawn.h>

typedef posix_spawn_file_actions_t actions_t;
typedef posix_spawnattr_t attributes_t;

#define SPAWNS(name)                                                                           \
  INTERPOSED_FAST(int, name, 0,                                                                \
                  (pid_t *process, const char *program, const actions_t *actions,              \
                   const attributes_t *attributes, char *const words[], char *const values[]), \
                  (process, program, actions, attributes, words, values)) {                    \
    if (interlock_is_controlled()) interlock_posix->start_process(#name);                      \
    return FOUND(name)(process, program, actions, attributes, words, values);                  \
  }

SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

#if defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

// Foundation's `Process` starts a thread with a run loop, and waits for it, before it starts the
// process; its methods are called by a table.
#define PROCESS "$s10Foundation7ProcessCACycfC"

/// A `Process` is made. Returns the address to jump to.
CALLED uintptr_t interlock_process_made(void) {
  static uintptr_t known;
  if (interlock_is_controlled()) interlock_posix->start_process("Foundation.Process");
  return find_real(&known, PROCESS);
}

DOOR(PROCESS, ASK("interlock_process_made", "0"))

#endif
#endif
#endif
