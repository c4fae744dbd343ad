#ifndef INTERLOCK_MEMORY_FILE_H
#define INTERLOCK_MEMORY_FILE_H

// Memory that a process shares with its children. Not part of the users' API.

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes an unnamed file of zeros in memory, closed on exec, whose size is sealed. Returns -1, with
/// the reason in `errno`, if the system has no such files, or limits this process to smaller files.
int interlock_memory_file(size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
