#ifndef HOSTILE_TABLES_H
#define HOSTILE_TABLES_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "include/hostile.h"

// One table a file; an entry without a name ends it.
extern const hostile_action hostile_endings[];
extern const hostile_action hostile_files[];
extern const hostile_action hostile_limits[];
extern const hostile_action hostile_others[];
extern const hostile_action hostile_pipes[];
extern const hostile_action hostile_processes[];
extern const hostile_action hostile_shared_memory[];
extern const hostile_action hostile_tracers[];
extern const hostile_action hostile_tricks[];

/// Sleeps forever.
void hostile_hang(void);

/// Runs `body` in a child process with its own session, and returns the child's number.
int hostile_in_new_session(void (*body)(int argument), int argument);

#endif
