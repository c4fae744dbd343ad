// Waits for descriptors, which no exploration controls. Included by `CInterlockEvents/` only.
#ifndef INTERLOCK_INTERPOSE_OUTSIDE_H
#define INTERLOCK_INTERPOSE_OUTSIDE_H

#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

/// Called before a call that polls. Ends the exploration if an explored thread would wait.
void interlock_before_poll(struct pollfd *files, nfds_t count, int limit,
                           uintptr_t returns_to) HIDDEN;
void interlock_before_select(int count, const fd_set *reads, const fd_set *writes,
                             const fd_set *others, bool has_no_limit,
                             uintptr_t returns_to) HIDDEN;
/// The same for `epoll_wait`, which may return an event only once. Returns the number of events
/// that were ready; 0 if the caller must make the call.
int interlock_look_at_epoll(int set, struct epoll_event *found, int most, int limit,
                            uintptr_t returns_to) HIDDEN;
/// Ends the exploration if an explored thread makes this call of C11's threads, which the C library
/// performs without the interposed calls.
void interlock_leave_to_c11(const char *name) HIDDEN;

#endif
#endif
