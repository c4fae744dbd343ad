#ifndef INTERLOCK_HOSTILE_H
#define INTERLOCK_HOSTILE_H

// Actions of a subject on itself, on the memory and the pipes that it shares with the runner, and
// on the runner's folder. In C, because most are system calls that Swift does not import.

#include <stdbool.h>
#include <stddef.h>

/// An action, performed in a call. It may return, end the process, or never return.
typedef struct {
  const char *name;
  void (*run)(int argument);
  int argument;
} hostile_action;

/// The number of actions.
size_t hostile_count(void);

/// The action with this number.
const hostile_action *hostile_at(size_t index);

/// Runs an action. Ends the process instead if it is not enclosed.
void hostile_run(size_t index);

/// The reason why this process can reach files, processes or devices outside an enclosure; or NULL.
const char *hostile_reach(void);

/// Enters an enclosure: new namespaces for users, processes, mounts, IPC and networks, in which
/// these folders are read-only, `/tmp` and `/dev` are new file systems in memory, and nothing else
/// exists. Then drops every capability. `mount_point` is an empty folder. Call it while the process
/// has one thread.
///
/// Returns NULL in the enclosed process. The calling process waits for that process, ends with its
/// status, and kills it after `seconds`. Returns the reason if there can be no enclosure; the
/// process must then end too.
const char *hostile_enclose(const char *mount_point, const char *const *folders, size_t count,
                            unsigned seconds);

/// The file that contains a function of this process; NULL if it is not known.
const char *hostile_library_of(const char *function);

#endif
