// Calls that start or wait for something that no exploration controls: processes, and other ends of
// descriptors.
#include "Posix/interpose_posix.h"
#include "doors.h"
#include "interpose_outside.h"

#ifdef INTERLOCK_INTERPOSES

#include <spawn.h>

typedef posix_spawn_file_actions_t actions_t;
typedef posix_spawnattr_t attributes_t;

#define SPAWNS(name)                                                                           \
  INTERPOSED_FAST(int, name, 0,                                                                \
                  (pid_t *process, const char *program, const actions_t *actions,              \
                   const attributes_t *attributes, char *const words[], char *const values[]), \
                  (process, program, actions, attributes, words, values)) {                    \
    if (interlock_is_controlled()) interlock_posix->leave(#name);                              \
    return FOUND(name)(process, program, actions, attributes, words, values);                  \
  }

SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

/// True if the calling thread is explored and would wait with this limit.
static bool would_wait(int milliseconds) { return milliseconds != 0 && interlock_is_controlled(); }

/// A wait of a library for itself, for example of a run loop, is no wait of the body.
static void leave_to_wait(uintptr_t returns_to) {
  if (interlock_events_is_users(returns_to)) interlock_posix->leave("a wait for descriptors");
}

int interlock_look_at_epoll(int set, struct epoll_event *found, int most, int limit,
                            uintptr_t returns_to) {
  typedef int epoll_call(int, struct epoll_event *, int, int);
  if (!would_wait(limit)) return 0;
  int ready = REAL(epoll_call, epoll_wait)(set, found, most, 0);
  if (ready == 0) leave_to_wait(returns_to);
  return ready;
}

void interlock_before_poll(struct pollfd *files, nfds_t count, int limit, uintptr_t returns_to) {
  typedef int poll_call(struct pollfd *, nfds_t, int);
  if (would_wait(limit) && REAL(poll_call, poll)(files, count, 0) == 0) leave_to_wait(returns_to);
}

void interlock_before_select(int count, const fd_set *reads, const fd_set *writes,
                             const fd_set *others, bool has_no_limit, uintptr_t returns_to) {
  typedef int select_call(int, fd_set *, fd_set *, fd_set *, struct timeval *);
  if (!would_wait(has_no_limit ? -1 : 0)) return;
  // The call replaces the sets by those of the ready descriptors.
  fd_set copies[3];
  if (reads) copies[0] = *reads;
  if (writes) copies[1] = *writes;
  if (others) copies[2] = *others;
  struct timeval now = {0};
  int ready = REAL(select_call, select)(count, reads ? &copies[0] : NULL,
                                        writes ? &copies[1] : NULL, others ? &copies[2] : NULL,
                                        &now);
  if (ready == 0) leave_to_wait(returns_to);
}

void interlock_leave_to_c11(const char *name) {
  if (interlock_is_controlled()) interlock_posix->leave(name);
}

#if defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

// Swift functions that their callers call directly, and not through a vtable.

static const struct {
  const char *name, *call;
} calls_outside[] = {
#define OUTSIDE(symbol, call) {symbol, call},
#include "calls_outside.h"
#undef OUTSIDE
};
enum { outside_count = sizeof calls_outside / sizeof *calls_outside };

/// Called by a door. Returns the address to jump to.
CALLED uintptr_t interlock_outside_called(uintptr_t *arguments, uint32_t call) {
  static uintptr_t known[outside_count];
  (void)arguments;
  if (interlock_is_controlled()) interlock_posix->leave(calls_outside[call].call);
  return find_real(&known[call], calls_outside[call].name);
}

// One door for each function, in the order of the table.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
enum { first_counter = __COUNTER__ + 1 };
_Static_assert(first_counter == 1, "the doors count from here");
#define OUTSIDE(name, call) \
  DOOR(name, ASK_KEEPING_FLOATS("interlock_outside_called", "(" TEXT(__COUNTER__) " - 1)"))
#include "calls_outside.h"

#endif
#endif
#endif
