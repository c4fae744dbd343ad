#ifndef INTERLOCK_CHILD_H
#define INTERLOCK_CHILD_H

// The stress runner's C code: a signal handler, and calls that Swift does not import (variadic
// ones, and the numbers of system calls). Not part of the users' API.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The maximum number of frames of one thread's stack.
#define INTERLOCK_STACK_FRAMES 48

/// One thread's stack, in memory that the parent shares. `ready` is written last.
typedef struct {
  uint32_t ready;
  uint32_t thread;
  uint32_t count;
  uint32_t reserved;
  uintptr_t frames[INTERLOCK_STACK_FRAMES];
} interlock_stack_slot;

/// The header of the slots, which threads take in the order of their arrival. `capacity` slots
/// follow it.
typedef struct {
  uint32_t next;
  uint32_t capacity;
  uint64_t reserved;
} interlock_stack_area;

/// Installs a handler of SIGPROF that writes the stack of its thread to `area`, which is never
/// freed. Returns false if the handler could not be installed.
bool interlock_stack_capture_install(interlock_stack_area *area);

/// Clears all stacks; the parent calls it before it sends a round of signals. The parent passes the
/// number of slots, because a subject that corrupts its memory may overwrite `capacity`.
void interlock_stack_area_reset(interlock_stack_area *area, uint32_t capacity);

/// The slot with this number, or NULL while it has no complete stack.
const interlock_stack_slot *interlock_stack_area_slot(const interlock_stack_area *area,
                                                      uint32_t capacity, uint32_t index);

/// Sends a signal to one thread of another process. Returns false if that fails, or the system has
/// no such call.
bool interlock_signal_thread(pid_t process, int64_t thread, int signal);

/// Asks the system to kill this process when its parent ends. Returns false if it cannot.
bool interlock_die_with_parent(void);

/// A process's hard limit of the time that a real-time thread may run without blocking, in
/// microseconds; all ones for no limit, 0 if it cannot be read or the system has no such limit.
uint64_t interlock_real_time_limit(pid_t process);

/// Sets that limit of this process, and lowers the soft one to it. Returns false if that fails.
bool interlock_set_real_time_limit(uint64_t microseconds);

/// A descriptor of a process, which stays valid if the system reuses the process's number; closed
/// on exec, and readable once the process has ended. -1 if none is available (Linux before 5.3).
int interlock_open_process(pid_t process);

/// Sends SIGKILL to the process of such a descriptor.
void interlock_kill_opened_process(int descriptor);

/// Gives the calling thread a name that reports show; at most 15 bytes.
void interlock_name_thread(const char *name);

/// An unnamed file of zeros in memory, closed on exec, whose size is sealed. -1, with the reason in
/// `errno`, if the system has no such files, or limits this process to smaller ones.
int interlock_memory_file(size_t bytes);

/// Opens a folder in another one, closed on exec. Follows no link, and enters no mount. -1, with
/// the reason in `errno`, if it cannot be opened in this way.
int interlock_open_folder(int parent, const char *name);

/// Whether ThreadSanitizer is built in: it maps terabytes, which no address-space limit allows.
bool interlock_under_thread_sanitizer(void);

/// What a thread in a system call waits for.
typedef enum {
  /// For another thread to wake it; otherwise for ever.
  INTERLOCK_WAIT_FOREVER = 0,
  /// In a futex with a timeout, as an idle pool worker does too.
  INTERLOCK_WAIT_TIMED_FUTEX = 1,
  /// For time to pass, or for an event with a timeout.
  INTERLOCK_WAIT_TIME = 2,
  /// For an event from outside the process: bytes, a connection, the end of a child.
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

/// Records SIGINT, SIGTERM, SIGHUP and SIGQUIT instead of ending the process, until the matching
/// `end`; calls may overlap on several threads, but not nest on one. An ignored signal stays
/// ignored.
void interlock_interrupts_begin(void);

/// Restores the handlers from before the first `begin`; called on the same thread.
void interlock_interrupts_end(void);

/// Whether one of those signals has arrived since the first `begin`.
bool interlock_interrupted(void);

#ifdef __cplusplus
}
#endif

#endif
