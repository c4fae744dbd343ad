#ifndef INTERLOCK_CHILD_H
#define INTERLOCK_CHILD_H

// What the stress runner needs from C: code that runs in a signal handler, and calls that Swift
// does not import (variadic ones, and the numbers of system calls). No part of the API for users.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most frames that are kept of one thread's stack.
#define INTERLOCK_STACK_FRAMES 48

/// One thread's stack, in memory that the parent shares. `ready` is written last.
typedef struct {
  uint32_t ready;
  uint32_t thread;
  uint32_t count;
  uint32_t reserved;
  uintptr_t frames[INTERLOCK_STACK_FRAMES];
} interlock_stack_slot;

/// The slots; threads take them in the order in which they come. `capacity` slots follow it.
typedef struct {
  uint32_t next;
  uint32_t capacity;
  uint64_t reserved;
} interlock_stack_area;

/// Makes SIGPROF write the stack of the thread that gets it into `area`, which must outlive the
/// process. Returns false where the handler could not be installed.
bool interlock_stack_capture_install(interlock_stack_area *area);

/// Forgets all stacks; called by the parent before it sends a round of signals. The parent says
/// itself how many slots there are: a subject that corrupts its memory may overwrite `capacity`.
void interlock_stack_area_reset(interlock_stack_area *area, uint32_t capacity);

/// The slot with this number, or NULL while nothing (whole) is in it.
const interlock_stack_slot *interlock_stack_area_slot(const interlock_stack_area *area,
                                                      uint32_t capacity, uint32_t index);

/// Sends a signal to one thread of another process. Returns false where it could not, or where the
/// system has no such call.
bool interlock_signal_thread(pid_t process, int64_t thread, int signal);

/// Asks the system to kill this process when its parent ends. Returns false where it cannot.
bool interlock_die_with_parent(void);

/// The hard limit of a process for the time that a real-time thread may run without a pause, in
/// microseconds, all ones for none; 0 where it cannot be read or the system has no such limit.
uint64_t interlock_real_time_limit(pid_t process);

/// Sets that limit of this process, and lowers the soft one to it. Returns false where it could
/// not.
bool interlock_set_real_time_limit(uint64_t microseconds);

/// A descriptor that stays with this process even when its number goes to another, closed on exec;
/// it can be read from when the process has ended. -1 where there is none to be had (Linux before
/// 5.3).
int interlock_open_process(pid_t process);

/// Sends SIGKILL to the process of such a descriptor.
void interlock_kill_opened_process(int descriptor);

/// Gives the calling thread a name that reports show; at most 15 bytes.
void interlock_name_thread(const char *name);

/// A file of zeros in memory, without a name, closed on exec, whose size nothing can change any
/// more. -1, with the reason in `errno`, where the system has no such thing, or this process may
/// not have a file of that size.
int interlock_memory_file(size_t bytes);

/// Opens a folder in another one, closed on exec. Follows no link, and enters nothing that is
/// mounted there. -1, with the reason in `errno`, where it cannot be opened so.
int interlock_open_folder(int parent, const char *name);

/// Whether ThreadSanitizer is built in: it maps terabytes, which no address-space limit allows.
bool interlock_under_thread_sanitizer(void);

/// What a thread that is inside a system call waits for.
typedef enum {
  /// For somebody to wake it: without that, for ever.
  INTERLOCK_WAIT_FOREVER = 0,
  /// In a futex, with a timeout: the wait of an idle pool worker too.
  INTERLOCK_WAIT_TIMED_FUTEX = 1,
  /// For time to pass, or for an event with a timeout.
  INTERLOCK_WAIT_TIME = 2,
  /// For something that may come from outside the process: bytes, a connection, the end of a child.
  INTERLOCK_WAIT_OUTSIDE = 3,
  /// For one of several descriptors, without a timeout.
  INTERLOCK_WAIT_POLL = 4,
  /// For one of the descriptors that an epoll listens to, without a timeout.
  INTERLOCK_WAIT_EPOLL = 5,
} interlock_wait;

/// Classifies a system call by its number and its six arguments, as `/proc/<pid>/syscall` has them.
interlock_wait interlock_classify_wait(long number, const uint64_t arguments[6]);

/// Whether a system call by this number is `futex`.
bool interlock_is_futex(long number);

/// Takes note of SIGINT, SIGTERM, SIGHUP and SIGQUIT instead of dying, until the matching `end`;
/// calls may overlap on several threads, but not nest on one. A signal that is ignored when it
/// begins stays ignored.
void interlock_interrupts_begin(void);

/// Puts back what handled the signals before the first `begin`; called on the same thread.
void interlock_interrupts_end(void);

/// Whether one of those signals has come since the first `begin`.
bool interlock_interrupted(void);

#ifdef __cplusplus
}
#endif

#endif
