// Waits for descriptors, which no exploration controls. Included by `CInterlockEvents/` only.
#ifndef INTERLOCK_INTERPOSE_OUTSIDE_H
#define INTERLOCK_INTERPOSE_OUTSIDE_H

#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <poll.h>
#include <sys/select.h>

/// Called before a call that polls. Ends the exploration if an explored thread would wait.
void interlock_before_poll(struct pollfd *files, nfds_t count, int limit,
                           uintptr_t returns_to) HIDDEN;
void interlock_before_select(int count, const fd_set *reads, const fd_set *writes,
                             const fd_set *others, bool has_no_limit,
                             uintptr_t returns_to) HIDDEN;

#endif
#endif
